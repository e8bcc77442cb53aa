package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Example makes a message that the pattern asks for: what a test that plays the
// sidecar sends. It captures into saved as Match does.
func Example(pattern json.RawMessage, saved Saved) (json.RawMessage, error) {
	pattern = trim(pattern)
	m, err := asMatcher(pattern)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return m.example(saved)
	case kind(pattern) == '{':
		return exampleObject(pattern, saved)
	case kind(pattern) == '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(pattern, &elements); err != nil {
			return nil, err
		}
		return exampleArray(elements, saved)
	default:
		return pattern, nil
	}
}

// exampleObject joins by hand: encoding/json would change the bytes that $raw
// asks for.
func exampleObject(pattern json.RawMessage, saved Saved) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(pattern, &members); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value, err := Example(members[name], saved)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", name, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func exampleArray(elements []json.RawMessage, saved Saved) (json.RawMessage, error) {
	values := make([][]byte, len(elements))
	for i, element := range elements {
		value, err := Example(element, saved)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return slices.Concat([]byte("["), bytes.Join(values, []byte(",")), []byte("]")), nil
}

// example is nil for a member that must be absent.
func (m *matcher) example(saved Saved) (json.RawMessage, error) {
	switch {
	case m.Absent:
		return nil, nil
	case m.Save != "":
		saved[m.Save] = m.Example
		return m.Example, nil
	case m.Ref != "":
		if saved[m.Ref] == nil {
			return nil, fmt.Errorf("$ref to %q, which nothing has saved", m.Ref)
		}
		return saved[m.Ref], nil
	case m.Example != nil:
		return m.Example, nil
	case m.Like != nil:
		return m.Like, nil
	case m.Has != "":
		return json.Marshal(m.Has)
	case m.Some != nil:
		return exampleArray(m.Some, saved)
	case m.Raw != nil:
		return json.RawMessage(*m.Raw), nil
	default:
		return m.Exact, nil
	}
}
