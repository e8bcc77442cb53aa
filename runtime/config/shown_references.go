package config

import (
	"regexp"
	"strings"
)

// shownPiece is a part of a text: a reference, which is shown, or what is
// written out.
type shownPiece struct {
	text      string
	reference bool
}

var (
	// referring is what stands in "${…}" in any dialect: a name, and what may
	// follow it after a colon.
	referring = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.]*|/)(:.*)?$`)
	// braced is {env:NAME} and {file:path}.
	braced = regexp.MustCompile(`^\{(env|file):[^{}]*\}`)
	// dollar is $NAME. Of small letters it is as likely to be part of a password.
	dollar = regexp.MustCompile(`^\$[A-Z_][A-Z0-9_]*`)
)

// references takes a text apart by the references of every dialect, whichever it
// is in: what a dialect does not know is a name all the same.
func (k *mask) references(s string) []shownPiece { return k.referencesIn(s, 0) }

func (k *mask) referencesIn(s string, depth int) []shownPiece {
	if depth > maxFallbacks || !strings.ContainsAny(s, "${") {
		return []shownPiece{{text: s}}
	}
	ends := make(map[int]int) // of "${…}", by their beginnings
	for _, b := range braces(s) {
		if b.end > 0 {
			ends[b.start] = b.end + 1
		}
	}
	var found []shownPiece
	from := 0 // of the text not yet taken
	for i := 0; i < len(s); {
		pieces, end := k.referenceAt(s, i, ends[i], depth)
		if end == 0 {
			i++
			continue
		}
		if from < i {
			found = append(found, shownPiece{text: s[from:i]})
		}
		found = append(found, pieces...)
		from, i = end, end
	}
	if from < len(s) {
		found = append(found, shownPiece{text: s[from:]})
	}
	return found
}

// referenceAt is the reference at an offset, in pieces, and where it ends; 0 if
// there is none. closing is where a "${" there ends, 0 for nowhere.
func (k *mask) referenceAt(s string, i, closing, depth int) (pieces []shownPiece, end int) {
	whole := func(end int) ([]shownPiece, int) { return []shownPiece{{s[i:end], true}}, end }
	rest := s[i:]
	switch {
	case closing > 0:
		return k.bracesAt(s[i:closing], depth), closing
	case strings.HasPrefix(rest, "$("):
		if n := parenthesisEnd(rest); n > 0 {
			inner := k.command(rest[2:n])
			return []shownPiece{{"$(" + inner + ")", true}}, i + n + 1
		}
	case rest[0] == '{':
		if text := braced.FindString(rest); text != "" {
			if name := strings.TrimSuffix(text[strings.IndexByte(text, ':')+1:], "}"); isValueForName(name) {
				return []shownPiece{{text[:len(text)-len(name)-1], true}, {text: name}, {"}", true}}, i + len(text)
			}
			return whole(i + len(text))
		}
	case rest[0] == '$':
		text := dollar.FindString(rest)
		if text == "" || i > 0 && isWordByte(s[i-1]) || len(text) < len(rest) && isWordByte(rest[len(text)]) {
			return nil, 0
		}
		return whole(i + len(text))
	}
	return nil, 0
}

func isWordByte(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// bracesAt takes "${…}" apart: a default is written out, and so is what follows
// any word that does not say that a name does.
func (k *mask) bracesAt(s string, depth int) []shownPiece {
	inner := s[2 : len(s)-1]
	if !referring.MatchString(inner) {
		return []shownPiece{{text: s}}
	}
	name, rest, more := strings.Cut(inner, ":")
	written := func(before, value string) []shownPiece {
		pieces := []shownPiece{{"${" + before, true}}
		pieces = append(pieces, k.referencesIn(value, depth+1)...)
		return append(pieces, shownPiece{"}", true})
	}
	switch {
	case !more && isValueForName(name):
		return written("", name)
	case !more:
	case name == "cmd":
		return []shownPiece{{"${cmd:" + k.command(rest) + "}", true}}
	case !refers(name) && rest != "" && strings.Contains("-+=?", rest[:1]):
		return written(name+":"+rest[:1], rest[1:])
	case !refers(name), isValueForName(rest):
		return written(name+":", rest)
	case name == "env":
		if variable, value, ok := strings.Cut(rest, ":-"); ok {
			return written("env:"+variable+":-", value)
		}
	}
	return []shownPiece{{s, true}}
}

// refers says that in "${word:…}" a name follows, of a variable, say.
func refers(word string) bool {
	switch word {
	case "env", "input", "file", "command", "config", "workspaceFolder":
		return true
	}
	return false
}
