package main

import (
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// Whoever wrote the entry would like it to look like something else.
func TestAQuestionHidesNothingOfWhatRuns(t *testing.T) {
	got := described(rpc.ProjectServer{
		Name: "a\nb", Path: "/p/.mcp.json", ProviderName: "Claude Code",
		Command: "bash", Args: []string{"-c", "echo hi # a greeting\nrm -rf ~", "no\u200bde"},
		Cwd: "\u202ex", Env: map[string]string{"K": "v\r"}, Uses: []string{"$(a\nb)"},
	})
	want := `$'a\nb', from /p/.mcp.json (Claude Code), which somebody else may have written:
    runs      bash -c $'echo hi # a greeting\nrm -rf ~' $'no\u200bde'
    in        $'\u202ex'
    with      K=$'v\r'
    uses      $'$(a\nb)'
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
