package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func hashOf(server, tool string, digits int) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return hex.EncodeToString(sum[:])[:digits]
}

func TestNamePartKeepsOnlySafeCharacters(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"read_file", "read_file"},
		{"Read-File2", "Read-File2"},
		{"a.b/c d", "a_b_c_d"},
		{"a__b", "a_b"},
		{"a . _ b", "a_b"},
		{"__a__", "a"},
		{"-a-", "-a-"},
		{"", "fallback"},
		{"...", "fallback"},
		{"読む", "fallback"},
		{"読む_file", "file"},
		{"file🙂name", "file_name"},
		{"\xff\xfea", "a"},
	} {
		if got := namePart(tc.in, "fallback"); got != tc.want {
			t.Errorf("namePart(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func namesOf(style rpc.ToolNames, targets ...target) []string {
	form := formOf(style)
	bases := make([]string, len(targets))
	for i, t := range targets {
		bases[i] = form.base(namePart(t.server, "server"), namePart(t.tool, "tool"))
	}
	return giveNames(targets, bases, nil)
}

func TestNamesFollowTheRules(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tc := range []struct {
		what    string
		style   rpc.ToolNames
		targets []target
		want    []string
	}{
		{"single", rpc.ToolNamesSingle, []target{{"fs", "read_file"}}, []string{"mcp_fs_read_file"}},
		{"the zero style is single", "", []target{{"fs", "read_file"}}, []string{"mcp_fs_read_file"}},
		{"double", rpc.ToolNamesDouble, []target{{"my fs", "read__file"}}, []string{"mcp__my_fs__read_file"}},
		{"nothing left", rpc.ToolNamesSingle, []target{{"🙂", "読"}}, []string{"mcp_server_tool"}},
		{
			"64 bytes fit", rpc.ToolNamesSingle,
			[]target{{"s", long[:58]}},
			[]string{"mcp_s_" + long[:58]},
		},
		{
			"65 are cut", rpc.ToolNamesSingle,
			[]target{{"s", long[:59]}},
			[]string{"mcp_s_" + long[:49] + "_" + hashOf("s", long[:59], 8)},
		},
		{
			"the cut is trimmed", rpc.ToolNamesSingle,
			[]target{{"s", long[:48] + "_" + long}},
			[]string{"mcp_s_" + long[:48] + "_" + hashOf("s", long[:48]+"_"+long, 8)},
		},
		{
			"a clash marks both", rpc.ToolNamesSingle,
			[]target{{"a_b", "c"}, {"a", "b_c"}, {"a", "d"}},
			[]string{"mcp_a_b_c_" + hashOf("a_b", "c", 8), "mcp_a_b_c_" + hashOf("a", "b_c", 8), "mcp_a_d"},
		},
		{
			"a name like another's marked one gives way too", rpc.ToolNamesSingle,
			[]target{{"a", "b.c"}, {"a", "b_c"}, {"a", "b_c_" + hashOf("a", "b.c", 8)}},
			[]string{
				"mcp_a_b_c_" + hashOf("a", "b.c", 16),
				"mcp_a_b_c_" + hashOf("a", "b_c", 8),
				"mcp_a_b_c_" + hashOf("a", "b.c", 8) + "_" + hashOf("a", "b_c_"+hashOf("a", "b.c", 8), 8),
			},
		},
	} {
		t.Run(tc.what, func(t *testing.T) {
			if got := namesOf(tc.style, tc.targets...); !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestToolsThatDifferBeyondTheCutStayApart(t *testing.T) {
	const server = "atlassian-confluence-cloud-production-instance-of-the-company"
	got := namesOf(rpc.ToolNamesSingle, target{server, "confluence_create_page"}, target{server, "confluence_delete_page"})
	if got[0] == got[1] || len(got[0]) > nameLimit || len(got[1]) > nameLimit {
		t.Errorf("names %q", got)
	}
}

// A server that knows the rule can choose names so that every form of one of
// them is another's. The names have to stay unique, and the search for them has
// to end.
func TestNamesChosenToClashStayUnique(t *testing.T) {
	targets := []target{{"a", "b.c"}, {"a", "b_c"}}
	for level := 1; level <= 12; level++ {
		targets = append(targets, target{"a", strings.TrimPrefix(nameAt("mcp_a_b_c", targets[0], level), "mcp_a_")})
	}
	names := namesOf(rpc.ToolNamesSingle, targets...)
	slices.Sort(names)
	if len(slices.Compact(names)) != len(targets) {
		t.Errorf("not unique: %q", names)
	}
}

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
				tool, ok := c.raw(target{s.server, d.name})
				back, known := c.lookup(tool.Name)
				if !ok || !known || back != (target{s.server, d.name}) {
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
