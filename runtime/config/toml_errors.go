package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// explainTOML turns an error of the parser into one that says what to do and
// repeats nothing of the text.
func explainTOML(parser *unstable.Parser, err error) *syntaxError {
	const unknown = "not valid TOML: check quotes, brackets and line breaks"
	var parserErr *unstable.ParserError
	if !errors.As(err, &parserErr) {
		return &syntaxError{message: unknown}
	}
	e := &syntaxError{message: unknown}
	at := int(parser.Range(parserErr.Highlight).Offset)
	e.line, e.column = lineColumn(parser.Data(), at)
	for _, m := range tomlMessages() {
		if strings.Contains(parserErr.Message, m.of) {
			e.message = m.message
			break
		}
	}
	// What is missing is most likely the end of what began on a line above.
	above := at - e.column + 1
	if from := openTOML(parser.Data()[:at], above); from >= 0 {
		what := map[byte]string{'[': "array", '{': "table"}[parser.Data()[from]]
		line, _ := lineColumn(parser.Data(), from)
		e.message += fmt.Sprintf(" (the %s that begins in line %d is not closed before this)", cmp.Or(what, "string"), line)
	}
	return e
}

// openTOML is the offset of the innermost array, table in braces or string that
// nothing in a text closes, of those that begin before an offset; -1 for none.
func openTOML(text []byte, before int) int {
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case '"', '\'':
			open = append(open, i)
			if i = stringEndTOML(text, i); i < len(text) {
				open = open[:len(open)-1]
			}
		case '[', '{':
			open = append(open, i)
		case ']', '}':
			open = open[:max(len(open)-1, 0)]
		}
	}
	for _, from := range slices.Backward(open) {
		if from < before {
			return from
		}
	}
	return -1
}

// stringEndTOML is the offset of the last quote of the string at start, or the
// length of the text if nothing ends it. One of a single line ends with that at
// the latest.
func stringEndTOML(text []byte, start int) int {
	quote := text[start : start+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(text[start:], long) {
		quote = long
	}
	for i := start + len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote[0] == '"':
			i++
		case text[i] == '\n' && len(quote) == 1:
			return i
		case bytes.HasPrefix(text[i:], quote):
			i += len(quote) - 1
			// Up to two more are a part of the string.
			for range len(quote) - 1 {
				if i+1 < len(text) && text[i+1] == quote[0] {
					i++
				}
			}
			return i
		}
	}
	return len(text)
}

// tomlMessages are what the parser's messages begin with or contain, and what
// is said instead. The first that fits counts.
func tomlMessages() []struct{ of, message string } {
	const (
		ends    = "the file ends in the middle of a value"
		value   = "expected a value: put a string in quotes"
		key     = "expected a key: letters, digits, _ and -, or a string in quotes"
		header  = "a table header that is not closed: expected ] or ]]"
		array   = "expected a comma or a closing bracket after the value"
		inline  = "expected a comma or a closing brace after the value"
		open    = "a string that does not end on its line: close it, or write three quotes at both ends"
		control = "a control character or a lone carriage return: in a string write it as an escape"
		escape  = `an escape that TOML has not: use single quotes, in which a backslash is only that, or write \\`
		digits  = "not a number: put a string in quotes"
	)
	return []struct{ of, message string }{
		{"expected newline", "something follows the value: write one key a line"},
		{"expected '='", "expected = after the key"},
		{"to close", header},
		{"end of input", ends},
		{"is incomplete", ends},
		{"unterminated", ends},
		{"not terminated", ends},
		{"start of key", key},
		{"strings must be quoted", value},
		{"start of value", value},
		{"expected keyword", value},
		{"expected value", value},
		{"expected ',' or ']'", array},
		{"expected ',' or '}'", inline},
		{"unexpected comma", "a comma with no value before it"},
		{"cannot have new lines", open},
		{"too many quotes", "too many quotes: a string of several lines ends with three"},
		{"control characters", control},
		{"carriage returns", control},
		{"hexadecimal digit", escape},
		{"escape", escape},
		{"character after", escape},
		{"nested more", fmt.Sprintf("nested more than %d deep", maxDepth)},
		{"number", digits},
		{"digit", digits},
		{"leading zeroes", digits},
		{`expected "`, value}, // inf and nan
	}
}
