package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

const invalidYAML = "not valid YAML: check indentation, quotes and colons"

// explainYAML turns an error of the library into one that says what to do and
// repeats nothing of the text. The library is deep when that is why it stopped.
func explainYAML(data []byte, err error, deep bool) *syntaxError {
	e := &syntaxError{message: invalidYAML}
	var loadErr *yaml.LoadError
	if !errors.As(err, &loadErr) {
		return e
	}
	mark := loadErr.Mark
	message, opening := explainedYAML(loadErr.Message)
	switch {
	case deep:
		message = fmt.Sprintf("nested more than %d deep", maxDepth)
	case opening && loadErr.ContextMark.Line > 0:
		mark = loadErr.ContextMark
	}
	e.message = message
	if loadErr.Stage == yaml.ReaderStage {
		// It counts no lines.
		e.line, e.column = lineColumn(data, min(mark.Index, len(data)))
	} else {
		e.line, e.column = newYAMLPlaces(data).position(mark.Line, mark.Column)
	}
	return e
}

// explainedYAML is what is said instead of a message of the library's, and
// whether it is about the place where the value begins, and not about the one
// where the library stopped.
func explainedYAML(library string) (message string, opening bool) {
	const (
		tab    = "a tab, or one of % @ `, where a value should begin: indent with spaces, and put such a value in quotes"
		quote  = "a quote that is not closed"
		escape = `an escape that YAML has not: use single quotes, or write \\`
		anchor = "an alias (*) of an anchor (&) that is not above it: put a value that begins with * or & in quotes"
		tag    = "not a valid tag: put a value that begins with ! in quotes"
		line   = "something follows the end of the value: check its quotes, and the indentation of this line"
	)
	for _, m := range []struct {
		of, message string
		opening     bool
	}{
		{"unknown anchor", anchor, false},
		{"mapping values are not allowed", "a colon that no key can be before: put the value in quotes, or check the indentation", false},
		{"did not find expected key", "expected a key: the keys of one mapping begin in the same column", false},
		{"did not find expected '-'", "expected a list item: the items of one list begin in the same column", false},
		{"could not find expected ':'", "a line that is no key with a colon: expected \"key: value\"", true},
		{"mapping keys are not allowed", "a key where none can be: check the indentation", false},
		{"block sequence entries are not allowed", "a list item where none can be: write it on its own line", false},
		{"cannot start any token", tab, false},
		{"tab", tab, false},
		{"end of stream", quote, true},
		{"unexpected document indicator", quote, true},
		{"unknown escape", escape, false},
		{"hexadecimal", escape, false},
		{"escape code", escape, false},
		{"',' or ']'", "expected a comma or a closing bracket after the value", false},
		{"',' or '}'", "expected a comma or a closing brace after the value", false},
		{"node content", "expected a value", false},
		{"alphabetic or numeric", anchor, false},
		{"without preceding whitespace", "a # right behind a value: put a space before it, or the value in quotes", false},
		{"comment or line break", line, false},
		{"document start", line, false},
		{"control characters", "a control character: write it as an escape in double quotes", false},
		{"directive", "a directive (%) that cannot be read: leave the line out", false},
		{"incompatible YAML", "a version of YAML that cannot be read: leave the line out", false},
		{" tag", tag, false},
		{"expected '!'", tag, false},
	} {
		if strings.Contains(library, m.of) {
			return m.message, m.opening
		}
	}
	return invalidYAML, false
}
