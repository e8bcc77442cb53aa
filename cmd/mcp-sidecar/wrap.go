package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// pageWidth is where lines are wrapped, in characters.
const pageWidth = 100

// printWrapped prints a text as plain as printLine does, in as many lines as it
// takes. Lines after the first are indented by four more; words that are too
// long stay whole, so that they can be copied.
func printWrapped(out io.Writer, indent, text string) {
	line := indent
	width, empty := utf8.RuneCountInString(indent), true
	for word := range strings.SplitSeq(plain(text), " ") {
		n := utf8.RuneCountInString(word)
		if !empty && width+1+n > pageWidth {
			fmt.Fprintln(out, strings.TrimRight(line, " "))
			line = indent + "    "
			width, empty = utf8.RuneCountInString(line), true
		}
		if !empty {
			line += " "
			width++
		}
		line += word
		width += n
		empty = false
	}
	fmt.Fprintln(out, strings.TrimRight(line, " "))
}
