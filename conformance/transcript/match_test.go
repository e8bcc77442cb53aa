package transcript

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct{ pattern, got, want string }{
		{`{"a":1}`, `{"a":1,"b":2}`, ""},
		{`{"a":1}`, `{"a":1.0}`, ""},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, "/a: want 9007199254740993"},
		{`{"a":"ü"}`, `{"a":"\u00fc"}`, ""},
		{`{"a":true}`, `{"a":false}`, "/a: want true"},
		{`{"a":null}`, `{}`, "/a: want null, is missing"},
		{`{"a":[1,2]}`, `{"a":[1,2,3]}`, "/a: want 2 elements, got 3"},
		{`{"a":[1,{"b":2}]}`, `{"a":[1,{"b":3}]}`, "/a/1/b: want 2"},
		{`{"a":{"$like":"x"}}`, `{"a":"other"}`, ""},
		{`{"a":{"$like":"x"}}`, `{"a":3}`, "/a: want something like"},
		{`{"a":{"$like":3}}`, `{"a":-7.5}`, ""},
		{`{"a":{"$like":3}}`, `{}`, "/a: is missing"},
		{`{"a":{"$absent":true}}`, `{}`, ""},
		{`{"a":{"$absent":true}}`, `{"a":null}`, "/a: want nothing there"},
		{`{"a":{"$has":"ell"}}`, `{"a":"hello"}`, ""},
		{`{"a":{"$has":"ell"}}`, `{"a":["ell"]}`, "/a: want a string"},
		{`{"a":{"$save":"x","like":1},"b":[{"$ref":"x"}]}`, `{"a":5,"b":[5]}`, ""},
		{`{"a":{"$not":1,"like":2}}`, `{"a":3}`, ""},
		{`{"a":{"$not":1,"like":2}}`, `{"a":1}`, "must not be"},
		{`{"a":{"$some":[1,3]}}`, `{"a":[1,2,3]}`, ""},
		{`{"a":{"$some":[3,1]}}`, `{"a":[1,2,3]}`, "want an element"},
		{`{"a":{"$exact":{"b":1}}}`, `{"a":{"b":1}}`, ""},
		{`{"a":{"$exact":{"b":[{}]}}}`, `{"a":{"b":[{"c":1}]}}`, "/a/b/0/c: want nothing"},
		{`{"a":{"$raw":"{\"z\": 1.0}"}}`, `{"a":{"z": 1.0}}`, ""},
		{`{"a":{"$raw":"{\"z\": 1.0}"}}`, `{"a":{"z":1.0}}`, "want these bytes"},
		{`{"method":"$/progress"}`, `{"method":"$/progress"}`, ""},
		{`{"a":{"$like":1,"$has":"x"}}`, `{"a":1}`, "two matchers"},
		{`{"a":{"$typo":1}}`, `{"a":1}`, "unknown field"},
		{`{"a":{"$save":"x"}}`, `{"a":1}`, "no example"},
	} {
		err := Match(json.RawMessage(c.pattern), json.RawMessage(c.got), Saved{})
		if got := text(err); (c.want == "") != (err == nil) || !strings.Contains(got, c.want) {
			t.Errorf("Match(%s, %s) = %q, want %q", c.pattern, c.got, got, c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAnExampleSatisfiesItsPattern(t *testing.T) {
	for _, pattern := range []string{
		`{"a":1,"b":[true,null,"x"]}`,
		`{"a":{"$save":"x","like":7},"b":{"$ref":"x"}}`,
		`{"a":{"$has":"mid","like":"amidst"},"b":{"$has":"x"},"c":{"$absent":true}}`,
		`{"a":{"$some":[{"b":{"$like":1}}]},"c":{"$raw":"{\"z\":1, \"a\":1.0}"},"d":{"$exact":{}}}`,
		`{"a":{"$not":"x","like":"y"}}`,
	} {
		example, err := Example(json.RawMessage(pattern), Saved{})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if err := Match(json.RawMessage(pattern), example, Saved{}); err != nil {
			t.Errorf("%s: its example %s: %v", pattern, example, err)
		}
	}
}
