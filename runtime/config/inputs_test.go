package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// readerUnderTest is a place a reader reads, and how the servers stand in it.
type readerUnderTest struct {
	name string
	file string
	// wrap puts the members of the servers object into a file; %s stands for
	// the object.
	wrap string
}

func readersUnderTest() []readerUnderTest {
	return []readerUnderTest{
		{"sidecar-project", "home/project/.mcp-sidecar/mcp.json", `{"mcpServers": %s}`},
		{"sidecar-user", "home/.config/mcp-sidecar/mcp.json", `{"mcpServers": %s}`},
		{"claude-local", "home/.claude.json", `{"projects": {"$/home/project": {"mcpServers": %s}}}`},
		{"claude-project", "home/project/.mcp.json", `{"mcpServers": %s}`},
		{"claude-user", "home/.claude.json", `{"mcpServers": %s}`},
		{"vscode-project", "home/project/.vscode/mcp.json", `{"servers": %s, "inputs": []}`},
		{"vscode-workspace", "home/project/a.code-workspace", `{"folders": [], "mcp": {"servers": %s}}`},
		{"vscode-settings", "home/project/.vscode/settings.json", `{"mcp": {"servers": %s}}`},
		{"vscode-user", "home/.config/Code/User/mcp.json", `{"servers": %s}`},
		{"copilot", "home/.copilot/mcp-config.json", `{"mcpServers": %s}`},
		{"copilot-project", "home/project/.github/mcp.json", `{"mcpServers": %s}`},
		{"mcphub-project", "home/project/.mcphub/servers.json", `{"mcpServers": %s}`},
		{"mcphub-user", "home/.config/mcphub/servers.json", `{"servers": %s, "inputs": []}`},
		{"goose", "home/.config/goose/config.yaml", "GOOSE_MODE: auto\nextensions:%s\n"},
		{"crush-project", "home/project/crush.json", `{"mcp": %s}`},
		{"crush-user", "home/.config/crush/crush.json", `{"mcp": %s}`},
		{"mcp-json", "home/project/mcp.json", `{"mcpServers": %s}`},
		{"cursor-project", "home/project/.cursor/mcp.json", `{"mcpServers": %s}`},
		{"cursor-user", "home/.cursor/mcp.json", `{"mcpServers": %s}`},
		{"devin-project", "home/project/.devin/mcp_config.json", `{"mcpServers": %s}`},
		{"windsurf", "home/.codeium/windsurf/mcp_config.json", `{"mcpServers": %s}`},
		{"zed-project", "home/project/.zed/settings.json", `{"context_servers": %s}`},
		{"zed-user", "home/.config/zed/settings.json", `{"theme": "One Dark", "context_servers": %s}`},
		{"claude-desktop", "home/.config/Claude/claude_desktop_config.json", `{"mcpServers": %s}`},
		{"codex-project", "home/project/.codex/config.toml", "model = \"m\"\n%s"},
		{"codex-user", "home/.codex/config.toml", "%s"},
		{"gemini-project", "home/project/.gemini/settings.json", `{"mcpServers": %s, "mcp": {}}`},
		{"gemini-user", "home/.gemini/settings.json", `{"mcpServers": %s}`},
		{"opencode-project", "home/project/opencode.json", `{"mcp": %s}`},
		{"opencode-directory", "home/project/.opencode/opencode.jsonc", `{"mcp": {"servers": %s}}`},
		{"opencode-user", "home/.config/opencode/opencode.json", `{"mcp": %s}`},
	}
}

// wrapped is a function that puts servers into a file of the reader, in the
// words of its tool.
func (r readerUnderTest) wrapped(m *machine) func(servers string) string {
	words := strings.NewReplacer()
	if strings.HasPrefix(r.name, "opencode") {
		words = strings.NewReplacer(
			`"command": "good-server", "args": [`, `"command": ["good-server", `,
			`"command": "c", "args": [`, `"command": ["c", `,
			`"command": "c", "args": "x"`, `"command": "x"`,
			`"command": "good-server"`, `"command": ["good-server"]`,
			`"command": "lost"`, `"command": ["lost"]`, `"command": "nul"`, `"command": ["nul"]`, `"command": "c"`, `"command": ["c"]`,
			`"env"`, `"environment"`,
		)
	}
	return func(servers string) string {
		return strings.ReplaceAll(fmt.Sprintf(r.wrap, words.Replace(servers)), "$/", m.root+"/")
	}
}

// language is what the shared inputs are in one language.
type language struct {
	good string // goodServers
	odd  func(wrap func(servers string) string) []oddInput
}

// language is that of the reader's file.
func (r readerUnderTest) language() language {
	switch {
	case filepath.Ext(r.file) == ".toml":
		return language{goodTOML, oddTOML}
	case filepath.Ext(r.file) == ".yaml":
		return language{goodYAML, oddYAML}
	case strings.HasPrefix(r.name, "mcphub"):
		return language{goodServers, oddJSON5}
	}
	return language{goodServers, oddInputs}
}

type oddInput struct{ name, text string }

const goodServers = `{
  "good": {"command": "good-server", "args": ["--port", "1"], "env": {"A": "b"}},
  "remote": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-A": "b"}}
}`

// encoded are a good file in the ways in which bytes make text, and none.
func encoded(good string) []oddInput {
	return []oddInput{
		{"byte order mark", "\ufeff" + good},
		{"UTF-16 little endian", utf16Text(good, true, false)},
		{"UTF-16 big endian", utf16Text(good, true, true)},
		{"UTF-16 without mark", utf16Text(good, false, false)},
		{"UTF-16 cut", utf16Text(good, true, false)[:21]},
		{"Latin-1", strings.Replace(good, "good-server", "caf\xe9", 1)},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n")},
		{"empty", ""},
		{"blank", " \n\n"},
	}
}

// oddInputs are files as they should not be. What is between good servers and
// a wrong one must not matter to the good ones.
func oddInputs(wrap func(servers string) string) []oddInput {
	beside := func(entry string) string { return wrap(`{"bad": ` + entry + `, "good": {"command": "good-server"}}`) }
	good := wrap(goodServers)
	return slices.Concat([]oddInput{
		{"valid", good},
		{"comments", "// first\n" + strings.Replace(wrap(goodServers), "{", "{ /* here */", 1) + "// last, without a line break"},
		{"trailing comma", wrap(`{"good": {"command": "good-server", "args": ["a",],},}`)},
	}, encoded(good), []oddInput{
		{"null", "null"},
		{"array", "[]"},
		{"servers are an array", wrap("[]")},
		{"servers are null", wrap("null")},
		{"entry is a string", beside(`"npx"`)},
		{"entry is null", beside(`null`)},
		{"args is a string", beside(`{"command": "c", "args": "x"}`)},
		{"args holds a number", beside(`{"command": "c", "args": ["a", 1]}`)},
		{"env is an array", beside(`{"command": "c", "env": []}`)},
		{"env holds an object", beside(`{"command": "c", "env": {"A": {}}}`)},
		{"headers is a string", beside(`{"url": "https://example.com", "headers": "x"}`)},
		{"numbers and booleans in env", beside(`{"command": "c", "env": {"N": 1.50, "B": true}}`)},
		{"command is a number", beside(`{"command": 1}`)},
		{"booleans as strings", beside(`{"command": "c", "disabled": "true"}`)},
		{"enabled is a word", beside(`{"command": "c", "enabled": "yes"}`)},
		{"type is a number", beside(`{"type": 1, "command": "c"}`)},
		{"unknown keys", beside(`{"command": "c", "comand": "d", "zzz": 1}`)},
		{"repeated keys", wrap(`{"good": {"command": "lost"}, "good": {"command": "lost", "command": "good-server", "env": {"A": "1", "A": "2"}}}`)},
		{"half written", good[:len(good)/2]},
		{"single quotes", strings.ReplaceAll(good, `"`, `'`)},
		{"line break in a string", strings.Replace(good, "good-server", "good\nserver", 1)},
		{"comma missing", strings.Replace(good, `"env`, `"x" "env`, 1)},
		{"nested too deep", wrap(strings.Repeat("[", 100_000))},
		{"strange names", wrap(`{"": {"command": "good-server"}, "a/b~c": {"args": 1}, "\u0000": {"command": "nul"}}`)},
	})
}

func utf16Text(s string, mark, bigEndian bool) string {
	if mark {
		s = "\ufeff" + s
	}
	var b bytes.Buffer
	for _, unit := range utf16.Encode([]rune(s)) {
		high, low := byte(unit>>8), byte(unit)
		if bigEndian {
			b.Write([]byte{high, low})
		} else {
			b.Write([]byte{low, high})
		}
	}
	return b.String()
}

func TestEveryReaderCopesWithEveryInput(t *testing.T) {
	t.Parallel()
	for _, reader := range readersUnderTest() {
		t.Run(reader.name, func(t *testing.T) {
			m := newMachine(t)
			wrap, language := reader.wrapped(m), reader.language()
			var got strings.Builder
			for _, in := range language.odd(wrap) {
				m.write(t, reader.file, []byte(in.text))
				fmt.Fprintf(&got, "== %s\n%s", in.name, m.render(m.discover(t)))
			}
			path := m.path(reader.file)
			inPlace := func(name string, make func() error) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if err := make(); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "== %s\n%s", name, m.render(m.discover(t)))
			}
			inPlace("directory in its place", func() error { return os.Mkdir(path, 0o700) })
			inPlace("symbolic link to itself", func() error { return os.Symlink(filepath.Base(path), path) })
			inPlace("symbolic link to nothing", func() error { return os.Symlink("nothing", path) })
			inPlace("symbolic link to a file", func() error {
				m.write(t, "home/elsewhere.json", []byte(wrap(language.good)))
				return os.Symlink(m.path("home/elsewhere.json"), path)
			})
			inPlace("50 MB", func() error {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					return err
				}
				return os.Truncate(path, 50<<20)
			})
			compareGolden(t, "testdata/inputs/"+reader.name+".txt", got.String())
		})
	}
}

func TestAFileOfExactlyTheLimitIsRead(t *testing.T) {
	m := newMachine(t)
	text := []byte(`{"mcpServers": {"good": {"command": "c"}}}`)
	text = append(text, bytes.Repeat([]byte(" "), maxFile-len(text))...)
	m.write(t, "home/project/.mcp.json", text)
	if r := m.discover(t); len(r.Entries) != 1 || len(r.Diagnostics) != 0 {
		t.Error(m.render(r))
	}
	m.write(t, "home/project/.mcp.json", append(text, ' '))
	if r := m.discover(t); len(r.Entries) != 0 || len(r.Diagnostics) != 1 {
		t.Error(m.render(r))
	}
}

func TestNoDiagnosticRepeatsAValue(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	quoted := []string{`"` + secret + `"`, secret, `"` + secret + "\n\"", `"\` + secret + `"`}
	words := []string{`"good-server"`, `"c"`, `"x"`, `"npx"`, `1`, `"yes"`, `"lost"`}
	for _, c := range []struct {
		provider    string
		reader      string
		old, values []string
	}{
		{"claude", "claude-project", words, quoted},
		{"mcphub", "mcphub-user", append(words, `'good-server'`, `0xFF`), append(quoted, "'"+secret+"'", `'\x`+secret+"'", "+"+secret)},
		{
			"goose", "goose",
			[]string{"good-server", "npx", "1", "yes", "lost", "x"},
			[]string{" " + secret, `"` + secret + `"`, `"` + secret, "*" + secret, "&" + secret, "!" + secret, "@" + secret, secret + ": " + secret + ": x", "\t" + secret},
		},
	} {
		reader := readerNamed(c.reader)
		m := newMachine(t)
		m.opts.Include = []string{c.provider}
		for _, in := range reader.language().odd(reader.wrapped(m)) {
			for _, old := range c.old {
				if !strings.Contains(in.text, old) {
					continue
				}
				for _, value := range c.values {
					m.write(t, reader.file, []byte(strings.ReplaceAll(in.text, old, value)))
					for _, d := range m.discover(t).Diagnostics {
						// The one message whose text is laid down repeats a type.
						if strings.Contains(d.Message, secret) && !strings.Contains(d.Message, "unknown server type") {
							t.Errorf("%s: %s: %s", c.reader, in.name, d.Message)
						}
					}
				}
			}
		}
	}
}

func readerNamed(name string) readerUnderTest {
	for _, r := range readersUnderTest() {
		if r.name == name {
			return r
		}
	}
	panic("no reader " + name)
}
