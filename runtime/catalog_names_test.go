package runtime

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

// randomName is what a server may be called, or call a tool: mostly plain and
// short, so that names clash.
func randomName(r *rand.Rand) string {
	alphabets := []string{"ab_", "a.b", "読書", "🙂a", "A-9", "\x00\xff a"}
	alphabet := []rune(alphabets[r.IntN(len(alphabets))])
	n := r.IntN(4)
	if r.IntN(10) == 0 {
		n = 40 + r.IntN(460)
	}
	var b strings.Builder
	for range n {
		b.WriteRune(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func randomSources(r *rand.Rand) []toolSource {
	var sources []toolSource
	servers := map[string]bool{}
	for range 1 + r.IntN(6) {
		s := toolSource{server: randomName(r), provider: "p", state: rpc.ToolLive}
		if servers[s.server] {
			continue
		}
		servers[s.server] = true
		tools := map[string]bool{}
		for range r.IntN(8) {
			name := randomName(r)
			if !tools[name] {
				tools[name] = true
				s.defs = append(s.defs, toolDef{name: name, raw: []byte(`{}`)})
			}
		}
		sources = append(sources, s)
	}
	return sources
}

var exposed = regexp.MustCompile(`^mcp_[A-Za-z0-9_-]+$`)

func TestNamesAreUniqueShortStableAndReversible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sources := randomSources(r)
		style := []rpc.ToolNames{rpc.ToolNamesSingle, rpc.ToolNamesDouble}[r.IntN(2)]
		c := new(catalog).with(sources, style)
		seen := map[string]bool{}
		for _, tool := range c.tools {
			if seen[tool.Name] || len(tool.Name) > nameLimit || !exposed.MatchString(tool.Name) {
				t.Fatalf("bad name %q among %d", tool.Name, len(c.tools))
			}
			seen[tool.Name] = true
		}
		count := 0
		for _, s := range sources {
			for _, d := range s.defs {
				count++
				tool, ok := c.raw(toolname.Target{Server: s.server, Tool: d.name})
				back, known := c.lookup(tool.Name)
				if !ok || !known || back != (toolname.Target{Server: s.server, Tool: d.name}) {
					t.Fatalf("%q/%q is named %q, which is %q", s.server, d.name, tool.Name, back)
				}
			}
		}
		if count != len(c.tools) {
			t.Fatalf("%d tools of %d", len(c.tools), count)
		}
		// Any order of servers and tools, all at once or one after the other.
		r.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
		step := new(catalog)
		for i := range sources {
			sources[i].defs = slices.Clone(sources[i].defs)
			defs := sources[i].defs
			r.Shuffle(len(defs), func(i, j int) { defs[i], defs[j] = defs[j], defs[i] })
			step = step.with(sources[:i+1], style)
		}
		if step.hash != c.hash {
			t.Fatalf("the order shows")
		}
	}
}
