package runtime

import (
	"strings"
	"unicode"
)

// ShellWord is a word as one types it into a shell. Whatever is in it, it is no
// more than one word there.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'\\$`&|;<>()*?[]{}~#!=^%") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellArgument is a name as a command in a shell takes it. Whoever wrote the name
// wants it to be pasted into a terminal, so nothing in it may be a command, or an
// option.
func ShellArgument(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "NAME"
	}
	word := ShellWord(name)
	if strings.HasPrefix(name, "-") {
		word = "-- " + word
	}
	return word
}
