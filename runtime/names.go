package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// target is a tool as its server knows it.
type target struct{ server, tool string }

// nameForm is how exposed names are put together.
type nameForm struct{ prefix, separator string }

func formOf(style rpc.ToolNames) nameForm {
	if style == rpc.ToolNamesDouble {
		return nameForm{"mcp__", "__"}
	}
	return nameForm{"mcp_", "_"}
}

// base is the name of a tool before its length and the other tools are looked
// at. Server and tool have been through namePart.
func (f nameForm) base(server, tool string) string {
	return f.prefix + server + f.separator + tool
}

// namePart is s with only [A-Za-z0-9_-] in it: everything else becomes "_",
// runs of "_" become one, and those at the ends go. What is then empty is
// fallback.
func namePart(s, fallback string) string {
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

// nameAt is the name of t when it has had to give way level times: as it is,
// with 8 digits of its hash, with 16. Beyond that, which takes a server that
// chooses its names for it, every level has a hash of its own.
func nameAt(base string, t target, level int) string {
	if level == 0 {
		return base
	}
	identity := t.server + "\x00" + t.tool
	digits := 8
	if level > 1 {
		digits = 16
	}
	if level > 2 {
		identity += "\x00" + strconv.Itoa(level)
	}
	sum := sha256.Sum256([]byte(identity))
	suffix := "_" + hex.EncodeToString(sum[:])[:digits]
	return strings.TrimRight(base[:min(len(base), nameLimit-len(suffix))], "_") + suffix
}

// giveNames names every tool: bases[i] is the base of targets[i], and no
// target is there twice. A name that is too long, that two tools would share,
// or that taken has for another tool, ends in digits of a hash, on every tool
// of this set that is involved; so the names depend on the set, and not on its
// order. They are unique, at most nameLimit long, and none is taken's for
// another tool.
func giveNames(targets []target, bases []string, taken map[string]target) []string {
	levels := make([]int, len(targets))
	names := make([]string, len(targets))
	holder := make(map[string]int, len(targets))
	for i, base := range bases {
		if len(base) > nameLimit {
			levels[i] = 1
		}
		names[i] = nameAt(base, targets[i], levels[i])
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
			names[i] = nameAt(bases[i], targets[i], levels[i])
		}
	}
}
