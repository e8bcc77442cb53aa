package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// The forms that there are: the two of the wire, and the one of the MCP face.
func single() Form { return Form{Prefix: "mcp_", Separator: "_", Limit: 64} }
func double() Form { return Form{Prefix: "mcp__", Separator: "__", Limit: 64} }
func bare() Form   { return Form{Separator: "_", Limit: 40, ServerLeft: 8} }

func hashOf(server, tool string, digits int) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return hex.EncodeToString(sum[:])[:digits]
}

func TestPartsKeepOnlySafeCharacters(t *testing.T) {
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
		if got := part(tc.in, "fallback"); got != tc.want {
			t.Errorf("part(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func namesOf(form Form, targets ...Target) []string {
	tools := make([]Tool, len(targets))
	for i, t := range targets {
		tools[i] = NewTool(t)
	}
	return form.Names(tools, nil)
}

func TestNamesFollowTheRules(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tc := range []struct {
		what    string
		form    Form
		targets []Target
		want    []string
	}{
		{"single", single(), []Target{{"fs", "read_file"}}, []string{"mcp_fs_read_file"}},
		{"bare", bare(), []Target{{"fs", "read_file"}}, []string{"fs_read_file"}},
		{"40 bytes fit", bare(), []Target{{"s", long[:38]}}, []string{"s_" + long[:38]}},
		{
			"the server's part gives way first", bare(),
			[]Target{{long[:31], "read_file"}, {long[:30], long[:24]}, {long[:5] + "_" + long, "read_the_whole_file_now"}},
			[]string{
				long[:21] + "_read_file_" + hashOf(long[:31], "read_file", 8),
				long[:8] + "_" + long[:22] + "_" + hashOf(long[:30], long[:24], 8),
				long[:5] + "_" + long[:2] + "_read_the_whole_file_no_" + hashOf(long[:5]+"_"+long, "read_the_whole_file_now", 8),
			},
		},
		{"41 are cut", bare(), []Target{{"s", long[:39]}}, []string{"s_" + long[:29] + "_" + hashOf("s", long[:39], 8)}},
		{"double", double(), []Target{{"my fs", "read__file"}}, []string{"mcp__my_fs__read_file"}},
		{"nothing left", single(), []Target{{"🙂", "読"}}, []string{"mcp_server_tool"}},
		{
			"64 bytes fit", single(),
			[]Target{{"s", long[:58]}},
			[]string{"mcp_s_" + long[:58]},
		},
		{
			"65 are cut", single(),
			[]Target{{"s", long[:59]}},
			[]string{"mcp_s_" + long[:49] + "_" + hashOf("s", long[:59], 8)},
		},
		{
			"the cut is trimmed", single(),
			[]Target{{"s", long[:48] + "_" + long}},
			[]string{"mcp_s_" + long[:48] + "_" + hashOf("s", long[:48]+"_"+long, 8)},
		},
		{
			"a clash marks both", single(),
			[]Target{{"a_b", "c"}, {"a", "b_c"}, {"a", "d"}},
			[]string{"mcp_a_b_c_" + hashOf("a_b", "c", 8), "mcp_a_b_c_" + hashOf("a", "b_c", 8), "mcp_a_d"},
		},
		{
			"a name like another's marked one gives way too", single(),
			[]Target{{"a", "b.c"}, {"a", "b_c"}, {"a", "b_c_" + hashOf("a", "b.c", 8)}},
			[]string{
				"mcp_a_b_c_" + hashOf("a", "b.c", 16),
				"mcp_a_b_c_" + hashOf("a", "b_c", 8),
				"mcp_a_b_c_" + hashOf("a", "b.c", 8) + "_" + hashOf("a", "b_c_"+hashOf("a", "b.c", 8), 8),
			},
		},
	} {
		t.Run(tc.what, func(t *testing.T) {
			if got := namesOf(tc.form, tc.targets...); !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestToolsThatDifferBeyondTheCutStayApart(t *testing.T) {
	const server = "atlassian-confluence-cloud-production-instance-of-the-company"
	got := namesOf(single(), Target{server, "confluence_create_page"}, Target{server, "confluence_delete_page"})
	if got[0] == got[1] || len(got[0]) > single().Limit || len(got[1]) > single().Limit {
		t.Errorf("names %q", got)
	}
}

// A server that knows the rule can choose names so that every form of one of
// them is another's. The names have to stay unique, and the search for them has
// to end.
func TestNamesChosenToClashStayUnique(t *testing.T) {
	targets := []Target{{"a", "b.c"}, {"a", "b_c"}}
	for level := 1; level <= 12; level++ {
		targets = append(targets, Target{"a", strings.TrimPrefix(single().at(NewTool(targets[0]), level), "mcp_a_")})
	}
	names := namesOf(single(), targets...)
	slices.Sort(names)
	if len(slices.Compact(names)) != len(targets) {
		t.Errorf("not unique: %q", names)
	}
}
