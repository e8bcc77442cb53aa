// Package toolname gives tools the names that models call them by: of few
// characters, short, unique, and always the same for the same set of tools.
package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Target is a tool as its server knows it.
type Target struct{ Server, Tool string }

// Form is how names are put together.
type Form struct {
	Prefix, Separator string
	// Limit is the most bytes of a name.
	Limit int
	// ServerLeft is how much of the server's part is left, at the least, when a name is
	// cut for the sake of the tool's. 0: names are cut at their end.
	ServerLeft int
}

// Tool is a tool to be named, with what of its server's name and of its own is in the
// name: ServerPart and ToolPart.
type Tool struct {
	Target
	ServerPart, ToolPart string
}

// NewTool is the Tool of a target.
func NewTool(t Target) Tool { return Tool{t, ServerPart(t.Server), ToolPart(t.Tool)} }

// Begins is how the names of a server's tools begin, unless they are cut.
func (f Form) Begins(serverPart string) string { return f.Prefix + serverPart + f.Separator }

// base is the name of a tool before its length and the other tools are looked at.
func (f Form) base(t Tool) string { return f.Begins(t.ServerPart) + t.ToolPart }

// ServerPart is what of a server's name is in the names of its tools.
func ServerPart(server string) string { return part(server, "server") }

// ToolPart is what of a tool's own name is in its name.
func ToolPart(tool string) string { return part(tool, "tool") }

// part is s with only [A-Za-z0-9_-] in it: everything else becomes "_",
// runs of "_" become one, and those at the ends go. What is then empty is
// fallback.
func part(s, fallback string) string {
	var b strings.Builder
	gap := false
	for _, c := range []byte(s) { // every byte of a longer character is part of one run
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteByte(c)
		default:
			gap = true
		}
	}
	if b.Len() == 0 {
		return fallback
	}
	return b.String()
}

// cut is the name of t in room bytes.
func (f Form) cut(t Tool, room int) string {
	name := f.base(t)
	if over := len(name) - room; over > 0 && f.ServerLeft > 0 {
		t.ServerPart = t.ServerPart[:max(len(t.ServerPart)-over, min(len(t.ServerPart), f.ServerLeft))]
		t.ServerPart = strings.TrimRight(t.ServerPart, "_")
		name = f.base(t)
	}
	return strings.TrimRight(name[:min(len(name), room)], "_")
}

// at is the name of t when it has had to give way level times: as it is,
// with 8 digits of its hash, with 16. Beyond that, which takes a server that
// chooses its names for it, every level has a hash of its own.
func (f Form) at(t Tool, level int) string {
	if level == 0 {
		return f.base(t)
	}
	identity := t.Server + "\x00" + t.Tool
	digits := 8
	if level > 1 {
		digits = 16
	}
	if level > 2 {
		identity += "\x00" + strconv.Itoa(level)
	}
	sum := sha256.Sum256([]byte(identity))
	suffix := "_" + hex.EncodeToString(sum[:])[:digits]
	return f.cut(t, f.Limit-len(suffix)) + suffix
}

// Names are those of all tools, of which none is there twice. A name that is too
// long, that two tools would share, or that taken has for another tool, ends in
// digits of a hash, on every tool of this set that is involved; so the names depend
// on the set, and not on its order. They are unique, at most Limit long, and none
// is taken's for another tool.
func (f Form) Names(tools []Tool, taken map[string]Target) []string {
	levels := make([]int, len(tools))
	names := make([]string, len(tools))
	holder := make(map[string]int, len(tools))
	for i, t := range tools {
		if names[i] = f.base(t); len(names[i]) > f.Limit {
			levels[i] = 1
			names[i] = f.at(t, 1)
		}
	}
	for {
		clashing := make(map[int]bool)
		clear(holder)
		for i, name := range names {
			if other, ok := holder[name]; ok {
				clashing[i], clashing[other] = true, true
			}
			holder[name] = i
			if owner, ok := taken[name]; ok && owner != tools[i].Target {
				clashing[i] = true
			}
		}
		if len(clashing) == 0 {
			return names
		}
		for i := range clashing {
			levels[i]++
			names[i] = f.at(tools[i], levels[i])
		}
	}
}
