package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is one JSON-RPC message of the host. Its raw members are parts of the
// frame's body, byte for byte.
type message struct {
	id     json.RawMessage // nil if there is none
	method string          // "" for a response
	params json.RawMessage // nil if there are none, or null
	result json.RawMessage // of a response; nil if it has none
	fault  json.RawMessage // member "error" of a response; nil if it has none, or null
}

func (m *message) isResponse() bool { return m.method == "" }

// jsonOptions make reading as tolerant as JSON itself is: a name given twice is
// the sender's affair, and half of a surrogate pair is what JavaScript writes
// when it cuts a string. Bytes that are not UTF-8 are refused in parseMessage.
func jsonOptions() jsontext.Options {
	return jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// parseMessage checks a body in one pass. When it is not one JSON-RPC 2.0
// message, the error says why, and the message has the id to answer under, or
// none.
func parseMessage(body []byte) (*message, *Error) {
	body = bytes.TrimPrefix(body, []byte(bom))
	m := &message{}
	if !utf8.Valid(body) {
		return m, errParse("it is not UTF-8")
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsonOptions())
	if dec.PeekKind() != '{' {
		if err := onlyValue(dec); err != nil {
			return m, errParse(err.Error())
		}
		return m, errInvalidRequest("the message is not an object (batches are not supported)")
	}
	env, err := m.scan(dec, body)
	if err != nil {
		return &message{}, errParse(err.Error())
	}
	return m, m.check(env)
}

// onlyValue reads one value and makes sure that nothing follows.
func onlyValue(dec *jsontext.Decoder) error {
	if err := dec.SkipValue(); err != nil {
		return noEOF(err)
	}
	return atEnd(dec)
}

func atEnd(dec *jsontext.Decoder) error {
	_, err := dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return errors.New("something follows the value")
	}
	return err
}

// noEOF names an end of the body that came too early; a bare EOF means
// something else to callers of the stream.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// envelope is what is needed of a message to judge it, beside its members.
type envelope struct {
	version json.RawMessage
	method  json.RawMessage
	result  bool // there is a member result, perhaps null
}

func (m *message) scan(dec *jsontext.Decoder, body []byte) (envelope, error) {
	var env envelope
	if _, err := dec.ReadToken(); err != nil {
		return env, noEOF(err)
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return env, noEOF(err)
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return env, noEOF(err)
		}
		end := int(dec.InputOffset())
		raw := json.RawMessage(body[end-len(value) : end : end])
		switch name {
		case "jsonrpc":
			env.version = raw
		case "id":
			m.id = bytes.Clone(raw) // it waits with the answer: the body is not to wait with it
		case "method":
			env.method = raw
		case "params":
			m.params = unlessNull(raw)
		case "result":
			m.result, env.result = raw, true
		case "error":
			m.fault = unlessNull(raw)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return env, noEOF(err)
	}
	return env, atEnd(dec)
}

func unlessNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

func (m *message) check(env envelope) *Error {
	id := m.id
	if id != nil && id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		m.id = nil // not fit to be answered under
	}
	isRequest, isResponse := env.method != nil, env.result || m.fault != nil
	switch {
	case string(env.version) != `"2.0"`:
		return errInvalidRequest(`member jsonrpc is not "2.0"`)
	case isRequest == isResponse:
		return errInvalidRequest("the message is neither a request nor a response")
	case isResponse:
		return nil
	case id != nil && !validID(id):
		return errInvalidRequest("the id is neither a string nor an integer from 0 to 2^53-1")
	case env.method[0] != '"' || len(env.method) <= len(`""`):
		return errInvalidRequest("member method is not a string with a name in it")
	case m.params != nil && m.params[0] != '{' && m.params[0] != '[':
		return errInvalidRequest("member params is neither an object nor an array")
	}
	m.method = unquote(env.method)
	return nil
}

// validID reports whether a host may use id. Integers end where JavaScript and
// Lua lose them.
func validID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	_, err := strconv.ParseUint(string(id), 10, 53)
	return err == nil
}

// idKey makes ids comparable: a string may be written in more than one way.
func idKey(id json.RawMessage) string {
	if len(id) > 0 && id[0] == '"' {
		return `"` + unquote(id)
	}
	return string(id)
}

// unquote returns the text of a string that was checked to be one.
func unquote(raw json.RawMessage) string {
	text, _ := jsontext.AppendUnquote(nil, raw) // an error says that half a surrogate pair became U+FFFD
	return string(text)
}

// brief is the host's input as it is put into a log or an error: at most
// maxLogged bytes of it.
func brief[T ~string | ~[]byte](text T) string {
	if len(text) <= maxLogged {
		return string(text)
	}
	end := maxLogged
	for end > maxLogged-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", string(text[:end]), len(text))
}

// decode reads params, a result or an error, called what, into a Go value.
func decode(what string, raw json.RawMessage, into any) error {
	err := jsonv2.Unmarshal(raw, into, jsonOptions())
	var semantic *jsonv2.SemanticError
	if !errors.As(err, &semantic) {
		return err
	}
	e := &shapeError{member: memberPath(what, semantic.JSONPointer), got: kindWords(semantic.JSONKind)}
	if semantic.JSONKind == '0' && len(semantic.JSONValue) > 0 {
		e.got = string(semantic.JSONValue)
	}
	e.want = typeWords(semantic.GoType)
	return e
}

// shapeError is a member that does not have the type it must have.
type shapeError struct{ member, want, got string }

func (e *shapeError) Error() string { return e.member + ": " + e.reason() }

func (e *shapeError) reason() string { return "want " + e.want + ", got " + e.got }

// memberPath turns /settings/startup/gateMs into settings.startup.gateMs; the
// whole is called what.
func memberPath(what string, p jsontext.Pointer) string {
	if p == "" {
		return what
	}
	return strings.Join(slices.Collect(p.Tokens()), ".")
}

func kindWords(k jsontext.Kind) string {
	switch byte(k) {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}

// typeWords says how a Go type looks on the wire.
func typeWords(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch k := t.Kind(); {
	case k == reflect.Pointer:
		return typeWords(t.Elem())
	case k == reflect.String:
		return "a string"
	case k == reflect.Bool:
		return "a boolean"
	case k == reflect.Slice:
		return "an array"
	case k == reflect.Struct || k == reflect.Map:
		return "an object"
	case t.ConvertibleTo(reflect.TypeFor[int]()) && k != reflect.Float64:
		return "an integer"
	}
	return "a number"
}
