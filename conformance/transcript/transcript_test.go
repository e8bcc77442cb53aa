package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReadsEveryKindOfLine(t *testing.T) {
	const file = `L99: something is so

Why: because.
-- project/a.json --
{}
-- dialogue --
# a comment
start ndjson K=v --flag
> {"id":1,
   "method":"$M"}
<{
  < {"id":1}
  < {"method":"x",
     "params":{}}
}
raw "a\xff\n"
count fs got tools/list <= 3
exit 0
`
	got, err := Parse([]byte(file), func(s string) string { return strings.ReplaceAll(s, "$M", "m") })
	if err != nil {
		t.Fatal(err)
	}
	want := []Step{
		{Line: 8, Verb: Start, Args: []string{"ndjson", "K=v", "--flag"}},
		{Line: 9, Verb: Say, Args: []string{`{"id":1, "method":"m"}`}},
		{Line: 11, Verb: Group, Group: []Step{
			{Line: 12, Verb: Expect, Args: []string{`{"id":1}`}},
			{Line: 13, Verb: Expect, Args: []string{`{"method":"x", "params":{}}`}},
		}},
		{Line: 16, Verb: Raw, Args: []string{"a\xff\n"}},
		{Line: 17, Verb: Count, Args: []string{"fs", "got", "tools/list", "<=", "3"}},
		{Line: 18, Verb: Exit, Args: []string{"0"}},
	}
	if diff := cmp.Diff(want, got.Steps); diff != "" {
		t.Error(diff)
	}
	if got.Title != "L99: something is so" || len(got.Files) != 1 || got.Files[0].Name != "project/a.json" {
		t.Errorf("title %q, files %v", got.Title, got.Files)
	}
}

func TestParseNamesTheLineOfAMistake(t *testing.T) {
	for dialogue, want := range map[string]string{
		"start\nfly away":               "line 4: unknown verb",
		"> {\"id\":}":                   "line 3: not a JSON object",
		"> [1]":                         "line 3: not a JSON object",
		"kill":                          "line 3: kill takes 1",
		"<{\n> {}\n}":                   "line 4: only expected messages",
		"<{\n  < {}":                    "line 3: the group is not closed",
		"raw no":                        "line 3: not a quoted string",
		"count fs got tools/list <= no": "line 3: count ends in a number",
	} {
		_, err := Parse([]byte("title\n-- dialogue --\n"+dialogue+"\n"), func(s string) string { return s })
		if !strings.Contains(text(err), want) {
			t.Errorf("%q: %v, want %q", dialogue, err, want)
		}
	}
}
