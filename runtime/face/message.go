package face

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusal is the answer to what is no message.
type refusal struct {
	id   json.RawMessage // nil if it has none
	code int64
	why  string
}

// messages are those of a line: one, or those of a batch (2025-03-26), which are
// answered one by one. What is not UTF-8 is repaired: the session takes nothing else,
// and what it cannot read it can answer to nobody.
func messages(text []byte) (all []jsonrpc.Message, refused []refusal) {
	text = bytes.TrimSpace(text)
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	if !jsontext.Value(text).IsValid(tolerant()) {
		return nil, []refusal{{nil, jsonrpc.CodeParseError, "the line is not JSON: a message is one object on one line"}}
	}
	elements := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &elements); err != nil || len(elements) == 0 {
			return nil, []refusal{{nil, jsonrpc.CodeInvalidRequest, "the batch is empty"}}
		}
	}
	for _, element := range elements {
		id, err := idOf(element)
		var m jsonrpc.Message
		if err == nil {
			m, err = jsonrpc.DecodeMessage(element)
		}
		if err != nil {
			refused = append(refused, refusal{id, jsonrpc.CodeInvalidRequest, err.Error()})
			continue
		}
		all = append(all, m)
	}
	return all, refused
}

// idOf is the id of a message, nil if it has none. The error says that it cannot be
// one: the SDK would make another of it.
func idOf(message json.RawMessage) (json.RawMessage, error) {
	if jsontext.Value(message).Kind() != '{' {
		return nil, errors.New("the message is not an object")
	}
	var id json.RawMessage
	for name, value := range members(message) {
		if name == "id" {
			id = message[value.begin:value.end]
		}
	}
	const most = 1 << 53 // beyond it, JavaScript and the SDK lose integers
	var number int64
	switch err := json.Unmarshal(id, &number); {
	case len(id) == 0 || string(id) == "null":
		return nil, nil
	case id[0] == '"':
		return id, nil
	case err != nil || number > most || number < -most:
		return nil, errors.New("the id is neither a string nor an integer up to 2^53")
	}
	return id, nil
}

// coded is an error with a code, as JSON-RPC wants it. What the SDK refuses without
// one came at the wrong time.
func coded(err error) error {
	var refused *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &refused) && refused.Code != 0:
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, io.EOF):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// rendered is a response as it is sent, with what its parcel holds.
func rendered(r *jsonrpc.Response, p *parcel) ([]byte, error) {
	if r.Error != nil || p == nil {
		return jsonrpc.EncodeMessage(r)
	}
	id, err := json.Marshal(r.ID.Raw())
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, len(p.head)+len(p.raw)+len(p.tail)+len(id)+48)
	text = append(text, `{"jsonrpc":"2.0","id":`...)
	text = append(text, id...)
	text = append(text, `,"result":`...)
	for _, part := range [][]byte{p.head, p.raw, p.tail} {
		text = append(text, part...)
	}
	return append(text, '}'), nil
}
