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
}

// Base is the name of a tool before its length and the other tools are looked
// at. Server and tool have been through ServerPart and ToolPart.
func (f Form) Base(server, tool string) string {
	return f.Prefix + server + f.Separator + tool
}

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

// at is the name of t when it has had to give way level times: as it is,
// with 8 digits of its hash, with 16. Beyond that, which takes a server that
// chooses its names for it, every level has a hash of its own.
func (f Form) at(base string, t Target, level int) string {
	if level == 0 {
		return base
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
	return strings.TrimRight(base[:min(len(base), f.Limit-len(suffix))], "_") + suffix
}

// Names are those of all tools: bases[i] is the base of targets[i], and no
// target is there twice. A name that is too long, that two tools would share, or
// that taken has for another tool, ends in digits of a hash, on every tool of
// this set that is involved; so the names depend on the set, and not on its
// order. They are unique, at most Limit long, and none is taken's for another
// tool.
func (f Form) Names(targets []Target, bases []string, taken map[string]Target) []string {
	levels := make([]int, len(targets))
	names := make([]string, len(targets))
	holder := make(map[string]int, len(targets))
	for i, base := range bases {
		if len(base) > f.Limit {
			levels[i] = 1
		}
		names[i] = f.at(base, targets[i], levels[i])
	}
	for {
		clashing := make(map[int]bool)
		clear(holder)
		for i, name := range names {
			if other, ok := holder[name]; ok {
				clashing[i], clashing[other] = true, true
			}
			holder[name] = i
			if owner, ok := taken[name]; ok && owner != targets[i] {
				clashing[i] = true
			}
		}
		if len(clashing) == 0 {
			return names
		}
		for i := range clashing {
			levels[i]++
			names[i] = f.at(bases[i], targets[i], levels[i])
		}
	}
}
