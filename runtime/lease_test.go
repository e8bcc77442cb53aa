package runtime

import (
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestWhyThereIsNoSuchTool(t *testing.T) {
	servers := []rpc.Server{
		{Name: "a b", Phase: rpc.PhaseFailed},
		{Name: "a_b", Phase: rpc.PhaseReady},
		{Name: "git", Phase: rpc.PhaseStarting},
		{Name: "git hub", Phase: rpc.PhaseUntrusted},
		{Name: "x", Phase: rpc.PhaseReady},
		{Name: "x y", Phase: rpc.PhaseBackoff},
	}
	for _, tc := range []struct {
		style      rpc.ToolNames
		name, want string
	}{
		{"", "mcp_git_commit", `server "git" is starting`},
		{"", "git/commit", `server "git" is starting`},
		{"", "mcp_git_hub_issue", `server "git hub" is untrusted`},
		{"", "git hub/issue", `server "git hub" is untrusted`},
		{"", "mcp_a_b_read", ""}, // of a_b, which has no such tool
		{"", "a b/read", `server "a b" is failed`},
		{"", "mcp_x_read", ""},
		{"", "mcp_x_y_read", `server "x y" is backoff`},
		{"", "mcp_git", ""},
		{"", "commit", ""},
		{"", "mcp__git__commit", ""},
		{rpc.ToolNamesDouble, "mcp__git__commit", `server "git" is starting`},
		{rpc.ToolNamesDouble, "mcp_git_commit", ""},
	} {
		v := &view{snap: &rpc.Snapshot{Servers: servers}, catalog: &catalog{style: tc.style}}
		if got := v.absence(tc.name); got != tc.want {
			t.Errorf("%s in the form %q: %q, want %q", tc.name, tc.style, got, tc.want)
		}
	}
}
