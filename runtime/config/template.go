package config

import "strings"

// maxFallbacks bounds how deep defaults within defaults are expanded.
const maxFallbacks = 16

// piece is a part of a value: plain text, or a reference to something else.
type piece struct {
	kind pieceKind
	// text is the piece as written.
	text string
	// name is what is referred to.
	name string
	// fallback is what stands for a variable without a value; it may hold
	// references.
	fallback    string
	hasFallback bool
}

type pieceKind uint8

const (
	plain       pieceKind = iota
	variable              // of the environment
	input                 // asked of the user
	fact                  // of the editor's: a folder or the path separator
	foreignForm           // known to the owning tool only
)

// split takes a value apart by the forms of its dialect. What looks like a
// reference and is none of them is plain text.
func split(s string, f forms) []piece {
	if !strings.Contains(s, "${") {
		return []piece{{text: s}}
	}
	var pieces []piece
	from := 0 // of the plain text not yet taken
	for _, b := range braces(s) {
		if b.start < from || b.end == 0 {
			continue
		}
		p, ok := reference(s[b.start+2:b.end], f)
		if !ok {
			continue
		}
		if from < b.start {
			pieces = append(pieces, piece{text: s[from:b.start]})
		}
		from = b.end + 1
		p.text = s[b.start:from]
		pieces = append(pieces, p)
	}
	if from < len(s) {
		pieces = append(pieces, piece{text: s[from:]})
	}
	return pieces
}

// brace is the offsets of a "${" and of the "}" that closes it, 0 when nothing
// does.
type brace struct{ start, end int }

// braces finds every "${" of s, in order, in one pass.
func braces(s string) []brace {
	var all []brace
	var open []int // indexes in all
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$' && i+1 < len(s) && s[i+1] == '{':
			open = append(open, len(all))
			all = append(all, brace{start: i})
			i++
		case s[i] == '}' && len(open) > 0:
			all[open[len(open)-1]].end = i
			open = open[:len(open)-1]
		}
	}
	return all
}

// reference reads what stands between "${" and "}". It looks no further into it
// than it has to, since braces within braces are each asked about.
func reference(inner string, f forms) (piece, bool) {
	if name, ok := strings.CutPrefix(inner, "env:"); ok && f&formEnv != 0 && name != "" {
		return piece{kind: variable, name: name}, true
	}
	if id, ok := strings.CutPrefix(inner, "input:"); ok && f&formInput != 0 && id != "" {
		return piece{kind: input, name: id}, true
	}
	if f&formEditor != 0 {
		switch inner {
		case "workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator":
			return piece{kind: fact, name: inner}, true
		}
		for _, prefix := range []string{"command:", "config:", "workspaceFolder:"} {
			if strings.HasPrefix(inner, prefix) {
				return piece{kind: foreignForm, name: inner}, true
			}
		}
	}
	if f&formVariable == 0 {
		return piece{}, false
	}
	name := inner[:nameLength(inner)]
	switch rest := inner[len(name):]; {
	case name == "":
		return piece{}, false
	case rest == "":
		return piece{kind: variable, name: name}, true
	case f&(formDefaultUnset|formDefaultEmpty) != 0 && strings.HasPrefix(rest, ":-"):
		return piece{kind: variable, name: name, fallback: rest[2:], hasFallback: true}, true
	}
	return piece{}, false
}

// nameLength is how much of s is the name of a variable.
func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// isVariableName says that a whole value may be the name of a variable:
// capitals, digits and at least one underscore.
func isVariableName(s string) bool {
	return s == strings.ToUpper(s) && strings.Contains(s, "_") && nameLength(s) == len(s)
}

// shellCommand is the command of a value that is one. A value that starts with
// two exclamation marks is plain text from the second on.
func shellCommand(s string, f forms) (command string, ok bool) {
	if f&formShell == 0 || !strings.HasPrefix(s, "!") || strings.HasPrefix(s, "!!") {
		return "", false
	}
	command = strings.TrimSpace(s[1:])
	return command, command != ""
}

func unescaped(s string, f forms) string {
	if f&formShell != 0 && strings.HasPrefix(s, "!!") {
		return s[1:]
	}
	return s
}
