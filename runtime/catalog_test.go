package runtime

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

func defsOf(names ...string) []toolDef {
	var defs []toolDef
	for _, n := range names {
		defs = append(defs, toolDef{name: n, raw: json.RawMessage(fmt.Sprintf(`{"name":%q}`, n))})
	}
	return defs
}

func TestToolsAreSortedAndSayWhereTheyAreFrom(t *testing.T) {
	c := new(catalog).with([]toolSource{
		{server: "zed", provider: "claude", providerName: "Claude Code", state: rpc.ToolLive, defs: defsOf("b", "a")},
		{server: "any", state: rpc.ToolDeferred, defs: defsOf("c.d")},
	}, rpc.ToolNamesSingle)
	want := []rpc.Tool{
		{
			Name: "mcp_any_c_d", Label: "any/c.d", Server: "any", State: rpc.ToolDeferred, Path: "mcp:any",
			Definition: json.RawMessage(`{"name":"c.d"}`),
		},
		{
			Name: "mcp_zed_a", Label: "zed/a", Server: "zed", State: rpc.ToolLive, Path: "mcp:zed via Claude Code",
			Provider: "claude", ProviderName: "Claude Code", Definition: json.RawMessage(`{"name":"a"}`),
		},
		{
			Name: "mcp_zed_b", Label: "zed/b", Server: "zed", State: rpc.ToolLive, Path: "mcp:zed via Claude Code",
			Provider: "claude", ProviderName: "Claude Code", Definition: json.RawMessage(`{"name":"b"}`),
		},
	}
	if diff := cmp.Diff(want, c.tools); diff != "" {
		t.Error(diff)
	}
}

func TestRevisionGrowsExactlyWhenTheHashChanges(t *testing.T) {
	base := toolSource{server: "s", provider: "p", providerName: "P", state: rpc.ToolLive, defs: defsOf("a", "b")}
	change := func(f func(*toolSource)) toolSource {
		s := base
		s.defs = slices.Clone(base.defs)
		f(&s)
		return s
	}
	first := new(catalog).with([]toolSource{base}, rpc.ToolNamesSingle)
	if first.revision != 1 {
		t.Errorf("the first revision is %d", first.revision)
	}
	if empty := new(catalog).with(nil, rpc.ToolNamesSingle); empty.revision != 1 || empty.hash == "" || empty.tools == nil {
		t.Errorf("an empty set is %+v", empty)
	}
	for _, tc := range []struct {
		what  string
		next  []toolSource
		style rpc.ToolNames
		grows int
	}{
		{"nothing", []toolSource{base}, rpc.ToolNamesSingle, 0},
		{"equal definitions read again", []toolSource{change(func(*toolSource) {})}, rpc.ToolNamesSingle, 0},
		{"the order", []toolSource{change(func(s *toolSource) { slices.Reverse(s.defs) })}, rpc.ToolNamesSingle, 0},
		{"the state", []toolSource{change(func(s *toolSource) { s.state = rpc.ToolDeferred })}, rpc.ToolNamesSingle, 0},
		{"a server without tools", []toolSource{base, {server: "t"}}, rpc.ToolNamesSingle, 0},
		{"a definition", []toolSource{change(func(s *toolSource) { s.defs[0].raw = json.RawMessage(`{"name": "a"}`) })}, rpc.ToolNamesSingle, 1},
		{"the provider", []toolSource{change(func(s *toolSource) { s.provider = "q" })}, rpc.ToolNamesSingle, 1},
		{"the provider's name", []toolSource{change(func(s *toolSource) { s.providerName = "Q" })}, rpc.ToolNamesSingle, 1},
		{"one less", []toolSource{change(func(s *toolSource) { s.defs = s.defs[:1] })}, rpc.ToolNamesSingle, 1},
		{"the style", []toolSource{base}, rpc.ToolNamesDouble, 1},
		{"all gone", nil, rpc.ToolNamesSingle, 1},
	} {
		next := first.with(tc.next, tc.style)
		if next.revision != first.revision+tc.grows || (next.hash != first.hash) != (tc.grows == 1) {
			t.Errorf("%s: revision %d → %d, hash equal %v", tc.what, first.revision, next.revision, next.hash == first.hash)
		}
		if tc.what == "the state" && next.tools[0].State != rpc.ToolDeferred {
			t.Error("the state was not taken over")
		}
	}
}

func TestWithLeavesTheOldCatalogAsItWas(t *testing.T) {
	old := new(catalog).with([]toolSource{{server: "a b", state: rpc.ToolLive, defs: defsOf("c")}}, rpc.ToolNamesSingle)
	before, _ := json.Marshal(old.tools)
	old.with([]toolSource{
		{server: "a b", state: rpc.ToolDeferred, defs: old.parts[0].source.defs},
		{server: "a_b", state: rpc.ToolLive, defs: defsOf("c")},
	}, rpc.ToolNamesSingle)
	if after, _ := json.Marshal(old.tools); string(after) != string(before) || len(old.offered) != 1 {
		t.Errorf("%s became %s, offered %v", before, after, old.offered)
	}
}

func TestANameOnceOfferedIsNeverAnothersTool(t *testing.T) {
	first := new(catalog).with([]toolSource{{server: "a b", defs: defsOf("c")}}, rpc.ToolNamesSingle)
	second := first.with([]toolSource{{server: "a_b", defs: defsOf("c")}}, rpc.ToolNamesSingle)
	if got, _ := second.lookup("mcp_a_b_c"); got != (toolname.Target{Server: "a b", Tool: "c"}) {
		t.Errorf("the old name is %v now", got)
	}
	if got := second.tools[0].Name; got != "mcp_a_b_c_0c1d18f5" {
		t.Errorf("the new tool is %q", got)
	}
	if _, ok := second.raw(toolname.Target{Server: "a b", Tool: "c"}); ok {
		t.Error("a tool that is gone is still offered")
	}
}

func TestNamesResolveForTheWholeSession(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		all := randomSources(r)
		offered := map[string]toolname.Target{}
		c := new(catalog)
		for range 12 {
			var some []toolSource
			for _, s := range all {
				if r.IntN(3) > 0 {
					s.defs = s.defs[:r.IntN(len(s.defs)+1)]
					some = append(some, s)
				}
			}
			style := []rpc.ToolNames{rpc.ToolNamesSingle, rpc.ToolNamesDouble}[r.IntN(2)]
			c = c.with(some, style)
			for _, tool := range c.tools {
				name, id := tool.Name, toolname.Target{Server: tool.Server, Tool: tool.OwnName()}
				if owner, ok := offered[name]; ok && owner != id {
					t.Fatalf("%q was %q, is %q", name, owner, id)
				}
				offered[name] = id
			}
			for name, id := range offered {
				if got, ok := c.lookup(name); !ok || got != id {
					t.Fatalf("%q resolves to %q, was %q", name, got, id)
				}
			}
		}
	}
}

func bigSources(servers, tools int) []toolSource {
	var sources []toolSource
	for s := range servers {
		src := toolSource{server: fmt.Sprintf("server-%02d", s), provider: "claude", providerName: "Claude Code"}
		for i := range tools {
			name := fmt.Sprintf("tool_number_%03d", i)
			raw := fmt.Sprintf(`{"name":%q,"description":"Does the thing with number %d, and says how it went.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}}}}`, name, i)
			src.defs = append(src.defs, toolDef{name: name, raw: json.RawMessage(raw), description: "Does the thing."})
		}
		sources = append(sources, src)
	}
	return sources
}

// BenchmarkWith is one server's new list among 40 servers with 100 tools each.
func BenchmarkWith(b *testing.B) {
	sources := bigSources(40, 100)
	c := new(catalog).with(sources, rpc.ToolNamesSingle)
	b.ReportAllocs()
	for b.Loop() {
		sources[7].defs = slices.Clone(sources[7].defs)
		c.with(sources, rpc.ToolNamesSingle)
	}
}

// BenchmarkFirst is the first catalog of a session.
func BenchmarkFirst(b *testing.B) {
	sources := bigSources(40, 100)
	b.ReportAllocs()
	for b.Loop() {
		new(catalog).with(sources, rpc.ToolNamesSingle)
	}
}
