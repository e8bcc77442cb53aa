package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyPlace is a place that holds a server of its own name, and one whose name
// all places have.
type everyPlace struct {
	name  string
	level Level
	// file, under the machine's root, is "" for what the host says, and "$V" for
	// the text in that variable.
	file string
	// text of the file; "" when it is that of an earlier place. In it, @name@
	// stands for the name that all have.
	text string
}

// rowUnderTest has the places of one row, strongest first.
type rowUnderTest struct {
	id, label string
	places    []everyPlace
}

// both are the two servers of a place in the form that most tools share.
func both(name string) string {
	return `{"` + name + `": {"command": "` + name + `"}, "@` + name + `@": {"command": "of-` + name + `"}}`
}

func usualFile(name string, level Level, file string) everyPlace {
	return everyPlace{name, level, file, `{"mcpServers": ` + both(name) + `}`}
}

func fileUnder(key, name string, level Level, file string) everyPlace {
	return everyPlace{name, level, file, `{"` + key + `": ` + both(name) + `}`}
}

func codexFile(name string, level Level, file string) everyPlace {
	return everyPlace{name, level, file, "[mcp_servers." + name + "]\ncommand = '" + name + "'\n[mcp_servers.'@" + name + "@']\ncommand = 'of-" + name + "'\n"}
}

func opencodeFile(name string, level Level, file string) everyPlace {
	return everyPlace{
		name, level, file,
		`{"mcp": {"` + name + `": {"type": "local", "command": ["` + name + `"]}, "@` + name + `@": {"type": "local", "command": ["of-` + name + `"]}}}`,
	}
}

func gooseFile(name string, level Level, file string) everyPlace {
	entry := func(command string) string { return "{enabled: true, type: stdio, cmd: " + command + ", args: []}\n" }
	return everyPlace{name, level, file, "extensions:\n  " + name + ": " + entry(name) + "  '@" + name + "@': " + entry("of-"+name)}
}

func rowsUnderTest() []rowUnderTest {
	const claude = "home/.claude.json"
	return []rowUnderTest{
		{"host", "Host", []everyPlace{{"host", Host, "", ""}}},
		{"mcp-sidecar", "mcp-sidecar", []everyPlace{
			usualFile("sidecar-project", Project, "home/project/.mcp-sidecar/mcp.json"),
			usualFile("sidecar-user", User, "home/.config/mcp-sidecar/mcp.json"),
			usualFile("sidecar-file", User, "home/named.json"),
		}},
		{"claude", "Claude Code", []everyPlace{
			{
				"claude-local", Project, claude,
				`{"projects": {"$/home/project": {"mcpServers": ` + both("claude-local") + `}}, "mcpServers": ` + both("claude-user") + `}`,
			},
			usualFile("claude-project", Project, "home/project/.mcp.json"),
			{"claude-user", User, claude, ""},
		}},
		{"claude-desktop", "Claude Desktop", []everyPlace{
			usualFile("claude-desktop", User, "home/.config/Claude/claude_desktop_config.json"),
		}},
		{"codex", "OpenAI Codex", []everyPlace{
			codexFile("codex-project", Project, "home/project/.codex/config.toml"),
			codexFile("codex-user", User, "home/.codex/config.toml"),
		}},
		{"gemini", "Gemini CLI", []everyPlace{
			usualFile("gemini-project", Project, "home/project/.gemini/settings.json"),
			usualFile("gemini-user", User, "home/.gemini/settings.json"),
		}},
		{"opencode", "OpenCode", []everyPlace{
			opencodeFile("opencode-content", User, "$OPENCODE_CONFIG_CONTENT"),
			opencodeFile("opencode-directory-c", Project, "home/project/.opencode/opencode.jsonc"),
			opencodeFile("opencode-directory", Project, "home/project/.opencode/opencode.json"),
			opencodeFile("opencode-project-c", Project, "home/project/opencode.jsonc"),
			opencodeFile("opencode-project", Project, "home/project/opencode.json"),
			opencodeFile("opencode-file", User, "home/opencode-file.json"),
			opencodeFile("opencode-named-c", User, "home/opencode-named/opencode.jsonc"),
			opencodeFile("opencode-named", User, "home/opencode-named/opencode.json"),
			opencodeFile("opencode-home-c", User, "home/.opencode/opencode.jsonc"),
			opencodeFile("opencode-home", User, "home/.opencode/opencode.json"),
			opencodeFile("opencode-user-c", User, "home/.config/opencode/opencode.jsonc"),
			opencodeFile("opencode-user", User, "home/.config/opencode/opencode.json"),
		}},
		{"cursor", "Cursor", []everyPlace{
			usualFile("cursor-project", Project, "home/project/.cursor/mcp.json"),
			usualFile("cursor-user", User, "home/.cursor/mcp.json"),
		}},
		{"windsurf", "Windsurf", []everyPlace{
			usualFile("devin-project", Project, "home/project/.devin/mcp_config.json"),
			usualFile("devin-user", User, "home/.config/devin/mcp_config.json"),
			usualFile("windsurf", User, "home/.codeium/windsurf/mcp_config.json"),
			usualFile("windsurf-next", User, "home/.codeium/windsurf-next/mcp_config.json"),
			usualFile("windsurf-insiders", User, "home/.codeium/windsurf-insiders/mcp_config.json"),
			usualFile("windsurf-plugins", User, "home/.codeium/mcp_config.json"),
		}},
		{"vscode", "VS Code", []everyPlace{
			fileUnder("servers", "vscode-project", Project, "home/project/.vscode/mcp.json"),
			{"vscode-workspace", Project, "home/project/p.code-workspace", `{"folders": [], "mcp": {"servers": ` + both("vscode-workspace") + `}}`},
			fileUnder("mcp.servers", "vscode-settings", Project, "home/project/.vscode/settings.json"),
			usualFile("copilot-project", Project, "home/project/.github/mcp.json"),
			fileUnder("servers", "vscode-server", User, "home/.vscode-server/data/User/mcp.json"),
			fileUnder("servers", "vscode-server-insiders", User, "home/.vscode-server-insiders/data/User/mcp.json"),
			fileUnder("servers", "vscode-remote", User, "home/.vscode-remote/data/User/mcp.json"),
			fileUnder("servers", "vscode-user", User, "home/.config/Code/User/mcp.json"),
			fileUnder("servers", "vscode-insiders", User, "home/.config/Code - Insiders/User/mcp.json"),
			fileUnder("servers", "vscodium", User, "home/.config/VSCodium/User/mcp.json"),
			usualFile("copilot", User, "home/.copilot/mcp-config.json"),
		}},
		{"zed", "Zed", []everyPlace{
			fileUnder("context_servers", "zed-project", Project, "home/project/.zed/settings.json"),
			fileUnder("context_servers", "zed-user", User, "home/.config/zed/settings.json"),
		}},
		{"mcphub", "MCPHub", []everyPlace{
			usualFile("mcphub-project", Project, "home/project/.mcphub/servers.json"),
			fileUnder("servers", "mcphub-user", User, "home/.config/mcphub/servers.json"),
		}},
		{"crush", "Crush", []everyPlace{
			fileUnder("mcp", "crush-state", Project, "home/project/.crush/crush.json"),
			fileUnder("mcp", "crush-hidden", Project, "home/project/.crush.json"),
			fileUnder("mcp", "crush-project", Project, "home/project/crush.json"),
			fileUnder("mcp", "crush-data", User, "home/.local/share/crush/crush.json"),
			fileUnder("mcp", "crush-user", User, "home/.config/crush/crush.json"),
		}},
		{"goose", "Goose", []everyPlace{
			gooseFile("goose", User, "home/.config/goose/config.yaml"),
			gooseFile("goose-added", User, "home/goose-added.yaml"),
		}},
		{"mcp-json", "MCP Config", []everyPlace{
			usualFile("mcp-json", Project, "home/project/mcp.json"),
		}},
	}
}

func TestEveryPlaceOfEveryRowGivesItsServers(t *testing.T) {
	const shared = "shared"
	var ids, known []string
	var all []everyPlace
	want := make(map[string]Entry)
	m := newMachine(t)
	for _, row := range rowsUnderTest() {
		ids = append(ids, row.id)
		for _, p := range row.places {
			e := Entry{Name: p.name, Command: p.name, Kind: "stdio", Provider: row.id, ProviderName: row.label, Level: p.level}
			if e.Path = p.file; p.file != "" && p.file[0] != '$' {
				e.Path = m.path(p.file)
			}
			all = append(all, p)
			want[p.name] = e
		}
	}
	for _, p := range providers() {
		known = append(known, p.id)
	}
	if diff := cmp.Diff(known, ids); diff != "" {
		t.Fatalf("the rows of the table and those of this test (-want +got):\n%s", diff)
	}
	m.everywhere(t, all, 0, shared)
	m.noOtherPlaces(t, all)

	// In round i, the first i places have the shared name no more.
	for i := range all {
		m.everywhere(t, all, i, shared)
		r := m.discover(t)
		if len(r.Diagnostics) > 0 || r.Hard != nil {
			t.Fatal(m.render(r))
		}
		strongest := want[all[i].name]
		if all[i].name == "opencode-content" {
			// The user's, but a project has a part in it.
			strongest = want["opencode-directory-c"]
		}
		strongest.Name, strongest.Command = shared, "of-"+all[i].name
		got := named(r, shared)
		if got == nil {
			t.Errorf("nobody has the shared name, want %s", all[i].name)
			continue
		}
		if diff := cmp.Diff(strongest, bare(got), cmp.AllowUnexported(Entry{})); diff != "" {
			t.Errorf("the shared name (-want +got):\n%s", diff)
		}
		if i > 0 {
			continue
		}
		for name, w := range want {
			e := named(r, name)
			if e == nil {
				t.Errorf("%s is missing", name)
				continue
			}
			if diff := cmp.Diff(w, bare(e), cmp.AllowUnexported(Entry{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if trusted := w.Level != Project || name == "claude-local"; e.NeedsTrust() == trusted {
				t.Errorf("%s: needs trust: %v", name, e.NeedsTrust())
			}
		}
		if len(r.Entries) != len(want)+1 {
			t.Errorf("%d servers, want %d:\n%s", len(r.Entries), len(want)+1, m.render(r))
		}
	}
}

// noOtherPlaces says which places of servers the test leaves out. Those of the
// whole system, it must.
func (m *machine) noOtherPlaces(t *testing.T, all []everyPlace) {
	t.Helper()
	for _, p := range providers() {
		for _, at := range p.places(newSite(m.opts, m.opts.Home)) {
			tested := slices.ContainsFunc(all, func(p everyPlace) bool { return p.file == at.path || m.path(p.file) == at.path })
			if at.dialect != nil && !tested && !strings.HasPrefix(at.path, "/etc/") {
				t.Errorf("%s: %s is not tested", p.id, at.path)
			}
		}
	}
}

// bare is what the test says of an entry.
func bare(e *Entry) Entry {
	return Entry{
		Name: e.Name, Command: e.Command, Kind: e.Kind, Provider: e.Provider, ProviderName: e.ProviderName, Level: e.Level, Path: e.Path,
		Invalid: e.Invalid, Disabled: e.Disabled, Aliases: e.Aliases,
	}
}

// everywhere writes the files of all places. The first of them, as many as beaten
// says, have a name of their own in place of the shared one.
func (m *machine) everywhere(t *testing.T, all []everyPlace, beaten int, shared string) {
	t.Helper()
	var names []string
	for i, p := range all {
		name := shared
		if i < beaten {
			name = "was-" + p.name
		}
		names = append(names, "@"+p.name+"@", name)
	}
	fill := strings.NewReplacer(slices.Concat(names, []string{"$/", m.root + "/"})...)
	for _, p := range all {
		text := fill.Replace(p.text)
		if variable, ok := strings.CutPrefix(p.file, "$"); ok {
			m.env[variable] = text
		} else if text != "" {
			m.write(t, p.file, []byte(text))
		}
	}
	m.env["OPENCODE_CONFIG"] = m.path("home/opencode-file.json")
	m.env["OPENCODE_CONFIG_DIR"] = m.path("home/opencode-named")
	m.env["GOOSE_ADDITIONAL_CONFIG_FILES"] = m.path("home/goose-added.yaml")
	m.opts.Files = []string{m.path("home/named.json")}
	m.opts.Servers = map[string]json.RawMessage{
		"host":                 json.RawMessage(`{"command": "host"}`),
		fill.Replace("@host@"): json.RawMessage(`{"command": "of-host"}`),
	}
}
