package config

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// parseJSON5 reads JSON5 (https://spec.json5.org). Infinity and NaN, which JSON
// has not, are strings.
func parseJSON5(doc *document, data []byte) (*node, *syntaxError) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, &syntaxError{message: "the file is empty: expected an object"}
	}
	if problem := tooManyValues(data, ",:[{"); problem != nil {
		return nil, problem
	}
	p := &json5{data: data, places: converter{doc: doc, data: data, line: 1}}
	root := p.value(1)
	if p.skip(); p.problem == nil && p.at < len(data) {
		p.fail(p.at, "something follows the end of the value: check the brackets and braces before it")
	}
	if p.problem != nil {
		return nil, p.problem
	}
	return root, nil
}

// json5 reads a text from its beginning. After the first problem at is the end
// of the text, and what the methods return means nothing.
type json5 struct {
	data    []byte
	at      int // offset of what is next
	places  converter
	problem *syntaxError
}

func (p *json5) fail(offset int, message string) {
	if p.problem == nil {
		if offset >= len(p.data) {
			offset, message = len(p.data), "the file ends in the middle of a value"
		}
		line, column := lineColumn(p.data, offset)
		p.problem = &syntaxError{line, column, message}
	}
	p.at = len(p.data)
}

// peek is the next byte, or 0 at the end. A zero byte means nothing in JSON5
// outside of strings and comments.
func (p *json5) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

// take passes over s if it is next.
func (p *json5) take(s string) bool {
	if !bytes.HasPrefix(p.data[p.at:], []byte(s)) {
		return false
	}
	p.at += len(s)
	return true
}

// value reads the value that is next; depth is that of an array or object here.
func (p *json5) value(depth int) *node {
	p.skip()
	n := &node{doc: p.places.doc}
	n.line, n.column = p.places.position(p.at)
	switch c := p.peek(); c {
	case '{', '[':
		if depth > maxDepth {
			p.fail(p.at, fmt.Sprintf("nested more than %d deep", maxDepth))
			return n
		}
		p.at++
		if c == '{' {
			n.setMembers(p.members(depth + 1))
		} else {
			n.setItems(p.items(depth + 1))
		}
	case '"', '\'':
		n.kind, n.text = text, p.quoted()
	default:
		n.kind, n.text = p.bare()
	}
	return n
}

func (p *json5) members(depth int) (all []member) {
	for p.skip(); !p.take("}"); p.skip() {
		var name string
		if c := p.peek(); c == '"' || c == '\'' {
			name = p.quoted()
		} else {
			name = p.identifier()
		}
		if p.skip(); !p.take(":") {
			p.fail(p.at, "expected a colon after the key")
		}
		all = append(all, member{name, p.value(depth)})
		if p.skip(); !p.take(",") && p.peek() != '}' {
			p.fail(p.at, "expected a comma or a closing brace after the value")
		}
		if p.problem != nil {
			return nil
		}
	}
	return all
}

func (p *json5) items(depth int) (items []*node) {
	for p.skip(); !p.take("]"); p.skip() {
		items = append(items, p.value(depth))
		if p.skip(); !p.take(",") && p.peek() != ']' {
			p.fail(p.at, "expected a comma or a closing bracket after the value")
		}
		if p.problem != nil {
			return nil
		}
	}
	return items
}

// bare reads what stands without quotes: a number or a word.
func (p *json5) bare() (kind, string) {
	start := p.at
	for p.at < len(p.data) {
		r, size := utf8.DecodeRune(p.data[p.at:])
		if !identifierPart(r) && !strings.ContainsRune("+-.", r) {
			break
		}
		p.at += size
	}
	all := string(p.data[start:p.at])
	switch unsigned, negative := sign(all); {
	case all == "null":
		return null, all
	case all == "true", all == "false":
		return boolean, all
	case unsigned == "NaN":
		return text, unsigned
	case unsigned == "Infinity" && negative:
		return text, all
	case unsigned == "Infinity":
		return text, unsigned
	case strings.HasPrefix(unsigned, "0x"), strings.HasPrefix(unsigned, "0X"):
		if literal, ok := prefixed(strings.ToLower(all)); ok {
			return number, literal
		}
		p.fail(start, "not a hexadecimal number of up to 64 bits: put a string in quotes")
	case len(unsigned) > 1 && unsigned[0] == '0' && '0' <= unsigned[1] && unsigned[1] <= '9':
		p.fail(start, "a number cannot begin with 0: put it in quotes, or leave the 0 out")
	case unsigned != "":
		if literal, ok := decimal(all); ok {
			return number, literal
		}
	}
	p.fail(start, "expected a value: put a string in quotes")
	return null, ""
}

// identifier reads a key without quotes.
func (p *json5) identifier() string {
	var name strings.Builder
	start := p.at
	for p.at < len(p.data) {
		r, size := utf8.DecodeRune(p.data[p.at:])
		if r == '\\' {
			p.at++
			if !p.take("u") {
				p.fail(p.at, "expected \\u and four digits: put the key in quotes")
				return ""
			}
			r, size = p.hex(4), 0
		}
		if !identifierPart(r) || name.Len() == 0 && !identifierStart(r) {
			if size > 0 {
				break
			}
			p.fail(p.at-len(`\u0000`), "not a letter: put the key in quotes")
			return ""
		}
		p.at += size
		name.WriteRune(r)
	}
	if name.Len() == 0 {
		p.fail(start, "expected a key: a word, or a string in quotes")
	}
	return name.String()
}

func identifierStart(r rune) bool {
	return r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
}

func identifierPart(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return identifierStart(r) || r == nonJoiner || r == joiner ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
}

// quoted reads the string that is next.
func (p *json5) quoted() string {
	var s []byte
	start, quote := p.at, p.data[p.at]
	for p.at++; p.at < len(p.data); {
		switch c := p.data[p.at]; c {
		case quote:
			p.at++
			return string(s)
		case '\n', '\r':
			p.fail(start, "a string that does not end on its line: check its quotes and backslashes")
			return ""
		case '\\':
			p.at++
			s = p.escaped(s)
		default:
			s = append(s, c)
			p.at++
		}
	}
	p.fail(p.at, "")
	return ""
}

// escaped appends what the escape is that is next, behind its backslash.
func (p *json5) escaped(s []byte) []byte {
	const simple, meant = "bfnrtv", "\b\f\n\r\t\v"
	if i := strings.IndexByte(simple, p.peek()); i >= 0 {
		p.at++
		return append(s, meant[i])
	}
	switch {
	case p.take("\r\n"), p.take("\n"), p.take("\r"), p.take("\u2028"), p.take("\u2029"):
		return s
	case p.take("x"):
		return utf8.AppendRune(s, p.hex(2))
	case p.take("u"):
		r := p.hex(4)
		if before := p.at; utf16.IsSurrogate(r) && p.take(`\u`) {
			pair := utf16.DecodeRune(r, p.hex(4))
			if r = pair; pair == utf8.RuneError && p.problem == nil {
				p.at = before
			}
		}
		return utf8.AppendRune(s, r)
	case p.take("0"):
		if c := p.peek(); c < '0' || c > '9' {
			return append(s, 0)
		}
		p.at--
	}
	if c := p.peek(); '0' <= c && c <= '9' {
		p.fail(p.at-1, "an escape that JSON5 has not: write \\x or \\u and digits")
		return s
	}
	_, size := utf8.DecodeRune(p.data[p.at:])
	s = append(s, p.data[p.at:p.at+size]...)
	p.at += size
	return s
}

// hex reads n hexadecimal digits.
func (p *json5) hex(n int) rune {
	end := min(p.at+n, len(p.data))
	value, err := strconv.ParseUint(string(p.data[p.at:end]), 16, 32)
	if err != nil || end < p.at+n {
		p.fail(p.at, fmt.Sprintf("expected %d hexadecimal digits: write a backslash itself as \\\\", n))
		return utf8.RuneError
	}
	p.at = end
	return rune(value)
}

// skip passes over white space and comments.
func (p *json5) skip() {
	for p.at < len(p.data) {
		switch r, size := utf8.DecodeRune(p.data[p.at:]); {
		case p.take("//"):
			for p.at < len(p.data) && !p.take("\n") && !p.take("\r") && !p.take("\u2028") && !p.take("\u2029") {
				p.at++
			}
		case p.take("/*"):
			end := bytes.Index(p.data[p.at:], []byte("*/"))
			if end < 0 {
				p.fail(p.at-2, "a comment that does not end: expected */")
				return
			}
			p.at += end + 2
		case strings.ContainsRune("\t\n\v\f\r \u2028\u2029\ufeff", r), unicode.Is(unicode.Zs, r):
			p.at += size
		default:
			return
		}
	}
}
