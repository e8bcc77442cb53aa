package runtime

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

func TestWords(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want string
	}{
		{"", ""},
		{"read_file", "read file"},
		{"readFile", "read file readfile"},
		{"HTTPServer", "http server httpserver"},
		{"getURL2", "get url2 geturl2"},
		{"GitHub's API", "git hub github s api"},
		{"kebab-case.name/x", "kebab case name x"},
		{"Äpfel und Öl", "äpfel und öl"},
		{"文件を読む", "文 件 を 読 む"},
		{"S3バケット", "s3 バ ケ ッ ト s3バケット"},
		{"🙂 \x00\xff", ""},
	} {
		if got := strings.Join(wordsOf(tc.in), " "); got != tc.want {
			t.Errorf("wordsOf(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for _, forms := range []string{
		"issue issues", "create creates created creating", "list lists listed listing", "query queries",
		"search searches searching", "get gets getting", "delete deletes deleting", "branch branches",
		"copy copies", "share sharing shares", "status", "address addresses", "update updated updating",
		"box boxes", "fill filling filled", "merge merged merging",
	} {
		words := strings.Fields(forms)
		for _, w := range words {
			if stemOf(w) != stemOf(words[0]) {
				t.Errorf("%s: %s, but %s: %s", w, stemOf(w), words[0], stemOf(words[0]))
			}
		}
	}
	for _, apart := range []string{"port post", "user use", "ring r", "red r", "bus bu"} {
		w := strings.Fields(apart)
		if stemOf(w[0]) == stemOf(w[1]) {
			t.Errorf("%s and %s are both %s", w[0], w[1], stemOf(w[0]))
		}
	}
}

func hitNames(hits []rpc.SearchHit) []string {
	var names []string
	for _, h := range hits {
		names = append(names, h.Name)
	}
	return names
}

func TestSearchFindsTheToolInTheTopThree(t *testing.T) {
	c := new(catalog).with(corpus(), rpc.ToolNamesSingle)
	for _, tc := range []struct{ query, want string }{
		{"open a new pull request", "mcp_github_create_pull_request"},
		{"list my pull requests on GitHub", "mcp_github_list_pull_request"},
		{"creating issues in github", "mcp_github_create_issue"},
		{"list all pipelines", "mcp_gitlab_list-pipeline"},
		{"delete a merge request", "mcp_gitlab_delete-merge-request"},
		{"search for jira tickets", "mcp_jira_searchTicket"},
		{"update the sprint", "mcp_jira_updateSprint"},
		{"remove a confluence page", "mcp_confluence_confluence_page_delete"},
		{"list channels in slack", "mcp_slack_list_channel"},
		{"get details of an s3 bucket", "mcp_aws_get-s3-bucket"},
		{"create lambda function", "mcp_aws_create-lambda-function"},
		{"create a refund for a customer in stripe", "mcp_stripe_create_refund"},
		{"export invoices to csv", "mcp_stripe_export_invoice"},
		{"find kubernetes pods", "mcp_kubernetes_kubernetes_pod_search"},
		{"delete redis key", "mcp_redis_delete_key"},
		{"share a spreadsheet with someone", "mcp_sheets_share_spreadsheet"},
		{"new screenshot of the browser", "mcp_browser_createScreenshot"},
		{"who is on call, get schedule", "mcp_pagerduty_get-on-call-schedule"},
		{"turn on vacation responder, create it", "mcp_gmail_create-vacation-responder"},
		{"search flights", "mcp_travel_travel_flight_search"},
		{"make a copy of a design frame", "mcp_figma_duplicate-design-frame"},
		{"notify me when an escalation policy changes", "mcp_pagerduty_subscribe-escalation-policy"},
		{"materialized views in postgres: list them", "mcp_postgres_postgres_materialized_view_list"},
		{"how many sudokus are there to list", "mcp_puzzle-tracker_list_sudoku"},
		{"createCheckout", "mcp_shopify_create-abandoned-checkout"},
		{"docker container logs get", "mcp_docker_get_container_log"},
	} {
		hits := hitNames(c.search(tc.query, 3))
		if _, ok := c.lookup(tc.want); !ok {
			t.Fatalf("no tool %q", tc.want)
		}
		if !slices.Contains(hits, tc.want) {
			all := hitNames(c.search(tc.query, 4000))
			t.Errorf("%q: %q; %s is at %d", tc.query, hits, tc.want, slices.Index(all, tc.want)+1)
		}
	}
}

// TestToolsAreFoundByWhatTheyDo asks for one in eleven of the 4000 tools, which
// is some of every server, thing and verb, in one of three wordings.
func TestToolsAreFoundByWhatTheyDo(t *testing.T) {
	sources := corpus()
	c := new(catalog).with(sources, rpc.ToolNamesSingle)
	r := rand.New(rand.NewPCG(5, 6))
	nth := 0
	for s, domain := range corpusDomains() {
		server := domain[0]
		for i, d := range sources[s].defs {
			nth++
			if nth%11 != 0 {
				continue
			}
			thing := strings.Split(domain[1], ",")[i/10]
			verb := corpusVerbs()[i%10][0]
			words := strings.Fields(verb + " " + thing + " " + server)
			r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			query := []string{
				fmt.Sprintf("%s the %ss in %s", verb, strings.TrimSuffix(thing, "s"), server),
				strings.Join(words, " "),
				fmt.Sprintf("I want to %s a %s, please, with my %s tools", verb, thing, server),
			}[nth%3]
			want, _ := c.raw(toolname.Target{Server: server, Tool: d.name})
			if hits := hitNames(c.search(query, 3)); !slices.Contains(hits, want.Name) {
				t.Errorf("%q finds %q, not %s", query, hits, want.Name)
			}
		}
	}
}

func TestAnExactNameComesFirst(t *testing.T) {
	c := new(catalog).with([]toolSource{
		{server: "a", defs: []toolDef{
			{name: "read", description: "read", raw: []byte(`1`)},
			{name: "read_all", description: "read read read read all all all", raw: []byte(`2`)},
			{name: "x", description: "read all of it, mcp a read, a/read", raw: []byte(`3`)},
		}},
		{server: "b", defs: []toolDef{{name: "readAll", description: "", raw: []byte(`4`)}}},
	}, rpc.ToolNamesSingle)
	for query, want := range map[string]string{
		"mcp_a_read": "mcp_a_read", "MCP_A_READ ": "mcp_a_read", "a/read": "mcp_a_read",
		"read": "mcp_a_read", "read_all": "mcp_a_read_all", "readall": "mcp_b_readAll", "b/readAll": "mcp_b_readAll",
	} {
		if hits := hitNames(c.search(query, 1)); len(hits) != 1 || hits[0] != want {
			t.Errorf("%q finds %q, want %q", query, hits, want)
		}
	}
}

func TestSearchKeepsItsLimits(t *testing.T) {
	c := new(catalog).with(corpus(), rpc.ToolNamesSingle)
	for _, tc := range []struct {
		query      string
		limit, got int
	}{
		{"create", 0, searchLimit},
		{"create", -1, searchLimit},
		{"create", 2, 2},
		{"create", 1 << 30, 400},
		{"", 5, 0},
		{"🙂", 5, 0},
		{"zzzqqqxxx", 5, 0},
		{strings.Repeat("create ", 1<<20), 3, 3},
	} {
		hits := c.search(tc.query, tc.limit)
		if hits == nil || len(hits) != tc.got {
			t.Errorf("%.20q, limit %d: %d hits", tc.query, tc.limit, len(hits))
		}
		if !slices.IsSortedFunc(hits, func(a, b rpc.SearchHit) int { return int(b.Score*1e6) - int(a.Score*1e6) }) {
			t.Errorf("%.20q: not sorted", tc.query)
		}
	}
	if hits := new(catalog).search("create", 3); hits == nil || len(hits) != 0 {
		t.Errorf("an empty catalog has hits %v", hits)
	}
}

func TestSearchKnowsWhatChanged(t *testing.T) {
	c := new(catalog).with([]toolSource{{server: "a", defs: defsOf("old")}}, rpc.ToolNamesSingle)
	c.search("old", 1)
	c = c.with([]toolSource{{server: "a", defs: defsOf("new")}}, rpc.ToolNamesSingle)
	if got := append(hitNames(c.search("new", 1)), hitNames(c.search("old", 1))...); !slices.Equal(got, []string{"mcp_a_new"}) {
		t.Errorf("found %q", got)
	}
}

func TestSuggestions(t *testing.T) {
	c := new(catalog).with([]toolSource{
		{server: "fs", defs: defsOf("read_file", "write_file", "list_directory")},
		{server: "github", defs: defsOf("create_issue", "list_issues", "create_pull_request")},
	}, rpc.ToolNamesSingle)
	for name, want := range map[string][]string{
		"mcp_fs_read_fil":            {"mcp_fs_read_file", "mcp_fs_write_file"},
		"mcp__fs__read_file":         {"mcp_fs_read_file", "mcp_fs_write_file"},
		"read_file":                  {"mcp_fs_read_file"},
		"Read_File":                  {"mcp_fs_read_file"},
		"fs/read_file":               {"mcp_fs_read_file"},
		"github.createIssue":         {"mcp_github_create_issue"},
		"mcp_gihtub_create_issue":    {"mcp_github_create_issue"},
		"mcp_weather_forecast":       {},
		"":                           {},
		"mcp_":                       {},
		"🙂":                          {},
		strings.Repeat("\xff", 1e6):  {},
		strings.Repeat("fs_", 1<<20): nil,
	} {
		got := nearest(name, toolNames(c))
		if got == nil || len(got) > suggestionLimit {
			t.Errorf("%.40q: %v", name, got)
		}
		if want != nil && (len(got) < len(want) || !slices.Equal(got[:len(want)], want) || len(want) == 0 && len(got) > 0) {
			t.Errorf("%.40q: %q, want %q first", name, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	c := new(catalog).with(corpus(), rpc.ToolNamesSingle)
	c.search("warm", 1)
	b.ReportAllocs()
	for b.Loop() {
		c.search("list my open pull requests on github", 15)
	}
}

func BenchmarkFirstSearch(b *testing.B) {
	sources := corpus()
	for b.Loop() {
		new(catalog).with(sources, rpc.ToolNamesSingle).search("list my open pull requests on github", 15)
	}
}

func toolNames(c *catalog) []string {
	names := make([]string, len(c.tools))
	for i, t := range c.tools {
		names[i] = t.Name
	}
	return names
}

func BenchmarkSuggest(b *testing.B) {
	names := toolNames(new(catalog).with(corpus(), rpc.ToolNamesSingle))
	for b.Loop() {
		nearest("mcp_github_create_pullrequest", names)
	}
}
