package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where there is no home directory, or a variable leads nowhere, every file of
// the user's would be one of the project's, if its path were resolved against
// the directory we run in.
func TestNoFileOfTheProjectPassesForTheUsers(t *testing.T) {
	cases := []struct {
		name string
		home string
		env  map[string]string
	}{
		{"no home", "", nil},
		{"a relative home", ".", nil},
		{"a home below", "x", nil},
		{"a relative XDG_CONFIG_HOME", "", map[string]string{"XDG_CONFIG_HOME": ".config"}},
		{"a relative CLAUDE_CONFIG_DIR", "", map[string]string{"CLAUDE_CONFIG_DIR": "."}},
		{"CLAUDE_CONFIG_DIR under no home", "", map[string]string{"CLAUDE_CONFIG_DIR": "~/"}},
		{"a relative COPILOT_HOME", "", map[string]string{"COPILOT_HOME": ".copilot"}},
		{"relative directories of VS Code", "", map[string]string{
			"VSCODE_PORTABLE": "portable", "VSCODE_APPDATA": "AppData", "VSCODE_AGENT_FOLDER": ".vscode-server",
		}},
		{"a relative FLATPAK_XDG_CONFIG_HOME", "", map[string]string{"FLATPAK_XDG_CONFIG_HOME": ".config"}},
		{"a relative APPDATA", "", map[string]string{"APPDATA": "AppData/Roaming"}},
		{"relative Crush directories", "", map[string]string{"CRUSH_GLOBAL_CONFIG": ".", "CRUSH_GLOBAL_DATA": "x", "XDG_DATA_HOME": ".", "LOCALAPPDATA": "."}},
		{"Crush's directories, with a home", "$home", map[string]string{"CRUSH_GLOBAL_CONFIG": "x", "CRUSH_GLOBAL_DATA": ".", "XDG_DATA_HOME": "x", "LOCALAPPDATA": "x"}},
		{"relative Goose paths", "", map[string]string{"GOOSE_PATH_ROOT": ".", "GOOSE_ADDITIONAL_CONFIG_FILES": "config.yaml:x/config.yaml;config.yaml", "PROGRAMDATA": "x"}},
		{"Goose's paths, with a home", "$home", map[string]string{"GOOSE_PATH_ROOT": "x", "GOOSE_ADDITIONAL_CONFIG_FILES": "./config.yaml", "PROGRAMDATA": "."}},
		{"CLAUDE_CONFIG_DIR, with a home", "$home", map[string]string{"CLAUDE_CONFIG_DIR": "."}},
		{"FLATPAK_XDG_CONFIG_HOME, with a home", "$home", map[string]string{"FLATPAK_XDG_CONFIG_HOME": ".config"}},
		{"XDG_CONFIG_HOME, with a home", "$home", map[string]string{"XDG_CONFIG_HOME": ".config"}},
		{"a relative CODEX_HOME", "", map[string]string{"CODEX_HOME": "moved"}},
		{"a relative GEMINI_CLI_HOME", "", map[string]string{"GEMINI_CLI_HOME": "moved"}},
		{"a relative OPENCODE_CONFIG", "", map[string]string{"OPENCODE_CONFIG": "moved/opencode.json"}},
		{"a relative OPENCODE_CONFIG_DIR", "$home", map[string]string{"OPENCODE_CONFIG_DIR": "moved"}},
		{"CODEX_HOME and GEMINI_CLI_HOME, with a home", "$home", map[string]string{"CODEX_HOME": "moved", "GEMINI_CLI_HOME": "moved"}},
	}
	const evil = `{
  "mcpServers": {"evil": {"command": "evil"}},
  "servers": {"evil": {"command": "evil"}},
  "context_servers": {"evil": {"command": "evil"}},
  "mcp": {"evil": {"command": "evil"}},
  "extensions": {"evil": {"cmd": "evil"}}
}`
	const evilTOML = "[mcp_servers.evil]\ncommand = 'evil'\n"
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.mkdir(t, "home/me")
			m.env = c.env
			m.opts.Home = strings.ReplaceAll(c.home, "$home", m.path("home/me"))
			for _, prefix := range []string{"", "x/"} {
				for _, file := range []string{
					".claude.json", ".claude/settings.json", ".config/mcp-sidecar/mcp.json", "mcp-sidecar/mcp.json",
					".config/Code/User/mcp.json", "Code/User/mcp.json", ".copilot/mcp-config.json", "AppData/Roaming/Code/User/mcp.json",
					"Library/Application Support/Code/User/mcp.json",
					"portable/user-data/User/mcp.json", "AppData/Code/User/mcp.json", ".vscode-server/data/User/mcp.json", "data/User/mcp.json",
					"crush/crush.json", ".config/crush/crush.json", ".local/share/crush/crush.json", "AppData/Local/crush/crush.json",
					".config/mcphub/servers.json", "mcphub/servers.json",
					"config.yaml", "config/config.yaml", "goose/config.yaml", ".config/goose/config.yaml", "AppData/Roaming/Block/goose/config/config.yaml",
					".config/devin/mcp_config.json", "devin/mcp_config.json", "AppData/Roaming/devin/mcp_config.json",
					".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json",
					".config/zed/settings.json", "zed/settings.json", "Zed/settings.json", "AppData/Roaming/Zed/settings.json",
					".config/Claude/claude_desktop_config.json", "Claude/claude_desktop_config.json",
					"AppData/Roaming/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json",
					"settings.json", "moved/.gemini/settings.json", "x/.gemini/settings.json",
					".config/opencode/opencode.json", "opencode/opencode.json", "moved/opencode.json", "x/.opencode/opencode.json",
				} {
					m.write(t, "home/project/"+prefix+file, []byte(evil))
				}
				for _, file := range []string{"config.toml", "moved/config.toml", "x/.codex/config.toml"} {
					m.write(t, "home/project/"+prefix+file, []byte(evilTOML))
				}
			}
			m.write(t, "home/project/x/crush.json", []byte(evil))
			m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"theirs": {"command": "t"}}}`))
			t.Chdir(m.opts.Cwd)
			for _, goos := range []string{"linux", "darwin", "windows"} {
				table := slices.Clone(providers())
				for i, p := range table {
					table[i].places = func(s *site) []place {
						s.os = goos
						return p.places(s)
					}
				}
				r := discover(t.Context(), m.opts, table, readFile)
				if len(r.Entries) != 1 || r.Entries[0].Name != "theirs" || !r.Entries[0].NeedsTrust() || r.Hard != nil {
					t.Errorf("%s:\n%s", goos, m.render(r))
				}
				for _, f := range r.Files {
					if !filepath.IsAbs(f.Path) {
						t.Errorf("%s: looked at %s", goos, f.Path)
					}
				}
			}
		})
	}
}

func TestARelativeWorkspaceFolderIsNoFolder(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/sub/.mcp.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	t.Chdir(m.opts.Cwd)
	m.opts.Folders = []string{"sub", ""}
	if r := m.discover(t); len(r.Entries) != 0 || r.Hard != nil {
		t.Error(m.render(r))
	}
}

func TestAWorkspaceFolderThatIsNoneIsAWarning(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	gone, file := filepath.Join(m.root, "gone"), filepath.Join(m.opts.Cwd, ".mcp.json")
	m.opts.Folders = []string{gone, m.opts.Cwd, file, gone}
	r := m.discover(t)
	want := []Diagnostic{
		{Path: gone, Warning: true, Message: "workspace folder: no such file or directory"},
		{Path: file, Warning: true, Message: "workspace folder: not a directory"},
	}
	if len(r.Entries) != 1 || !slices.Equal(r.Diagnostics, want) {
		t.Error(m.render(r))
	}
	m.opts.ProjectConfig = false
	if r := m.discover(t); len(r.Diagnostics) != 0 {
		t.Error(m.render(r))
	}
}

func TestAFileTheHostNamedUnderNoHomeIsADiagnostic(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/~/servers.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	m.write(t, "home/project/servers.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	t.Chdir(m.opts.Cwd)
	m.opts.Home, m.opts.Files = "", []string{"~/servers.json"}
	r := m.discover(t)
	if len(r.Entries) != 0 || len(r.Diagnostics) != 1 ||
		r.Diagnostics[0].Path != "~/servers.json" || r.Diagnostics[0].Message != "there is no home directory: not read" {
		t.Error(m.render(r))
	}
}

func TestWithoutAHomeWhatRefersToItStaysAsWritten(t *testing.T) {
	e := &Entry{Name: "s", Kind: "stdio", Command: "~/run", Args: []string{"${userHome}/x"}, Cwd: "~", base: "/base", forms: vscodeDialect().forms}
	out, err := e.Expand(t.Context(), Expander{Folder: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if out.Command != "~/run" || out.Args[0] != "${userHome}/x" || out.Cwd != "~" {
		t.Errorf("expanded to %+v", out)
	}
	want := []string{
		"args[0]: there is no home directory, so ${userHome} stays as written",
		"command: there is no home directory, so ~ stays as written",
		"cwd: there is no home directory, so ~ stays as written",
	}
	if slices.Sort(out.Warnings); !slices.Equal(out.Warnings, want) {
		t.Errorf("warnings %q", out.Warnings)
	}
}
