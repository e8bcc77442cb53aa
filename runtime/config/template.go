package config

import (
	"slices"
	"strings"
)

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
	fallback string
	// test is what of the variable decides about the fallback.
	test fallbackTest
}

type fallbackTest uint8

const (
	noFallback  fallbackTest = iota
	whenUnset                // :-, and as the dialect has it also when empty
	whenGiven                // :+, for a variable that is set and not empty
	whenMissing              // :?, an error for one that is not set or empty
)

type pieceKind uint8

const (
	plain       pieceKind = iota
	variable              // of the environment
	input                 // asked of the user
	fact                  // of the editor's: a folder or the path separator
	contents              // of a file
	command               // what it prints
	escaped               // the character of that name
	foreignForm           // known to the owning tool only
)

// split takes a value apart by the forms of its dialect. What looks like a
// reference and is none of them is plain text.
func split(s string, f forms) []piece {
	marks := "${"
	if f&formWord != 0 {
		marks = "${\\"
	}
	if !strings.ContainsAny(s, marks) {
		return []piece{{text: s}}
	}
	var pieces []piece
	c := cutter{s: s, f: f, braces: braces(s)}
	from := 0 // of the plain text not yet taken
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], marks)
		if next < 0 {
			break
		}
		i += next
		p, end := c.reference(i)
		if end == 0 {
			i++
			continue
		}
		if from < i {
			pieces = append(pieces, piece{text: s[from:i]})
		}
		p.text = s[i:end]
		pieces = append(pieces, p)
		i, from = end, end
	}
	if from < len(s) {
		pieces = append(pieces, piece{text: s[from:]})
	}
	return pieces
}

// cutter finds the references of one value, from left to right.
type cutter struct {
	s      string
	f      forms
	braces []brace // those from where the cutter stands on
	// unclosed and open: a "$(", and a "{", was met that nothing closes. Looking
	// for the end of each of a million of them would take for ever.
	unclosed, open bool
}

// reference reads the reference that starts at i, and gives its end; 0 when
// there is none.
func (c *cutter) reference(i int) (piece, int) {
	rest := c.s[i:]
	switch {
	case rest[0] == '{':
		return c.singleBraces(i)
	case rest[0] == '\\':
		if len(rest) > 1 && strings.Contains("$\\`", rest[1:2]) {
			return piece{kind: escaped, name: rest[1:2]}, i + 2
		}
	case strings.HasPrefix(rest, "${"):
		for len(c.braces) > 0 && c.braces[0].start < i {
			c.braces = c.braces[1:]
		}
		end := c.braces[0].end
		if end == 0 {
			return piece{}, 0
		}
		p, ok := inBraces(c.s[i+2:end], c.f)
		if !ok {
			return piece{}, 0
		}
		return p, end + 1
	case strings.HasPrefix(rest, "$(") && c.f&formSubstitution != 0 && !c.unclosed:
		end := parenthesisEnd(rest)
		if c.unclosed = end == 0; c.unclosed {
			return piece{}, 0
		}
		return piece{kind: command, name: strings.TrimSpace(rest[2:end])}, i + end + 1
	case c.f&formBare != 0:
		if n := nameLength(rest[1:]); n > 0 {
			return piece{kind: variable, name: rest[1 : 1+n]}, i + 1 + n
		}
	}
	return piece{}, 0
}

// singleBraces reads {env:V} and {file:path} at i.
func (c *cutter) singleBraces(i int) (piece, int) {
	if c.f&formSingleBraces == 0 || c.open {
		return piece{}, 0
	}
	kind, prefix := variable, "{env:"
	inner, ok := strings.CutPrefix(c.s[i:], prefix)
	if !ok {
		kind, prefix = contents, "{file:"
		if inner, ok = strings.CutPrefix(c.s[i:], prefix); !ok {
			return piece{}, 0
		}
	}
	end := strings.IndexByte(inner, '}')
	if kind == contents {
		end = fileEnd(inner)
	}
	c.open = end < 0
	if end <= 0 {
		return piece{}, 0
	}
	return piece{kind: kind, name: inner[:end]}, i + len(prefix) + end + 1
}

// fileEnd is the offset of the brace that ends the name of a file, in which
// {env:V} may stand; -1 when nothing does.
func fileEnd(s string) int {
	for from := 0; ; {
		end := strings.IndexByte(s[from:], '}')
		if end < 0 {
			return -1
		}
		if !strings.Contains(s[from:from+end], "{env:") {
			return from + end
		}
		from += end + 1
	}
}

// parenthesisEnd is the offset of the parenthesis that closes the "$(" at the
// start of s, 0 when nothing does. Quotes and backslashes are those of a shell:
// within double quotes a command begins with "$(" again.
func parenthesisEnd(s string) int {
	open := []byte{'('} // parentheses and quotes, the innermost last
	for i := len("$("); i < len(s); i++ {
		within := open[len(open)-1]
		switch c := s[i]; {
		case c == '\\' && within != '\'':
			i++
		case c == within && c != '(', c == ')' && within == '(':
			if open = open[:len(open)-1]; len(open) == 0 {
				return i
			}
		case within == '(' && (c == '(' || c == '\'' || c == '"'), within == '"' && c == '(' && s[i-1] == '$':
			open = append(open, c)
		}
	}
	return 0
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

// inBraces reads what stands between "${" and "}". It looks no further into it
// than it has to, since braces within braces are each asked about.
func inBraces(inner string, f forms) (piece, bool) {
	if word, rest, ok := strings.Cut(inner, ":"); ok && rest != "" {
		switch {
		case word == "env" && f&formEnv != 0:
			return piece{kind: variable, name: rest}, true
		case word == "input" && f&formInput != 0:
			return piece{kind: input, name: rest}, true
		case word == "file" && f&formFile != 0:
			return piece{kind: contents, name: rest}, true
		case word == "cmd" && f&formCommand != 0:
			return piece{kind: command, name: strings.TrimSpace(rest)}, true
		}
	}
	if f&formEditor != 0 {
		switch inner {
		case "workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "/":
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
	rest := inner[len(name):]
	switch {
	case name == "":
		return piece{}, false
	case rest == "":
		return piece{kind: variable, name: name}, true
	}
	p := piece{kind: variable, name: name}
	p.fallback, p.test = fallback(rest, f)
	switch {
	case p.test != noFallback:
		return p, true
	case f&formWord != 0:
		// What follows the name may be a secret.
		return piece{kind: foreignForm, name: name + "…"}, true
	}
	return piece{}, false
}

// fallback reads what follows the name of a variable.
func fallback(rest string, f forms) (word string, test fallbackTest) {
	if len(rest) < 2 {
		return "", noFallback
	}
	switch operator := rest[:2]; {
	case operator == ":-" && f&(formDefaultUnset|formDefaultEmpty) != 0:
		return rest[2:], whenUnset
	case operator == ":+" && f&formWord != 0:
		return rest[2:], whenGiven
	case operator == ":?" && f&formWord != 0:
		return "", whenMissing
	}
	return "", noFallback
}

// isPlain says that a value refers to nothing.
func isPlain(s string, f forms) bool {
	return !slices.ContainsFunc(split(s, f), func(p piece) bool { return p.kind != plain })
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
