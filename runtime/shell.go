package runtime

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShellWord is a word as one types it into a shell. Whatever is in it, it is no
// more than one word there, and everything in it can be seen.
func ShellWord(word string) string {
	switch {
	case strings.ContainsFunc(word, isInvisible):
		return Visible(word)
	case word != "" && !strings.ContainsAny(word, " \"'\\$`&|;<>()*?[]{}~#!=^%"):
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Visible is a text as it is or, if there is something in it that cannot be seen, what
// bash reads as that text. A line break, say, that is shown as a space makes a command
// look like the rest of a comment.
func Visible(text string) string {
	if !strings.ContainsFunc(text, isInvisible) {
		return text
	}
	b := []byte("$'")
	for _, r := range text {
		switch {
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\'' || r == '\\':
			b = append(b, '\\', byte(r))
		case !isInvisible(r):
			b = utf8.AppendRune(b, r)
		case r < utf8.RuneSelf:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 1<<16:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, '\''))
}

// isInvisible says of a character that nobody sees it, or that it changes how others
// are seen. A space is none.
func isInvisible(r rune) bool {
	const blankBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankBraille ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
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
