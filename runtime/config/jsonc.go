package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tailscale/hujson"
)

// maxDepth bounds the nesting of a file. hujson recurses, and a stack that
// overflows cannot be recovered from.
const maxDepth = 500

// syntaxError says where a text stops being in its language. It never repeats
// the text.
type syntaxError struct {
	line, column int // from 1; 0 when unknown
	message      string
}

// Error implements error.
func (e *syntaxError) Error() string { return e.message }

// parseJSONC reads JSON with comments and trailing commas.
func parseJSONC(doc *document, data []byte) (*node, *syntaxError) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &syntaxError{message: "the file is empty: expected an object"}
	}
	if offset := tooDeep(data); offset >= 0 {
		line, column := lineColumn(data, offset)
		return nil, &syntaxError{line, column, fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	// A comment on the last line may lack its line break, which hujson demands.
	value, err := hujson.Parse(append(bytes.Clone(data), '\n'))
	if err != nil {
		return nil, explain(data, err)
	}
	return (&converter{doc: doc, data: data, line: 1}).node(value), nil
}

// explain turns an error of hujson into one that says what to do and repeats
// no value.
func explain(data []byte, err error) *syntaxError {
	e := &syntaxError{}
	// hujson tells positions only in its text.
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.line, &e.column); scanErr != nil {
		return &syntaxError{message: "not valid JSON"}
	}
	cause := errors.Unwrap(err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.message = "the file ends in the middle of a value"
		e.line, e.column = lineColumn(data, len(data))
	case cause != nil && strings.HasPrefix(cause.Error(), "invalid character"):
		e.message = cause.Error()
	default:
		e.message = "not a valid JSON value: check quotes, escapes and line breaks within strings"
	}
	return e
}

func lineColumn(data []byte, offset int) (line, column int) {
	before := data[:offset]
	return 1 + bytes.Count(before, []byte("\n")), offset - bytes.LastIndexByte(before, '\n')
}

// converter makes nodes of hujson's values, which it meets in the order of the
// text.
type converter struct {
	doc       *document
	data      []byte
	offset    int // line and lineStart are those of this offset
	line      int
	lineStart int
}

func (c *converter) node(v hujson.Value) *node {
	n := &node{doc: c.doc}
	n.line, n.column = c.position(v.StartOffset)
	switch value := v.Value.(type) {
	case hujson.Literal:
		n.text = literal(value)
		switch value.Kind() {
		case 'n':
			n.kind = null
		case 't', 'f':
			n.kind = boolean
		case '0':
			n.kind = number
		default:
			n.kind = text
		}
	case *hujson.Array:
		items := make([]*node, len(value.Elements))
		for i, element := range value.Elements {
			items[i] = c.node(element)
		}
		n.setItems(items)
	case *hujson.Object:
		members := make([]member, len(value.Members))
		for i, m := range value.Members {
			name, _ := m.Name.Value.(hujson.Literal)
			members[i] = member{literal(name), c.node(m.Value)}
		}
		n.setMembers(members)
	}
	return n
}

// literal is the value of a string, and of anything else its text. Most strings
// have no escapes, and are had for a tenth of the time of decoding.
func literal(l hujson.Literal) string {
	if len(l) >= 2 && l[0] == '"' && bytes.IndexByte(l, '\\') < 0 {
		return string(l[1 : len(l)-1])
	}
	return l.String()
}

// position of an offset that is not before the last one asked for.
func (c *converter) position(offset int) (line, column int) {
	for {
		i := bytes.IndexByte(c.data[c.offset:offset], '\n')
		if i < 0 {
			break
		}
		c.offset += i + 1
		c.lineStart = c.offset
		c.line++
	}
	c.offset = offset
	return c.line, offset - c.lineStart + 1
}

// tooDeep is the offset at which nesting passes maxDepth, or -1. It agrees with
// hujson on what is a string and what a comment up to the first error, which is
// as far as hujson goes.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '/':
			i = commentEnd(data, i)
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// stringEnd is the offset of the quote that closes the one at start.
func stringEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data)
}

// commentEnd is the offset of the last byte of the comment at start, or start
// if there is none.
func commentEnd(data []byte, start int) int {
	var end string
	switch rest := data[start:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		end = "*/"
	default:
		return start
	}
	i := bytes.Index(data[start+2:], []byte(end))
	if i < 0 {
		return len(data)
	}
	return start + 2 + i + len(end) - 1
}
