package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a project adds to is the project's, and needs trust. Denied, it is as if
// the project had said nothing.
func TestWhatAProjectAddsToIsTheProjects(t *testing.T) {
	cases := []struct {
		name    string
		files   map[string]string // the user's
		project map[string]string
		env     map[string]string
	}{
		{
			name:    "codex: another program",
			files:   map[string]string{"home/.codex/config.toml": "[mcp_servers.s]\ncommand = 'own'\nargs = ['a']\n"},
			project: map[string]string{"home/project/.codex/config.toml": "[mcp_servers.s]\ncommand = 'evil'\n"},
		},
		{
			name:    "codex: a variable",
			files:   map[string]string{"home/.codex/config.toml": "[mcp_servers.s]\ncommand = 'own'\n[mcp_servers.s.env]\nA = 'a'\n"},
			project: map[string]string{"home/project/.codex/config.toml": "[mcp_servers.s.env]\nLD_PRELOAD = 'evil'\n"},
		},
		{
			name:    "codex: switched off",
			files:   map[string]string{"home/.codex/config.toml": "[mcp_servers.s]\ncommand = 'own'\n"},
			project: map[string]string{"home/project/.codex/config.toml": "[mcp_servers.s]\nenabled = false\n"},
		},
		{
			name:    "codex: no table at all",
			files:   map[string]string{"home/.codex/config.toml": "[mcp_servers.s]\ncommand = 'own'\n"},
			project: map[string]string{"home/project/.codex/config.toml": "[mcp_servers]\ns = 'evil'\n"},
		},
		{
			name:    "opencode: another address",
			files:   map[string]string{"home/.config/opencode/opencode.json": `{"mcp": {"s": {"type": "remote", "url": "https://own.example", "headers": {"A": "{env:KEY}"}}}}`},
			project: map[string]string{"home/project/opencode.json": `{"mcp": {"s": {"url": "https://evil.example"}}}`},
		},
		{
			name:    "opencode: a server of version 2",
			files:   map[string]string{"home/.config/opencode/opencode.json": `{"mcp": {"s": {"type": "local", "command": ["own"]}}}`},
			project: map[string]string{"home/project/.opencode/opencode.json": `{"mcp": {"servers": {"s": {"type": "local", "command": ["evil"]}}}}`},
		},
		{
			name:    "opencode: under the user's own, stronger part",
			files:   map[string]string{"home/.config/opencode/opencode.json": `{"mcp": {"s": {"type": "local", "command": ["own"]}}}`},
			project: map[string]string{"home/project/opencode.json": `{"mcp": {"s": {"command": ["evil"]}}}`},
			env:     map[string]string{"OPENCODE_CONFIG_CONTENT": `{"mcp": {"s": {"enabled": true}}}`},
		},
		{
			name:    "opencode: two of the project's, one of the user's",
			files:   map[string]string{"home/explicit.json": `{"mcp": {"s": {"type": "local", "command": ["own"]}}}`},
			project: map[string]string{"home/project/opencode.json": `{"mcp": {"s": {"enabled": true}}}`, "home/project/.opencode/opencode.json": `{"mcp": {"s": {"cwd": "evil"}}}`},
			env:     map[string]string{"OPENCODE_CONFIG": "$/home/explicit.json"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			for name, value := range c.env {
				if name == "OPENCODE_CONFIG" {
					value = m.path("home/explicit.json")
				}
				m.env[name] = value
			}
			for name, text := range c.files {
				m.write(t, name, []byte(text))
			}
			own := named(m.discover(t), "s")
			if own == nil || own.NeedsTrust() || own.Invalid != "" {
				t.Fatalf("without the project the server is %+v", own)
			}
			for name, text := range c.project {
				m.write(t, name, []byte(text))
			}
			both := named(m.discover(t), "s")
			if both == nil || !both.NeedsTrust() || c.project["home"+both.Path[len(m.path("home")):]] == "" {
				t.Fatalf("with the project the server is %+v", both)
			}
			m.opts.Denied = (*Entry).NeedsTrust
			denied := named(m.discover(t), "s")
			if diff := cmp.Diff(own, denied, cmp.AllowUnexported(Entry{})); diff != "" {
				t.Errorf("denied, it is not as without the project (-without +denied):\n%s", diff)
			}
			m.opts.Denied, m.opts.ProjectConfig = nil, false
			if diff := cmp.Diff(own, named(m.discover(t), "s"), cmp.AllowUnexported(Entry{})); diff != "" {
				t.Errorf("with projectConfig false it is not as without the project (-without +got):\n%s", diff)
			}
		})
	}
}

// What gives way to an entry that it is a part of has lost nothing. What was
// replaced, or gave way to another tool's entry, has.
func TestWhatIsMergedHasNotLost(t *testing.T) {
	const codex, zed = "home/.codex/config.toml", "home/.config/zed/settings.json"
	cases := []struct {
		name  string
		files map[string]string
		want  []string // files
	}{
		{"a part", map[string]string{
			codex:                             "[mcp_servers.s]\ncommand = 'own'\n",
			"home/project/.codex/config.toml": "[mcp_servers.s]\nargs = ['theirs']\n",
		}, nil},
		{"all of it is overridden", map[string]string{
			codex:                             "[mcp_servers.s]\ncommand = 'own'\n",
			"home/project/.codex/config.toml": "[mcp_servers.s]\ncommand = 'theirs'\n",
		}, []string{codex}},
		{"replaced", map[string]string{
			zed:                               `{"context_servers": {"s": {"command": "own", "args": ["a"]}}}`,
			"home/project/.zed/settings.json": `{"context_servers": {"s": {"command": "theirs"}}}`,
		}, []string{zed}},
		{"switched", map[string]string{
			zed:                               `{"context_servers": {"s": {"command": "own"}}}`,
			"home/project/.zed/settings.json": `{"context_servers": {"s": {"enabled": false}}}`,
		}, nil},
		{"both lost to another tool", map[string]string{
			codex:                             "[mcp_servers.s]\ncommand = 'own'\n",
			"home/project/.codex/config.toml": "[mcp_servers.s]\nargs = ['theirs']\n",
			"home/project/.mcp.json":          `{"mcpServers": {"s": {"command": "stronger"}}}`,
		}, []string{"home/project/.codex/config.toml", codex}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			for name, text := range c.files {
				m.write(t, name, []byte(text))
			}
			var got, want []string
			for _, l := range m.discover(t).Lost {
				got = append(got, l.Path)
			}
			for _, name := range c.want {
				want = append(want, m.path(name))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
		})
	}
}

// A server of the user's that replaces what a project says of it is the user's.
func TestWhatReplacesTheProjectsNeedsNoTrust(t *testing.T) {
	m := newMachine(t)
	m.env["OPENCODE_CONFIG_CONTENT"] = `{"mcp": {"servers": {"s": {"type": "local", "command": ["own"]}}}}`
	m.write(t, "home/project/opencode.json", []byte(`{"mcp": {"s": {"type": "local", "command": ["evil"], "environment": {"LD_PRELOAD": "evil"}}}}`))
	e := named(m.discover(t), "s")
	if e == nil || e.NeedsTrust() || e.Command != "own" || len(e.Env) > 0 {
		t.Errorf("the server is %+v", e)
	}
}

func TestAMergedEntryKnowsTheOtherFilesThatHaveAPartInIt(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.codex/config.toml", []byte("[mcp_servers.both]\ncommand = 'x'\n[mcp_servers.alone]\ncommand = 'y'\n"))
	m.write(t, "home/project/.codex/config.toml", []byte("[mcp_servers.both]\nargs = ['a']\n"))
	m.write(t, "home/.cursor/mcp.json", []byte(`{"mcpServers": {"unmerged": {"command": "z"}}}`))
	m.write(t, "home/project/.cursor/mcp.json", []byte(`{"mcpServers": {"unmerged": {"command": "p"}}}`))
	parts := func() map[string][]string {
		found := map[string][]string{}
		for _, e := range m.discover(t).Entries {
			found[e.Name] = e.Parts
		}
		return found
	}
	users := m.path("home/.codex/config.toml")
	if got := parts(); !slices.Equal(got["both"], []string{users}) || got["alone"] != nil || got["unmerged"] != nil || len(got) != 3 {
		t.Errorf("parts are %q", got)
	}
	m.opts.Denied = (*Entry).NeedsTrust
	if got := parts(); got["both"] != nil || got["unmerged"] != nil || len(got) != 3 {
		t.Errorf("without the project's, parts are %q", got)
	}
}
