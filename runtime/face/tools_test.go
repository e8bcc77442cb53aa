package face

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

func namesOf(t *testing.T, s *toolSet) []string {
	t.Helper()
	var all []struct{ Name string }
	if err := json.Unmarshal(s.listed(), &all); err != nil {
		t.Fatalf("%s: %v", s.listed(), err)
	}
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

func TestToolsAreNamedAfterTheirServers(t *testing.T) {
	long := strings.Repeat("x", 40)
	for _, tt := range []struct{ labels, want []string }{
		{nil, []string{}},
		{[]string{"fs/read_file", "fs/a.b"}, []string{"fs_a_b", "fs_read_file"}},
		{[]string{"a_b/c", "a/b_c"}, []string{"a_b_c_0c1d18f5", "a_b_c_662f0bbb"}},
		{[]string{"s/" + long}, []string{"s_" + long[:29] + "_e863859d"}},
	} {
		all := tools(tt.labels...)
		for i := range all {
			all[i].Name = fmt.Sprint(i) // the session's names are none of the face's
		}
		c := newCatalog()
		c.replace(all)
		if names := namesOf(t, c.list()); !slices.Equal(names, tt.want) {
			t.Errorf("%q are named %q, want %q", tt.labels, names, tt.want)
		}
	}
}

func TestANameIsNeverAnotherTools(t *testing.T) {
	c := newCatalog()
	c.replace(tools("a_b/c"))
	c.change(&rpc.ToolsChanged{Updated: tools("a/b_c")}) // of the same name in the session
	if got := namesOf(t, c.list()); !slices.Equal(got, []string{"a_b_c"}) {
		t.Errorf("a name of which nobody was told is kept: %q", got)
	}
	c.change(&rpc.ToolsChanged{Updated: tools("a_b/c")})
	if got := namesOf(t, c.list()); !slices.Equal(got, []string{"a_b_c_0c1d18f5"}) {
		t.Errorf("then %q", got)
	}
	if got, ok := c.find("a_b_c"); !ok || got.Server != "a" {
		t.Errorf("the old name is %v", got)
	}
}

func TestNamesWithoutEndAreForgotten(t *testing.T) {
	c := newCatalog()
	c.replace(tools("a/x"))
	c.list()
	for i := range toldLimit - 1 {
		c.told[fmt.Sprint(i)] = toolname.Target{Server: "gone"}
	}
	c.list()
	if _, ok := c.find("7"); !ok {
		t.Error("a name is forgotten too soon")
	}
	c.replace(tools("a/x", "a/y"))
	c.list()
	if _, ok := c.find("7"); ok || len(c.told) != 2 {
		t.Errorf("%d names are remembered", len(c.told))
	}
}

func TestTheClientIsToldOnlyOfWhatItDoesNotKnow(t *testing.T) {
	c := newCatalog()
	if c.replace(tools("a/x")) || c.change(&rpc.ToolsChanged{Added: tools("a/y")}) {
		t.Error("a client that knows no list is told that it has changed")
	}
	told := c.list()
	if c.replace(tools("a/y", "a/x")) || c.current() != told {
		t.Error("the same tools are told as a change")
	}
	if !c.replace(tools("a/x")) || !c.change(&rpc.ToolsChanged{Added: tools("a/y")}) {
		t.Error("a change is not told")
	}
}

// Whatever comes and goes, every tool can be reached by the name it is listed under,
// and by no other's.
func TestEveryListedNameLeadsToItsTool(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	servers := []string{"a", "a_b", "a b", "読", strings.Repeat("s", 50)}
	rawNames := []string{"x", "b_x", "b.x", "書", "", strings.Repeat("t", 60), strings.Repeat("t", 61)}
	for range 200 {
		c := newCatalog()
		there := map[string]rpc.Tool{}
		led := map[string]string{}
		for range 30 {
			label := servers[r.IntN(len(servers))] + "/" + rawNames[r.IntN(len(rawNames))]
			server, _, _ := strings.Cut(label, "/")
			tool := rpc.Tool{Name: "mcp:" + label, Label: label, Server: server, Definition: json.RawMessage(`{"name":"raw"}`)}
			if _, ok := there[tool.Name]; ok {
				delete(there, tool.Name)
				c.change(&rpc.ToolsChanged{Removed: []string{tool.Name}})
			} else {
				there[tool.Name] = tool
				c.change(&rpc.ToolsChanged{Added: []rpc.Tool{tool}})
			}
			if r.IntN(3) == 0 {
				continue // nobody has asked
			}
			names := namesOf(t, c.list())
			if len(names) != len(there) || !slices.IsSorted(names) {
				t.Fatalf("%d names of %d tools: %q", len(names), len(there), names)
			}
			for _, name := range names {
				tool, _ := c.find(name)
				target := tool.Server + "/" + tool.Tool
				if before, ok := led[name]; len(name) > nameLimit || ok && before != target {
					t.Fatalf("%q leads to %q, once %q", name, target, before)
				}
				led[name] = target
			}
		}
		for name, target := range led { // also those that are gone
			if tool, ok := c.find(name); !ok || tool.Server+"/"+tool.Tool != target {
				t.Fatalf("%q led to %q, and now to %v", name, target, tool)
			}
		}
		if _, ok := c.find("unheard of"); ok {
			t.Fatal("there is a name of no tool")
		}
	}
}

func TestOnlyTheNameOfADefinitionIsReplaced(t *testing.T) {
	for _, tt := range []struct{ definition, want string }{
		{`{"name":"x"}`, `{"name":"N"}`},
		{`{ "a" : {"name":"x"} , "name" :"x" ,"b":[1.0]}`, `{ "a" : {"name":"x"} , "name" :"N" ,"b":[1.0]}`},
		{`{"name":"x","name":"y"}`, `{"name":"N","name":"N"}`},
		{`{"n\u0061me":"x"}`, `{"n\u0061me":"N"}`},
		{`{"description":"\ud800","name":"x"}`, `{"description":"\ud800","name":"N"}`},
	} {
		if got := string(renamed([]byte(tt.definition), "N")); got != tt.want {
			t.Errorf("%s became %s, want %s", tt.definition, got, tt.want)
		}
	}
}

func FuzzRenamedDefinitionsAreTheSameButForTheName(f *testing.F) {
	f.Add(`{"name":"x","inputSchema":{"type":"object"},"n":1.0}`)
	f.Add(`{"a":[{"name":"x"}],"name":null}`)
	f.Fuzz(func(t *testing.T, definition string) {
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(definition), &before) != nil || before["name"] == nil {
			return
		}
		if err := json.Unmarshal(renamed([]byte(definition), "N"), &after); err != nil {
			t.Fatalf("%q became %v", definition, err)
		}
		if string(after["name"]) != `"N"` {
			t.Fatalf("%q is named %s", definition, after["name"])
		}
		before["name"] = after["name"]
		if !maps.EqualFunc(before, after, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Fatalf("%q became %v", definition, after)
		}
	})
}

func FuzzCompletedResultsAreTheSameButForTheirType(f *testing.F) {
	f.Add(`{"content":[],"isError":false}`)
	f.Add(` { } `)
	f.Add(`{"resultType":"input_required"}`)
	f.Fuzz(func(t *testing.T, result string) {
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(result), &before) != nil || before == nil {
			return
		}
		if err := json.Unmarshal(complete([]byte(result)), &after); err != nil {
			t.Fatalf("%q became %v", result, err)
		}
		if before["resultType"] == nil {
			before["resultType"] = json.RawMessage(`"complete"`)
		}
		if !maps.EqualFunc(before, after, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Fatalf("%q became %v", result, after)
		}
	})
}
