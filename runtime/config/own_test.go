package config

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatTheUserHasWithoutUsIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		what  string
		files map[string]string // servers by file: "name=command" or "name=command!" for one that is off
		own   []string
		want  string
	}{
		{"nothing", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "b=y"}, nil, "a b"},
		{"its own", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "b=y"}, []string{"claude"}, "b"},
		{"not those of Copilot", map[string]string{".copilot/mcp-config.json": "a=x", "project/.github/mcp.json": "b=y"}, []string{"vscode"}, "a b"},
		{"of the same name", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "a=y b=z"}, []string{"claude"}, "b"},
		{"what starts the same", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "b=x c=z"}, []string{"claude"}, "c"},
		{"also in a stronger file", map[string]string{".cursor/mcp.json": "a=x", ".claude.json": "a=y b=x c=z"}, []string{"cursor"}, "c"},
		{"one that is off starts nothing", map[string]string{".claude.json": "a=x!", ".cursor/mcp.json": "a=y b=x"}, []string{"claude"}, "b"},
		{"a name stays with what is left out", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "b=x", ".codeium/windsurf/mcp_config.json": "b=z c=z"}, []string{"claude"}, "c"},
		{"also if that is off", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "b=x!", ".codeium/windsurf/mcp_config.json": "b=z"}, []string{"claude"}, ""},
		{"a project's file does not get it", map[string]string{".claude.json": "a=x", ".config/mcp-sidecar/mcp.json": "b=x", "project/.cursor/mcp.json": "b=z"}, []string{"claude"}, ""},
		{"nor keeps it from the user", map[string]string{"project/.mcp.json": "a=x", "project/.cursor/mcp.json": "b=x", ".codeium/windsurf/mcp_config.json": "b=z"}, []string{"claude"}, "b"},
		{"of two", map[string]string{".claude.json": "a=x", ".cursor/mcp.json": "b=y", ".config/mcp-sidecar/mcp.json": "c=z"}, []string{"claude", "cursor"}, "c"},
		{"a project's file takes nothing of the user's", map[string]string{"project/.mcp.json": "a=x b=y", ".cursor/mcp.json": "a=z c=y"}, []string{"claude"}, "a c"},
		{"but of the project's", map[string]string{"project/.mcp.json": "a=x b=y", "project/.cursor/mcp.json": "a=z c=y d=d"}, []string{"claude"}, "d"},
		{"the user's, of a project's", map[string]string{".claude.json": "a=x", "project/.cursor/mcp.json": "a=z b=x c=c"}, []string{"claude"}, "c"},
	} {
		m := newMachine(t)
		for file, servers := range tt.files {
			var entries []string
			for s := range strings.FieldsSeq(servers) {
				name, command, _ := strings.Cut(s, "=")
				command, off := strings.CutSuffix(command, "!")
				enabled := ""
				if off {
					enabled = `, "disabled": true`
				}
				entries = append(entries, `"`+name+`": {"command": "`+command+`"`+enabled+`}`)
			}
			m.write(t, "home/"+file, []byte(`{"mcpServers": {`+strings.Join(entries, ", ")+`}}`))
		}
		m.opts.Own = tt.own
		var names []string
		for _, e := range m.discover(t).Entries {
			names = append(names, e.Name)
		}
		if slices.Sort(names); strings.Join(names, " ") != tt.want {
			t.Errorf("%s: %q, want %s", tt.what, names, tt.want)
		}
	}
}

func TestAFileMayBeTheHostsOwn(t *testing.T) {
	const profile, known = "home/code/User/mcp.json", "home/.vscode-server/data/User/mcp.json"
	for _, tt := range []struct {
		what          string
		own, ownFiles []string
		include       []string
		want          string
	}{
		{"it is not read without being named", nil, nil, nil, "b c d known like"},
		{"its servers, what is called so and what starts the same", nil, []string{profile}, nil, "d known"},
		{"beside a provider", []string{"cursor"}, []string{profile}, nil, "known"},
		{"from the home directory", nil, []string{"~/code/User/mcp.json"}, nil, "d known"},
		{"a file that is known anyway", nil, []string{known}, nil, "b c d like"},
		{"also if the provider is not included", nil, []string{profile, known}, []string{"cursor"}, "d"},
		{"one that is not there", nil, []string{"/nowhere/mcp.json"}, nil, "b c d known like"},
	} {
		m := newMachine(t)
		m.write(t, profile, []byte(`{"servers": {"a": {"command": "x"}, "b": {"command": "y"}, "odd": {"command": 5}}}`))
		m.write(t, known, []byte(`{"servers": {"known": {"command": "k"}}}`))
		m.write(t, "home/.cursor/mcp.json", []byte(`{"mcpServers": {"b": {"command": "z"}, "like": {"command": "x"}, "d": {"command": "d"}}}`))
		m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"c": {"command": "y"}}}`))
		m.opts.Own, m.opts.Include = tt.own, tt.include
		for _, file := range tt.ownFiles {
			if strings.HasPrefix(file, "home/") {
				file = m.path(file)
			}
			m.opts.OwnFiles = append(m.opts.OwnFiles, file)
		}
		r := m.discover(t)
		var names []string
		for _, e := range r.Entries {
			names = append(names, e.Name)
		}
		if slices.Sort(names); strings.Join(names, " ") != tt.want {
			t.Errorf("%s: %q, want %s", tt.what, names, tt.want)
		}
		if len(r.Diagnostics) > 0 {
			t.Errorf("%s: of what is not ours to start nothing is said: %+v", tt.what, r.Diagnostics)
		}
	}
}

func TestOfWhatIsNotOursToStartNothingIsSaid(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"a": {"command": 5}, "b": {"command": "x", "odd": 1}}}`))
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"c": {`))
	m.write(t, "home/.cursor/mcp.json", []byte(`{"mcpServers": {"a": {"command": "y"}, "d": {"command": 6}}}`))
	m.opts.Own = []string{"claude"}
	r := m.discover(t)
	var about []string
	for _, d := range r.Diagnostics {
		about = append(about, filepath.Base(d.Path)+" "+d.Server)
	}
	if slices.Sort(about); !slices.Equal(about, []string{".mcp.json ", "mcp.json d"}) { // of a file that cannot be read nothing is left out
		t.Errorf("diagnostics are about %q", about)
	}
	if len(r.Entries) != 1 || r.Entries[0].Name != "d" {
		t.Errorf("%+v", r.Entries)
	}
}

func TestWhatTheHostNamesItselfIsNotLeftOut(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`))
	m.opts.Servers = map[string]json.RawMessage{"a": json.RawMessage(`{"command": "h"}`), "c": json.RawMessage(`{"command": "y"}`)}
	m.opts.Own = []string{"claude"}
	var names []string
	for _, e := range m.discover(t).Entries {
		names = append(names, e.Name)
	}
	if slices.Sort(names); strings.Join(names, " ") != "a c" {
		t.Errorf("servers are %q", names)
	}
}

func TestWeAreNoServerOfOurOwn(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {
		"plain": {"command": "mcp-sidecar", "args": ["mcp", "--client", "claude"]},
		"path": {"command": "/usr/local/bin/mcp-sidecar", "args": ["--log-level", "debug", "mcp"]},
		"windows": {"command": "./mcp-sidecar.exe", "args": ["mcp"]},
		"hidden": {"command": "npx", "args": ["mcp-sidecar", "mcp"]},
		"other": {"command": "mcp-sidecar-extra", "args": ["mcp"]},
		"host": {"command": "mcp-sidecar"},
		"remote": {"url": "https://x.test/mcp-sidecar"}
	}}`))
	var names []string
	r := m.discover(t)
	for _, e := range r.Entries {
		names = append(names, e.Name)
	}
	if slices.Sort(names); strings.Join(names, " ") != "hidden host other remote" {
		t.Errorf("servers are %q", names)
	}
	if len(r.Diagnostics) != 0 {
		t.Errorf("of which nothing is to be said: %+v", r.Diagnostics)
	}
}
