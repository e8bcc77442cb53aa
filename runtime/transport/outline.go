package transport

import (
	"encoding/json"
	"fmt"
)

// maxOutlined bounds a name or a value of which the outline takes note, in
// bytes.
const maxOutlined = 64

// outline is what can be told of a message that is not decoded, because it is
// too large, too deep or broken: which request it answers. It is fed the text in
// pieces, in memory that does not grow, and looks at the first object only. It
// belongs to one goroutine; the zero value is ready.
type outline struct {
	depth, deepest int
	inString       bool
	escaped        bool // in a string, behind a backslash
	ended          bool // the object is complete, or there is none

	// The member being read, at depth 1.
	key   string // "" before the colon
	token []byte // the key before the colon, the value after it; quotes included
	long  bool   // token is only its beginning

	id      json.RawMessage // nil if there is none, or none that could be an id
	version string          // the member jsonrpc
	method  bool            // there is one
	outcome bool            // there is a result or an error
}

// feed takes the next piece.
func (o *outline) feed(piece []byte) {
	for _, c := range piece {
		switch {
		case o.ended:
			return
		case o.inString:
			o.inside(c)
		default:
			o.outside(c)
		}
	}
}

func (o *outline) inside(c byte) {
	o.note(c)
	switch {
	case o.escaped:
		o.escaped = false
	case c == '\\':
		o.escaped = true
	case c == '"':
		o.inString = false
	}
}

func (o *outline) outside(c byte) {
	switch c {
	case ' ', '\t', '\r', '\n':
	case '"':
		o.inString = o.depth > 0
		o.ended = o.depth == 0
		o.note(c)
	case '{', '[':
		o.ended = o.depth == 0 && c == '['
		o.depth++
		o.deepest = max(o.deepest, o.depth)
	case '}', ']':
		if o.depth == 1 {
			o.endMember()
		}
		o.depth--
		o.ended = o.depth <= 0
	default:
		switch {
		case o.depth == 0:
			o.ended = true
		case c == ':' && o.depth == 1 && o.key == "":
			o.key = o.taken()
		case c == ',' && o.depth == 1:
			o.endMember()
		default:
			o.note(c)
		}
	}
}

// note keeps a byte of depth 1.
func (o *outline) note(c byte) {
	if o.depth != 1 {
		return
	}
	if len(o.token) == maxOutlined {
		o.long = true
		return
	}
	o.token = append(o.token, c)
}

// taken is the token, which begins anew. It is "" for one that is too long.
func (o *outline) taken() string {
	text := string(o.token)
	if o.long {
		text = ""
	}
	o.token, o.long = o.token[:0], false
	return text
}

func (o *outline) endMember() {
	value := o.taken()
	switch o.key {
	case `"id"`:
		o.id = nil
		if value != "" {
			o.id = json.RawMessage(value)
		}
	case `"jsonrpc"`:
		o.version = value
	case `"method"`:
		o.method = true
	case `"result"`, `"error"`:
		o.outcome = true
	}
	o.key = ""
}

// answered is the id of the request the message answers, as far as it was seen;
// nil for what is no answer.
func (o *outline) answered() json.RawMessage {
	if o.method {
		return nil
	}
	return o.id
}

// unusableAnswer is the request that a text answers which is no message, and why
// it is none. The id is nil for what only looks like an answer: a log line may
// have an id too.
func unusableAnswer(text []byte) (id json.RawMessage, why *Error) {
	var o outline
	o.feed(text)
	if id = o.answered(); id == nil || !o.ended || o.version != `"2.0"` {
		return nil, nil
	}
	why = &Error{Code: CodeProtocol, Message: "the answer is not valid JSON"}
	switch {
	case o.deepest > maxNesting:
		why.Message = fmt.Sprintf("the answer is nested %d levels deep, the limit is %d", o.deepest, maxNesting)
	case !o.outcome:
		why.Message = "the answer has neither a result nor an error"
	}
	return id, why
}
