package rpc

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// body is a value of the protocol: params or a result. Every wire type has the
// method, generated. It emits raw members byte for byte and escapes nothing
// that JSON does not demand, which encoding/json cannot be made to do.
type body interface {
	AppendJSON(dst []byte) []byte
	// size estimates how many bytes that will be, without doing it. What makes
	// a value large, its strings and raw members, is counted as it is.
	size() int
}

// appendName starts a member of an object.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// appendString quotes s; bytes that are not UTF-8 become U+FFFD.
func appendString[S ~string](dst []byte, s S) []byte {
	dst, _ = jsontext.AppendQuote(dst, string(s)) // the error says that U+FFFD was put in
	return dst
}

func appendBool(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }

func appendInt(dst []byte, v int) []byte { return strconv.AppendInt(dst, int64(v), 10) }

func appendFloat(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// appendRaw copies JSON as it is; a member that must be there and is not set is
// null.
func appendRaw(dst []byte, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// appendError encodes the member "error" of a response. Data that cannot be
// encoded is left out: the code and the message matter more.
func appendError(dst []byte, e *Error) []byte {
	dst = append(dst, '{')
	dst = appendInt(appendName(dst, "code"), e.Code)
	dst = appendString(appendName(dst, "message"), e.Message)
	if e.Data != nil {
		if data, err := json.Marshal(e.Data); err == nil {
			dst = append(appendName(dst, "data"), data...)
		}
	}
	return append(dst, '}')
}

// appendPointer encodes a wire type that must be there; nil is null.
func appendPointer[T any, P result[T]](dst []byte, p P) []byte {
	if p == nil {
		return append(dst, "null"...)
	}
	return p.AppendJSON(dst)
}

// appendStructs encodes a list; a nil one is empty.
func appendStructs[T any, P result[T]](dst []byte, list []T) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = P(&list[i]).AppendJSON(dst)
	}
	return append(dst, ']')
}

// appendList encodes a list of what each encodes; a nil one is empty.
func appendList[T any](dst []byte, list []T, each func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = each(dst, v)
	}
	return append(dst, ']')
}

// appendMap encodes an object, sorted by name.
func appendMap[V any](dst []byte, m map[string]V, each func([]byte, V) []byte) []byte {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, name), ':')
		dst = each(dst, m[name])
	}
	return append(dst, '}')
}

// punctuation is what a value has around it: quotes, a comma.
const punctuation = 3

func sizeString[S ~string](s S) int { return len(s) + punctuation }

func sizeRaw(raw json.RawMessage) int { return len(raw) + punctuation }

func sizeOptional(text *string) int {
	if text == nil {
		return 0
	}
	return sizeString(*text)
}

func sizePointer[T any, P result[T]](p P) int {
	if p == nil {
		return 0
	}
	return p.size()
}

func sizeStructs[T any, P result[T]](list []T) int {
	n := 0
	for i := range list {
		n += P(&list[i]).size()
	}
	return n
}

func sizeList[T any](list []T, each func(T) int) int {
	n := 0
	for _, v := range list {
		n += each(v)
	}
	return n
}

func sizeMap[V any](m map[string]V, each func(V) int) int {
	n := 0
	for name, v := range m {
		n += sizeString(name) + punctuation + each(v)
	}
	return n
}
