package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Saved are the values that a dialogue has captured, by name.
type Saved map[string]json.RawMessage

// Clone copies, for an attempt that may fail.
func (s Saved) Clone() Saved { return maps.Clone(s) }

// matcher is an object in a pattern that stands for more than itself. Exactly
// one of its members other than Example is given.
type matcher struct {
	Like   json.RawMessage   `json:"$like"`
	Save   string            `json:"$save"`
	Ref    string            `json:"$ref"`
	Not    json.RawMessage   `json:"$not"`
	Has    string            `json:"$has"`
	Some   []json.RawMessage `json:"$some"`
	Raw    *string           `json:"$raw"`
	Exact  json.RawMessage   `json:"$exact"`
	Absent bool              `json:"$absent"`
	// Example is a value that would do, for whoever plays the sidecar.
	Example json.RawMessage `json:"like"`
}

// asMatcher reads a pattern as a matcher. It is nil for a plain object.
func asMatcher(pattern json.RawMessage) (*matcher, error) {
	if !bytes.HasPrefix(pattern, []byte(`{`)) || !bytes.Contains(pattern, []byte(`"$`)) {
		return nil, nil //nolint:nilnil // no matcher and no mistake: the usual case
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(pattern, &members); err != nil {
		return nil, err
	}
	named := 0
	for name := range members {
		if strings.HasPrefix(name, "$") && !strings.HasPrefix(name, "$/") {
			named++
		}
	}
	if named == 0 {
		return nil, nil //nolint:nilnil // as above
	}
	if named > 1 {
		return nil, fmt.Errorf("two matchers in one object: %s", pattern)
	}
	var m matcher
	decoder := json.NewDecoder(bytes.NewReader(pattern))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("matcher %s: %w", pattern, err)
	}
	if (m.Save != "" || m.Not != nil) && m.Example == nil {
		return nil, fmt.Errorf("a matcher that has no example in \"like\": %s", pattern)
	}
	return &m, nil
}

// Match says why a message is not what the pattern asks for, and captures into
// saved. The error begins with the JSON pointer to the first difference.
func Match(pattern, got json.RawMessage, saved Saved) error {
	return match("", trim(pattern), trim(got), saved)
}

func trim(value json.RawMessage) json.RawMessage { return bytes.TrimSpace(value) }

func match(at string, pattern, got json.RawMessage, saved Saved) error {
	m, err := asMatcher(pattern)
	if err != nil {
		return err
	}
	if m != nil {
		return m.match(at, got, saved)
	}
	if kind(pattern) != kind(got) {
		return differs(at, pattern, got)
	}
	switch kind(pattern) {
	case '{':
		return matchObject(at, pattern, got, saved)
	case '[':
		return matchArray(at, pattern, got, saved)
	default:
		if !sameScalar(pattern, got) {
			return differs(at, pattern, got)
		}
		return nil
	}
}

func matchObject(at string, pattern, got json.RawMessage, saved Saved) error {
	var want, have map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(pattern, &want), json.Unmarshal(got, &have)); err != nil {
		return err
	}
	// In order, so that a message is told to be another one (by its id) before
	// its result is looked at.
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if err := match(at+"/"+name, trim(want[name]), have[name], saved); err != nil {
			return err
		}
	}
	return nil
}

func matchArray(at string, pattern, got json.RawMessage, saved Saved) error {
	var want, have []json.RawMessage
	if err := errors.Join(json.Unmarshal(pattern, &want), json.Unmarshal(got, &have)); err != nil {
		return err
	}
	if len(want) != len(have) {
		return fmt.Errorf("%s: want %d elements, got %d: %s", at, len(want), len(have), shortened(got))
	}
	for i := range want {
		if err := match(fmt.Sprintf("%s/%d", at, i), want[i], have[i], saved); err != nil {
			return err
		}
	}
	return nil
}

func (m *matcher) match(at string, got json.RawMessage, saved Saved) error {
	if m.Absent {
		if got != nil {
			return fmt.Errorf("%s: want nothing there, got %s", at, shortened(got))
		}
		return nil
	}
	if got == nil {
		return fmt.Errorf("%s: is missing", at)
	}
	switch {
	case m.Like != nil:
		return sameKind(at, m.Like, got)
	case m.Save != "":
		saved[m.Save] = bytes.Clone(got)
		return sameKind(at, m.Example, got)
	case m.Ref != "":
		return match(at, saved[m.Ref], got, saved)
	case m.Not != nil:
		if match(at, m.Not, got, saved.Clone()) == nil {
			return fmt.Errorf("%s: is %s, and must not be", at, shortened(got))
		}
		return nil
	case m.Has != "":
		var text string
		if json.Unmarshal(got, &text) != nil || !strings.Contains(text, m.Has) {
			return fmt.Errorf("%s: want a string with %q in it, got %s", at, m.Has, shortened(got))
		}
		return nil
	case m.Some != nil:
		return m.matchSome(at, got, saved)
	case m.Raw != nil:
		if *m.Raw != string(got) {
			return fmt.Errorf("%s: want these bytes:\n\t%s\ngot\n\t%s", at, *m.Raw, shortened(got))
		}
		return nil
	default:
		return exactly(at, trim(m.Exact), got)
	}
}

// matchSome finds each wanted element in the array, in that order.
func (m *matcher) matchSome(at string, got json.RawMessage, saved Saved) error {
	var have []json.RawMessage
	if json.Unmarshal(got, &have) != nil {
		return fmt.Errorf("%s: want an array, got %s", at, shortened(got))
	}
	next := 0
	for _, want := range m.Some {
		for ; ; next++ {
			if next == len(have) {
				return fmt.Errorf("%s: want an element (in order) like %s, got %s", at, want, shortened(got))
			}
			attempt := saved.Clone()
			if match(at, want, have[next], attempt) == nil {
				maps.Copy(saved, attempt)
				next++
				break
			}
		}
	}
	return nil
}

func sameKind(at string, example, got json.RawMessage) error {
	if kind(trim(example)) != kind(got) {
		return fmt.Errorf("%s: want something like %s, got %s", at, example, shortened(got))
	}
	return nil
}

// exactly compares whole values: no further members, but in any order.
func exactly(at string, want, got json.RawMessage) error {
	switch {
	case kind(want) == '{' && kind(got) == '{':
		return exactObject(at, want, got)
	case kind(want) == '[' && kind(got) == '[':
		return exactArray(at, want, got)
	}
	return match(at, want, got, Saved{})
}

func exactObject(at string, want, got json.RawMessage) error {
	var wanted, have map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(want, &wanted), json.Unmarshal(got, &have)); err != nil {
		return err
	}
	for name := range have {
		if _, ok := wanted[name]; !ok {
			return fmt.Errorf("%s/%s: want nothing there, got %s", at, name, shortened(have[name]))
		}
	}
	for name := range wanted {
		if err := exactly(at+"/"+name, wanted[name], have[name]); err != nil {
			return err
		}
	}
	return nil
}

func exactArray(at string, want, got json.RawMessage) error {
	var wanted, have []json.RawMessage
	if err := errors.Join(json.Unmarshal(want, &wanted), json.Unmarshal(got, &have)); err != nil {
		return err
	}
	if len(wanted) != len(have) {
		return differs(at, want, got)
	}
	for i := range wanted {
		if err := exactly(fmt.Sprintf("%s/%d", at, i), wanted[i], have[i]); err != nil {
			return err
		}
	}
	return nil
}

// kind is the first byte of a value, the same for all numbers and for true and
// false; 0 for a missing one.
func kind(value json.RawMessage) byte {
	if len(value) == 0 {
		return 0
	}
	switch c := value[0]; {
	case c == '-' || c >= '0' && c <= '9':
		return '0'
	case c == 't':
		return 'f'
	default:
		return c
	}
}

func sameScalar(want, got json.RawMessage) bool {
	if bytes.Equal(want, got) {
		return true
	}
	if kind(want) == '0' {
		a, okA := new(big.Rat).SetString(string(want))
		b, okB := new(big.Rat).SetString(string(got))
		return okA && okB && a.Cmp(b) == 0
	}
	var a, b any
	return json.Unmarshal(want, &a) == nil && json.Unmarshal(got, &b) == nil && a == b
}

func differs(at string, want, got json.RawMessage) error {
	if got == nil {
		return fmt.Errorf("%s: want %s, is missing", at, want)
	}
	return fmt.Errorf("%s: want %s, got %s", at, want, shortened(got))
}

func shortened(value json.RawMessage) string {
	const most = 2000
	if len(value) > most {
		return fmt.Sprintf("%s… (%d bytes)", value[:most], len(value))
	}
	return string(value)
}
