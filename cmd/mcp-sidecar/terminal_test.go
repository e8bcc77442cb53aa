package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

func TestListSaysByItsExitCodeWhetherSomethingIsWrong(t *testing.T) {
	for phase, want := range map[rpc.Phase]int{
		rpc.PhaseReady: exitOK, rpc.PhaseUntrusted: exitOK, rpc.PhaseDisabled: exitOK, rpc.PhaseStopped: exitOK,
		rpc.PhaseFailed: exitFailed, rpc.PhaseInvalid: exitFailed, rpc.PhaseNeedsAuth: exitFailed,
		rpc.PhaseNeedsInput: exitFailed, rpc.PhaseSuspended: exitFailed,
	} {
		snap := &rpc.Snapshot{Servers: []rpc.Server{{Name: "a", Phase: rpc.PhaseReady}, {Name: "b", Phase: phase}}}
		if got := listCode(snap); got != want {
			t.Errorf("%s: exit code %d, want %d", phase, got, want)
		}
	}
	for severity, want := range map[rpc.Severity]int{rpc.SeverityWarning: exitOK, rpc.SeverityError: exitFailed} {
		if got := listCode(&rpc.Snapshot{Errors: []rpc.Diagnostic{{Path: "f", Severity: severity}}}); got != want {
			t.Errorf("%s: exit code %d, want %d", severity, got, want)
		}
	}
}

func TestTheLineOnTheScreenIsReplacedAndTakenAway(t *testing.T) {
	var out bytes.Buffer
	h := &screenHost{out: &out, screen: true}
	h.Publish(rpc.Update{}) // has no view
	h.Publish(rpc.Update{View: &rpc.Snapshot{Servers: []rpc.Server{{Name: "a\x1b", Status: rpc.StatusConnecting}}}})
	h.clear()
	h.Publish(rpc.Update{View: &rpc.Snapshot{Servers: []rpc.Server{{Name: "b", Status: rpc.StatusConnecting}}}})
	if got, want := out.String(), "\r0/1  waiting for a \r                   \r"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARefusedCallIsExplainedByItsServer(t *testing.T) {
	denied := []rpc.ProjectServer{{Name: "never"}}
	snap := &rpc.Snapshot{Servers: []rpc.Server{
		{Name: "mine", Phase: rpc.PhaseReady, Source: rpc.Source{Aliases: []rpc.Alias{{Name: "theirs"}}}},
		{Name: "off", Phase: rpc.PhaseDisabled, Source: rpc.Source{ProviderName: "Host"}},
		{Name: "new", Phase: rpc.PhaseUntrusted},
		{Name: "--help", Phase: rpc.PhaseUntrusted},
		{Name: "odd", Phase: rpc.PhaseInvalid, Error: &rpc.ServerError{Message: "what is wrong"}},
	}}
	for name, want := range map[string]string{
		"never":  "you have denied it; mcp-sidecar trust revoke never",
		"theirs": `the same server as "mine"`, "off": "disabled, in Host", "new": "mcp-sidecar trust allow new", "odd": "what is wrong",
		"--help": "mcp-sidecar trust allow -- --help", "mine": "", "nobody": "",
	} {
		if got := hintOn(name, snap, denied); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTheTableShowsADiagnosticOnceAndWhereItIs(t *testing.T) {
	snap := &rpc.Snapshot{
		Servers: []rpc.Server{{
			Name: "odd", Phase: rpc.PhaseInvalid, Error: &rpc.ServerError{Message: "both"},
			Source: rpc.Source{Path: "/f", ProviderName: "P", Level: rpc.LevelUser, Aliases: []rpc.Alias{{Name: "other", Path: "/g"}}},
		}},
		Errors: []rpc.Diagnostic{
			{Path: "/f", Server: "odd", Error: "both", Severity: rpc.SeverityError, Line: 4, Column: 13},
			{Path: "mcp:odd", Server: "odd", Error: "not set", Severity: rpc.SeverityWarning},
			{Path: "/h", Server: "lost", Error: "of another", Severity: rpc.SeverityError, Line: 1, Column: 2},
			{Path: "/i", Error: "a whole file", Severity: rpc.SeverityError},
		},
	}
	const want = `odd  invalid
    from /f (P, user)
    also other in /g
    both
    at /f:4:13
    warning: not set

error: /h:1:2: of another
error: /i: a whole file
`
	var out strings.Builder
	if printTable(&out, snap); out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

func TestNothingThatAFileSaysMovesTheCursor(t *testing.T) {
	const evil = "a\x1b[31m\r\n\u202eb\u009b"
	snap := &rpc.Snapshot{
		Servers: []rpc.Server{{
			Name: evil, Phase: rpc.PhaseFailed,
			Error:  &rpc.ServerError{Message: evil, Hint: evil, Stderr: []string{evil}},
			Source: rpc.Source{Path: evil, ProviderName: "P", Aliases: []rpc.Alias{{Name: evil, Path: evil}}},
		}},
		Tools:  []rpc.Tool{{Server: evil, Label: evil + "/" + evil, Definition: []byte(`{"description":"\u001b[2J"}`)}},
		Errors: []rpc.Diagnostic{{Path: evil, Server: evil, Error: "x" + evil}, {Path: evil, Error: evil}},
	}
	var out strings.Builder
	printTable(&out, snap)
	if text := strings.ReplaceAll(out.String(), "\n", ""); plain(text) != text || strings.Count(out.String(), "\n") != 10 {
		t.Errorf("got %q", out.String())
	}
}

func TestAdviceNamesAFileThatNeedsNoTrust(t *testing.T) {
	unset := func(string) (string, bool) { return "", false }
	xdg := func(key string) (string, bool) { return "/xdg", key == "XDG_CONFIG_HOME" }
	for file, want := range map[string]string{
		config.UserFile("/home/me", unset): " /home/me/.config/mcp-sidecar/mcp.json:",
		config.UserFile("/home/me", xdg):   " /xdg/mcp-sidecar/mcp.json:",
		config.UserFile("", unset):         " .mcp.json:",
	} {
		var out strings.Builder
		if printAdvice(&out, file); !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", file, out.String())
		}
	}
}

func TestSuggestionsAreWordsThatCallTakes(t *testing.T) {
	tools := []rpc.Tool{
		{Name: "mcp_a_get", Label: "a/get", Server: "a"}, {Name: "mcp_a_get_sum", Label: "a/get-sum", Server: "a"},
	}
	err := inWords(rpc.ErrUnknownTool("a/getsum", "", []string{"mcp_a_get_sum", "mcp_a_get"}), tools)
	if want := `unknown tool "a/getsum"; did you mean "a get-sum", "a get"?`; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
