package config

import (
	"bytes"
	"fmt"
)

// maxValues bounds the values of a file. A tree of them takes a hundred times
// the room of the shortest text for it, and a second for each million.
const maxValues = 1 << 18

// tooManyValues is a problem if a text may have more than maxValues values. A
// language has no more of them than it has of the marks that begin them or part
// them, but for one.
func tooManyValues(data []byte, marks string) *syntaxError {
	var mark [256]bool
	for _, c := range []byte(marks) {
		mark[c] = true
	}
	count := 0
	for i, c := range data {
		if !mark[c] {
			continue
		}
		if count++; count > maxValues {
			line, column := lineColumn(data, i)
			return &syntaxError{line, column, fmt.Sprintf("too many values: more than %d of the marks that part them", maxValues)}
		}
	}
	return nil
}

// maxDirectives bounds the tag directives of a YAML file. The library compares
// each with each, and every tag with all of them.
const maxDirectives = 100

func tooManyDirectives(data []byte) *syntaxError {
	const directive = "%TAG"
	at := 0
	for range maxDirectives + 1 {
		i := bytes.Index(data[at:], []byte(directive))
		if i < 0 {
			return nil
		}
		at += i + len(directive)
	}
	line, column := lineColumn(data, at-len(directive))
	return &syntaxError{line, column, fmt.Sprintf("more than %d tag directives", maxDirectives)}
}
