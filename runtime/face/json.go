package face

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tolerant makes reading as tolerant as JSON itself is: a name given twice is the
// sender's affair, and half of a surrogate pair is what JavaScript writes when it cuts
// a string.
func tolerant() jsontext.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// span is where a value is in a text.
type span struct{ begin, end int }

// members are those of a text that is a JSON object, and where their values are. A text
// that is something else has none.
func members(object []byte) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		dec := jsontext.NewDecoder(bytes.NewBuffer(object), tolerant())
		if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
			return
		}
		for dec.PeekKind() == '"' {
			token, err := dec.ReadToken()
			if err != nil {
				return
			}
			name := token.String()
			value, err := dec.ReadValue()
			end := int(dec.InputOffset())
			if err != nil || !yield(name, span{end - len(value), end}) {
				return
			}
		}
	}
}
