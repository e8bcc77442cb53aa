package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxNesting is how deep a message may nest. The SDK's decoder gives up, and
// closes the connection, a little beyond it.
const maxNesting = 1000

// envelope is the outside of one JSON-RPC message: the members of its object as
// spans of the bytes it was read from, nil where absent. Nothing inside them
// has been decoded, but all of it is valid JSON.
type envelope struct {
	raw                               json.RawMessage // the whole object
	id, method, params, result, fault json.RawMessage // fault is the member "error"
}

// scanEnvelope reads one message. It is false for anything that is no JSON-RPC
// 2.0 request, notification or response, and for one nested too deeply.
func scanEnvelope(data []byte) (envelope, bool) {
	e, rest, ok := scanFirst(data)
	return e, ok && len(bytes.TrimSpace(rest)) == 0
}

// scanFirst reads the message data begins with and returns what follows it.
func scanFirst(data []byte) (e envelope, rest []byte, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return envelope{}, nil, false
	}
	var version []byte
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return envelope{}, nil, false
		}
		key := string(name)
		value, err := dec.ReadValue()
		if err != nil {
			return envelope{}, nil, false
		}
		switch key {
		case `"jsonrpc"`:
			version = value
		case `"id"`:
			e.id = json.RawMessage(value)
		case `"method"`:
			e.method = json.RawMessage(value)
		case `"params"`:
			e.params = json.RawMessage(value)
		case `"result"`:
			e.result = json.RawMessage(value)
		case `"error"`:
			e.fault = json.RawMessage(value)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return envelope{}, nil, false
	}
	end := dec.InputOffset()
	e.raw = bytes.TrimLeft(data[:end:end], " \t\r\n")
	if string(version) != `"2.0"` || tooDeep(e.raw) || !e.hasShape() {
		return envelope{}, nil, false
	}
	return e, data[end:], true
}

// hasShape: a method that is a string, or an id with an answer.
func (e *envelope) hasShape() bool {
	if e.method != nil {
		return e.method[0] == '"'
	}
	return e.id != nil && (e.result != nil || e.fault != nil)
}

// tooDeep reports nesting beyond maxNesting in valid JSON.
func tooDeep(data []byte) bool {
	if len(data) <= 2*maxNesting {
		return false
	}
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '{', '[':
			if depth++; depth > maxNesting {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringEnd is the index of the quote that ends the string starting at i.
func stringEnd(data []byte, i int) int {
	for i++; ; i++ {
		next := bytes.IndexByte(data[i:], '"')
		if next < 0 {
			return len(data)
		}
		i += next
		backslashes := 0
		for data[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i
		}
	}
}

// name is the method, "" for an answer.
func (e *envelope) name() string {
	var name string
	if e.method == nil || json.Unmarshal(e.method, &name) != nil {
		return ""
	}
	return name
}

// isAnswer: a result or an error, to whatever request.
func (e *envelope) isAnswer() bool { return e.method == nil }

// isRequest: the peer waits for an answer. An id of null makes a notification.
func (e *envelope) isRequest() bool { return e.method != nil && e.id != nil && string(e.id) != "null" }

// number is an id or progress token as the integer it is, also when the peer
// turned it into a string or a float.
func number(raw json.RawMessage) (int64, bool) {
	text := strings.Trim(string(raw), `"`)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// answer is what the envelope answers: a result, or an *RPCError. A null error
// beside a result is a result.
func (e *envelope) answer() (json.RawMessage, error) {
	switch {
	case e.fault != nil && string(e.fault) != "null":
		return nil, parseRPCError(e.fault)
	case e.result != nil:
		return e.result, nil
	default:
		return nil, &RPCError{Code: jsonrpc.CodeInternalError, Message: "the server answered with neither a result nor an error"}
	}
}

// parseRPCError takes what there is: servers send strings for codes, objects
// for messages, or a bare string for the whole.
func parseRPCError(raw json.RawMessage) *RPCError {
	var members struct {
		Code, Message, Data json.RawMessage
	}
	if json.Unmarshal(raw, &members) != nil {
		return &RPCError{Code: jsonrpc.CodeInternalError, Message: plainText(raw)}
	}
	e := &RPCError{Code: jsonrpc.CodeInternalError, Message: plainText(members.Message), Data: members.Data}
	if n, ok := number(members.Code); ok {
		e.Code = int(n)
	}
	if e.Message == "" {
		e.Message = fmt.Sprintf("the server answered with error %d and no message", e.Code)
	}
	return e
}

// plainText is the string raw holds, or raw itself.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// message is the envelope as the SDK takes it. It is false for what the SDK
// would close the connection over: an answer to nobody, an id it cannot hold.
func (e *envelope) message() (jsonrpc.Message, bool) {
	if e.isAnswer() && string(e.id) == "null" {
		return nil, false
	}
	m, err := jsonrpc.DecodeMessage(e.raw)
	return m, err == nil
}

// repairUTF8 replaces what is not UTF-8 by U+FFFD and reports whether it had to.
func repairUTF8(data []byte) ([]byte, bool) {
	if utf8.Valid(data) {
		return data, false
	}
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), true
}
