package config

import (
	"slices"
	"strings"
	"testing"
)

const goodTOML = `
[mcp_servers.good]
command = "good-server"
args = ["--port", "1"]
env = { A = "b" }

[mcp_servers.remote]
url = "https://example.com/mcp"
http_headers = { X-A = "b" }
`

// oddTOML is oddInputs in TOML, and what is odd in TOML alone.
func oddTOML(wrap func(servers string) string) []oddInput {
	const after = "\n[mcp_servers.good]\ncommand = \"good-server\"\n"
	beside := func(entry string) string { return wrap("[mcp_servers.bad]\n" + entry + after) }
	good := wrap(goodTOML)
	return slices.Concat([]oddInput{
		{"valid", good},
		{"comments", "# first\n" + strings.Replace(good, "command", "# here\ncommand", 1) + "# last, without a line break"},
		{"trailing comma", wrap("[mcp_servers.good]\ncommand = \"good-server\"\nargs = [\n  \"a\",\n]\n")},
	}, encoded(good), []oddInput{
		{"a word", "null"},
		{"JSON", `{"mcp_servers": {"good": {"command": "good-server"}}}`},
		{"servers are an array", wrap("mcp_servers = []")},
		{"servers are an array of tables", wrap("[[mcp_servers]]\ncommand = \"good-server\"\n")},
		{"servers are a string", wrap(`mcp_servers = "npx"`)},
		{"servers have another name", wrap("[mcpServers.good]\ncommand = \"good-server\"\n")},
		{"entry is a string", wrap("[mcp_servers]\nbad = \"npx\"\n" + after)},
		{"entry is an array of tables", wrap("[[mcp_servers.bad]]\ncommand = \"c\"\n" + after)},
		{"entry is empty", beside("")},
		{"args is a string", beside("command = \"c\"\nargs = \"x\"")},
		{"args holds a number", beside("command = \"c\"\nargs = [\"a\", 1]")},
		{"env is an array", beside("command = \"c\"\nenv = []")},
		{"env holds a table", beside("command = \"c\"\n[mcp_servers.bad.env.A]\n")},
		{"http_headers is a string", beside("url = \"https://example.com\"\nhttp_headers = \"x\"")},
		{"numbers, booleans and dates in env", beside("command = \"c\"\n[mcp_servers.bad.env]\nN = 1.50\nH = 0xff\nI = inf\nB = true\nD = 2026-11-30\n")},
		{"command is a number", beside("command = 1")},
		{"booleans as strings", beside("command = \"c\"\nenabled = \"false\"")},
		{"enabled is a word", beside("command = \"c\"\nenabled = \"yes\"")},
		{"limits of all kinds", beside("command = \"c\"\nstartup_timeout_sec = 1.5\ntool_timeout_sec = \"60\"")},
		{"limits of no use", beside("command = \"c\"\nstartup_timeout_sec = nan\ntool_timeout_sec = -1")},
		{"unknown keys", beside("command = \"c\"\ncomand = \"d\"\nzzz = 1")},
		{"repeated keys", beside("command = \"lost\"\ncommand = \"c\"")},
		{"repeated tables", wrap(after + after)},
		{"dotted keys", wrap("mcp_servers.good.command = \"good-server\"\nmcp_servers.good.env.A = \"b\"\n")},
		{"inline tables", wrap(`mcp_servers = { good = { command = "good-server", env = { A = "b" } } }`)},
		{"long strings", beside("command = '''\nc'''\nargs = [\"\"\"\n  a \\\n  b\"\"\"]")},
		{"half written", good[:len(good)/2]},
		{"half a header", good[:strings.Index(good, "remote")]},
		{"single quotes", strings.ReplaceAll(good, `"`, `'`)},
		{"line break in a string", strings.Replace(good, "good-server", "good\nserver", 1)},
		{"equals sign missing", strings.Replace(good, "command =", "command", 1)},
		{"nested too deep", wrap("mcp_servers = " + strings.Repeat("[", 100_000))},
		{"strange names", wrap("[mcp_servers.\"\"]\ncommand = \"good-server\"\n[mcp_servers.\"a/b~c\"]\nargs = 1\n[mcp_servers.\"\\u0000\"]\ncommand = \"nul\"\n")},
	})
}

func TestNoDiagnosticRepeatsAValueOfTOML(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	m := newMachine(t)
	for _, in := range oddTOML(func(s string) string { return s }) {
		for _, old := range []string{`"good-server"`, `"c"`, `"x"`, `"npx"`, `1`, `"yes"`, `"lost"`, `2026-11-30`, `nan`, `null`} {
			for _, value := range []string{`"` + secret + `"`, secret, `"` + secret + "\n\"", `"\` + secret + `"`, "'''" + secret} {
				m.write(t, "home/project/.codex/config.toml", []byte(strings.ReplaceAll(in.text, old, value)))
				for _, d := range m.discover(t).Diagnostics {
					if strings.Contains(d.Message, secret) {
						t.Errorf("%s: %s", in.name, d.Message)
					}
				}
			}
		}
	}
}
