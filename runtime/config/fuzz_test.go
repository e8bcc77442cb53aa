package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func FuzzSidecarProject(f *testing.F)    { fuzzReader(f, "sidecar-project") }
func FuzzSidecarUser(f *testing.F)       { fuzzReader(f, "sidecar-user") }
func FuzzClaudeLocal(f *testing.F)       { fuzzReader(f, "claude-local") }
func FuzzClaudeProject(f *testing.F)     { fuzzReader(f, "claude-project") }
func FuzzClaudeUser(f *testing.F)        { fuzzReader(f, "claude-user") }
func FuzzVSCode(f *testing.F)            { fuzzReader(f, "vscode-project") }
func FuzzVSCodeWorkspace(f *testing.F)   { fuzzReader(f, "vscode-workspace") }
func FuzzVSCodeSettings(f *testing.F)    { fuzzReader(f, "vscode-settings") }
func FuzzCopilot(f *testing.F)           { fuzzReader(f, "copilot") }
func FuzzCrush(f *testing.F)             { fuzzReader(f, "crush-project") }
func FuzzMCPJSON(f *testing.F)           { fuzzReader(f, "mcp-json") }
func FuzzCursor(f *testing.F)            { fuzzReader(f, "cursor-user") }
func FuzzWindsurf(f *testing.F)          { fuzzReader(f, "windsurf") }
func FuzzZed(f *testing.F)               { fuzzReader(f, "zed-user") }
func FuzzClaudeDesktop(f *testing.F)     { fuzzReader(f, "claude-desktop") }
func FuzzCodex(f *testing.F)             { fuzzReader(f, "codex-user") }
func FuzzCodexProject(f *testing.F)      { fuzzReader(f, "codex-project") }
func FuzzGemini(f *testing.F)            { fuzzReader(f, "gemini-project") }
func FuzzOpenCode(f *testing.F)          { fuzzReader(f, "opencode-project") }
func FuzzOpenCodeDirectory(f *testing.F) { fuzzReader(f, "opencode-directory") }
func FuzzMCPHub(f *testing.F)            { fuzzReader(f, "mcphub-user") }
func FuzzGoose(f *testing.F)             { fuzzReader(f, "goose") }

// fuzzReader gives one reader any file at all.
func fuzzReader(f *testing.F, name string) {
	reader, m := readerNamed(name), newMachine(f)
	m.opts.Servers = map[string]json.RawMessage{"witness": json.RawMessage(`{"command": "witness-server"}`)}
	for _, in := range reader.language().odd(reader.wrapped(m)) {
		f.Add([]byte(in.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m.write(t, reader.file, data)
		r := m.discover(t)
		checkResult(t, r)
		if e := named(r, "witness"); e == nil || e.Command != "witness-server" || e.Invalid != "" {
			t.Errorf("the other file's server is %+v", e)
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, d := range r.Diagnostics {
			if d.Line > lines {
				t.Errorf("line %d of %d", d.Line, lines)
			}
		}
		for i := range r.Entries {
			e := &r.Entries[i]
			x := expander()
			x.Run = nil
			out, err := e.Expand(t.Context(), x)
			var missing *MissingInputError
			mayFail := e.EnvFile != "" || e.TokenVariable != "" || e.forms&failingForms != 0
			if err != nil && e.Invalid == "" && !mayFail && !errors.As(err, &missing) {
				t.Errorf("%s does not expand: %v", e.Name, err)
			}
			if err == nil && len(out.Args) != len(e.Args) {
				t.Errorf("%s: %d arguments became %d", e.Name, len(e.Args), len(out.Args))
			}
			if first, again := e.Identity(x), e.Identity(x); first != again || NeedsRestart(e, e) {
				t.Errorf("%s is not itself", e.Name)
			}
		}
	})
}

func checkResult(t *testing.T, r Result) {
	t.Helper()
	if r.Hard != nil {
		var panicked *PanicError
		if errors.As(r.Hard, &panicked) {
			t.Fatalf("%v\n%s", r.Hard, panicked.Stack)
		}
		t.Fatal(r.Hard)
	}
	for _, d := range r.Diagnostics {
		if d.Path == "" || d.Message == "" || (d.Line == 0) != (d.Column == 0) {
			t.Errorf("diagnostic %+v", d)
		}
	}
	names := make(map[string]bool)
	for i := range r.Entries {
		e := &r.Entries[i]
		if names[e.Name] {
			t.Errorf("two entries have the name %q", e.Name)
		}
		names[e.Name] = true
		if !json.Valid(e.Raw) {
			t.Errorf("%q: the entry as written is not JSON: %q", e.Name, e.Raw)
		}
		if e.Invalid == "" && e.Kind == "stdio" && e.Command == "" || e.Invalid == "" && e.Kind != "stdio" && e.URL == "" {
			t.Errorf("%q is taken for valid: %+v", e.Name, e)
		}
	}
}

func named(r Result, name string) *Entry {
	for i := range r.Entries {
		if r.Entries[i].Name == name {
			return &r.Entries[i]
		}
	}
	return nil
}

// FuzzEntry puts any entry beside a good one, in each dialect but Codex's, which
// is no JSON, and as a host's.
func FuzzEntry(f *testing.F) {
	const good = `{"command": "good-server"}`
	for _, in := range oddInputs(func(servers string) string { return servers }) {
		f.Add(in.text)
	}
	for _, entry := range []string{
		`{"url": "unix://x", "oauth": {"clientId": 1}}`, `{"command": "c", "env": {"A": null, "B": 1}}`, `{"type": "http", "tools": []}`,
		`{"command": "c", "oauth_token": 1, "oauth_token": 2}`, `{"enabled": null, "settings": {}}`, `{"type": "local", "command": ["c", "{file:f}"]}`,
		`{"command": "${input:a}", "auth": {"scopes": [null]}, "timeout": "1e400"}`, `{"command": "c", "tools": {"include": ["\ud800"]}}`,
	} {
		f.Add(entry)
	}
	m := newMachine(f)
	f.Fuzz(func(t *testing.T, entry string) {
		text, problem := decodeText([]byte(entry))
		if problem != nil {
			return
		}
		if _, problem := parseJSONC(&document{}, text); problem != nil {
			return
		}
		for _, d := range []struct{ file, wrap string }{
			{"home/project/.mcp.json", `{"mcpServers": %s}`},
			{"home/project/.vscode/mcp.json", `{"servers": %s}`},
			{"home/.copilot/mcp-config.json", `{"mcpServers": %s}`},
			{"home/.config/mcphub/servers.json", `{"mcpServers": %s}`},
			{"home/project/crush.json", `{"mcp": %s}`},
			{"home/.config/crush/crush.json", `{"mcp": %s}`},
			{"home/project/.zed/settings.json", `{"context_servers": %s}`},
			{"home/.config/zed/settings.json", `{"context_servers": %s}`},
			{"home/project/opencode.json", `{"mcp": %s}`},
			{"home/.config/opencode/opencode.json", `{"mcp": {"servers": %s}}`},
			{"home/.cursor/mcp.json", `{"mcpServers": %s}`},
			{"home/.codeium/windsurf/mcp_config.json", `{"mcpServers": %s}`},
			{"home/.gemini/settings.json", `{"mcpServers": %s}`},
			{"home/.config/Claude/claude_desktop_config.json", `{"mcpServers": %s}`},
			{"home/.config/goose/config.yaml", `extensions: %s`},
		} {
			m.write(t, d.file, fmt.Appendf(nil, d.wrap, `{"good": `+good+`, "fuzzed": `+string(text)+"\n}"))
		}
		m.opts.Servers = map[string]json.RawMessage{"host-good": json.RawMessage(good), "host-fuzzed": text}
		r := m.discover(t)
		checkResult(t, r)
		for _, name := range []string{"good", "host-good"} {
			e := named(r, name)
			if name == "good" && e == nil {
				// The same thing as the host's: an alias.
				continue
			}
			if e == nil || e.Command != "good-server" || e.Invalid != "" || e.Disabled {
				t.Errorf("%s is %+v", name, e)
			}
		}
	})
}

// failingForms are those of which a reference may keep a server from starting.
const failingForms = formUnsetFails | formKeyring | formWord | formOwnEnv | formFile | formSingleBraces | formSubstitution | formCommand

// FuzzExpand expands any value in every dialect.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		"", "${", "${}", "${A:-${B}}", "${env:A}${input:b}", "!!", "!x", "A_B", "${workspaceFolder}", "~/x", "${A:-${A:-${A:-}", "\x00${SET}\xff",
		`${A:?m}${K:+${K}}\$K`,
	} {
		f.Add(s, uint32(0x7ffff))
	}
	f.Fuzz(func(t *testing.T, s string, mask uint32) {
		e := &Entry{Name: "s", Kind: "stdio", Command: "c", Args: []string{s}, Env: map[string]string{"K": s}, forms: forms(mask), base: "/base"}
		out, err := e.Expand(t.Context(), expander())
		if err != nil {
			if e.forms&failingForms == 0 {
				t.Error(err)
			}
			return
		}
		if !strings.ContainsAny(s, "${\\") && out.Args[0] != s {
			t.Errorf("%q became %q", s, out.Args[0])
		}
		uses := e.Uses()
		for _, w := range out.Warnings {
			if strings.Contains(w, "is not set") && len(uses.Variables) == 0 {
				t.Errorf("%q: %s, and it uses none", s, w)
			}
		}
		var whole strings.Builder
		for _, p := range split(s, e.forms) {
			whole.WriteString(p.text)
		}
		if whole.String() != s {
			t.Errorf("%q in pieces is %q", s, whole.String())
		}
	})
}

// FuzzJSONC parses any text.
func FuzzJSONC(f *testing.F) {
	for _, in := range oddInputs(func(servers string) string { return servers }) {
		f.Add([]byte(in.text))
	}
	f.Add([]byte("// \u2028\n{}"))
	f.Add([]byte("{\"a\": 1, /* * / */ \"a\": [1,],}\r\n//"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, problem := decodeText(data)
		if problem != nil {
			return
		}
		root, problem := parseJSONC(&document{}, text)
		if problem != nil {
			if problem.message == "" || problem.line > bytes.Count(text, []byte("\n"))+1 {
				t.Errorf("%+v", problem)
			}
			return
		}
		if out := root.json(); !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
