package runtime

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func rawTools(defs ...string) []json.RawMessage {
	var raw []json.RawMessage
	for _, d := range defs {
		raw = append(raw, json.RawMessage(d))
	}
	return raw
}

func TestDefinitionsAreKeptAsSent(t *testing.T) {
	in := rawTools(
		"{ \"name\" : \"a\",\n \"big\": 12345678901234567890, \"x\": 1.0 , \"inputSchema\":{\"type\":\"object\"}}",
		`{"inputSchema":{},"name":"b\u002fc","unknown":[null]}`,
	)
	defs, issues := parseTools(in)
	if len(defs) != 2 || len(issues) != 0 {
		t.Fatalf("%d kept, issues %q", len(defs), issues)
	}
	for i, d := range defs {
		if string(d.raw) != string(in[i]) {
			t.Errorf("%s became %s", in[i], d.raw)
		}
	}
	if defs[1].name != "b/c" {
		t.Errorf("name %q", defs[1].name)
	}
}

func TestOddDefinitionsCostNoOtherTool(t *testing.T) {
	const fine = `{"name":"fine","inputSchema":{"type":"object"}}`
	for _, tc := range []struct {
		what, def string
		kept      bool
		issue     string
	}{
		{"no schema", `{"name":"t"}`, true, `tool "t": inputSchema is missing`},
		{"null schema", `{"name":"t","inputSchema":null}`, true, `tool "t": inputSchema is null, not an object`},
		{"boolean schema", `{"name":"t","inputSchema":true}`, true, `tool "t": inputSchema is a boolean, not an object`},
		{"array schema", `{"name":"t","inputSchema":[]}`, true, `tool "t": inputSchema is an array, not an object`},
		{"string schema", `{"name":"t","inputSchema":"x"}`, true, `tool "t": inputSchema is a string, not an object`},
		{"number schema", `{"name":"t","inputSchema":1}`, true, `tool "t": inputSchema is a number, not an object`},
		{"null output schema", `{"name":"t","inputSchema":{},"outputSchema":null}`, true, `tool "t": outputSchema is null, not an object`},
		{"array without items", `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"array"}}}}`, true, ""},
		{"recursive schema", `{"name":"t","inputSchema":{"type":"object","$ref":"#"}}`, true, ""},
		{"huge schema", `{"name":"t","inputSchema":{"x":"` + strings.Repeat("y", 2<<20) + `"}}`, true, ""},
		{"nulls everywhere", `{"name":"t","title":null,"description":null,"annotations":null,"inputSchema":{}}`, true, ""},
		{"odd types everywhere", `{"name":"t","title":1,"description":[],"annotations":"x","inputSchema":{}}`, true, ""},
		{"twice the same member", `{"name":"x","name":"t","inputSchema":{}}`, true, ""},
		{"no name", `{"inputSchema":{}}`, false, "tool definition 2 is left out: it has no usable name"},
		{"empty name", `{"name":"","inputSchema":{}}`, false, "tool definition 2 is left out: it has no usable name"},
		{"name is a number", `{"name":1,"inputSchema":{}}`, false, "tool definition 2 is left out: it has no usable name"},
		{"Name is not name", `{"Name":"t"}`, false, "tool definition 2 is left out: it has no usable name"},
		{"null", `null`, false, "tool definition 2 is left out: it is not an object"},
		{"string", `"t"`, false, "tool definition 2 is left out: it is not an object"},
		{"nothing", ``, false, "tool definition 2 is left out: it is not an object"},
		{"cut off", `{"name":"t","inputSchema":{`, false, "tool definition 2 is left out: it cannot be read: "},
		{"two values", `{"name":"t"}{}`, false, "tool definition 2 is left out: it cannot be read: something follows the object"},
		{"the same name again", `{"name":"fine","other":true}`, false, `tool "fine" is listed more than once: the first definition is kept`},
	} {
		t.Run(tc.what, func(t *testing.T) {
			defs, issues := parseTools(rawTools(fine, tc.def, `{"name":"last","inputSchema":{}}`))
			want := []string{"fine", "last"}
			if tc.kept {
				want = []string{"fine", "t", "last"}
			}
			var got []string
			for _, d := range defs {
				got = append(got, d.name)
			}
			if !slices.Equal(got, want) || string(defs[0].raw) != fine {
				t.Errorf("kept %q, want %q", got, want)
			}
			if tc.issue == "" && len(issues) > 0 || tc.issue != "" && (len(issues) != 1 || !strings.HasPrefix(issues[0], tc.issue)) {
				t.Errorf("issues %q, want %q", issues, tc.issue)
			}
		})
	}
}

func TestWhatIsReadOfADefinition(t *testing.T) {
	for _, tc := range []struct {
		members            string
		title, description string
		repeatable         bool
	}{
		{`"description":"D"`, "", "D", false},
		{`"title":"T","annotations":{"title":"A"}`, "T", "", false},
		{`"annotations":{"title":"A"}`, "A", "", false},
		{`"title":"","annotations":{"title":"A"}`, "A", "", false},
		{`"annotations":{"readOnlyHint":true}`, "", "", true},
		{`"annotations":{"idempotentHint":true,"readOnlyHint":false}`, "", "", true},
		{`"annotations":{"readOnlyHint":"true","destructiveHint":true}`, "", "", false},
	} {
		defs, _ := parseTools(rawTools(fmt.Sprintf(`{"name":"t",%s,"inputSchema":{}}`, tc.members)))
		if d := defs[0]; d.title != tc.title || d.description != tc.description || d.repeatable != tc.repeatable {
			t.Errorf("%s: %+v", tc.members, d)
		}
	}
}

func TestFilters(t *testing.T) {
	defs := defsOf("read", "write", "delete")
	off := func(tool string) bool { return tool == "delete" }
	for _, tc := range []struct {
		what             string
		include, exclude []string
		off              func(string) bool
		want             []string
	}{
		{"none", nil, nil, nil, []string{"read", "write", "delete"}},
		{"include", []string{"r*", "w*"}, nil, nil, []string{"read", "write"}},
		{"an empty list includes nothing", []string{}, nil, nil, nil},
		{"exclude wins", []string{"*"}, []string{"w*"}, nil, []string{"read", "delete"}},
		{"switched off", nil, nil, off, []string{"read", "write"}},
		{"all three", []string{"*e"}, []string{"w*"}, off, nil},
	} {
		var got []string
		for _, d := range filterTools(defs, tc.include, tc.exclude, tc.off) {
			got = append(got, d.name)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.what, got, tc.want)
		}
	}
	if same := filterTools(defs, []string{"*"}, nil, off); &same[0] == &defs[0] || len(defs) != 3 || defs[2].name != "delete" {
		t.Error("the list it was given was changed")
	}
	if same := filterTools(defs, []string{"*"}, []string{"x"}, nil); &same[0] != &defs[0] {
		t.Error("nothing was filtered, yet the slice is another")
	}
}

func BenchmarkParseTools(b *testing.B) {
	var raw []json.RawMessage
	size := 0
	for _, d := range bigSources(1, 100)[0].defs {
		raw = append(raw, d.raw)
		size += len(d.raw)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		parseTools(raw)
	}
}
