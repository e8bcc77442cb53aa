//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// mistake is one that a home has, and what the doctor says of it.
type mistake struct {
	server   string
	file     string // relative to the desk
	line     int
	severity rpc.Severity
	message  string // a part
	fix      string // a part
}

// closedPort is the address of a port on which nobody listens.
func (d *desk) closedPort() string {
	d.t.Helper()
	l, err := new(net.ListenConfig).Listen(d.ctx, "tcp", "127.0.0.1:0")
	d.must(err)
	d.must(l.Close())
	return l.Addr().String()
}

// tenMistakes makes a home of which ten things are wrong.
func (d *desk) tenMistakes() []mistake {
	d.t.Helper()
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	d.t.Cleanup(closed.Close)
	for name, script := range map[string]string{"fine": "tool echo\n", "one": "tool one\n", "two": "tool two\n", "hangs": "on server/discover\n  hold ever\non initialize\n  hold ever\n"} {
		d.write("fake/"+name, script)
	}
	starts := func(script, more string) string {
		return fmt.Sprintf(`{"command": %q, "args": [%q]%s}`, binaries.fake, d.path("fake/"+script), more)
	}
	d.write("home/.claude.json", strings.Join([]string{
		`{"mcpServers": {`,
		`  "typo": {"command": "npxx", "args": ["-y", "a-server"]},`,
		`  "unset": ` + starts("fine", `, "env": {"A": "${SET_BY_NOBODY}"}`) + `,`,
		`  "refused": {"type": "http", "url": "http://` + d.closedPort() + `/mcp"},`,
		`  "login": {"type": "http", "url": "` + closed.URL + `/mcp"},`,
		`  "crash": {"command": "sh", "args": ["-c", "echo no license found >&2; exit 3"]},`,
		`  "hangs": ` + starts("hangs", `, "timeout": 500`) + `,`,
		`  "first": ` + starts("one", "") + `,`,
		`  "second": ` + starts("one", "") + `,`,
		`  "clash": ` + starts("one", `, "env": {"B": "1"}`),
		`}}`,
	}, "\n"))
	d.write("home/.config/mcp-sidecar/mcp.json", `{"mcpServers": {"clash": `+starts("two", "")+`}}`)
	d.write("home/.config/Code/User/mcp.json", "{\n  \"mcpServers\": {\"lost\": {\"command\": \"x\"}}\n}")
	d.write("home/.copilot/mcp-config.json", "{\"mcpServers\": {\n  \"a\": {\"command\": x}\n}}")
	const claude = "home/.claude.json"
	return []mistake{
		{"typo", claude, 2, rpc.SeverityError, `command "npxx" not found; PATH searched: `, `did you mean "npx"?`},
		{"unset", claude, 3, rpc.SeverityWarning, "the variable SET_BY_NOBODY is not set", "set SET_BY_NOBODY"},
		{"refused", claude, 4, rpc.SeverityError, "connection refused", "start the server, or check the port"},
		{"login", claude, 5, rpc.SeverityError, "HTTP 401", `"Authorization": "Bearer ${TOKEN}"`},
		{"crash", claude, 6, rpc.SeverityError, `exited with status 3 during initialize; its last line on stderr: "no license found"`, "in a terminal"},
		{"hangs", claude, 7, rpc.SeverityError, "took longer than 0.500 s", `in its entry ("timeout"`},
		{"second", claude, 9, rpc.SeverityWarning, `"second" starts the same as "first" in ` + d.path(claude) + ":8:", "nothing: it runs once"},
		{"clash", claude, 10, rpc.SeverityWarning, d.path("home/.config/mcp-sidecar/mcp.json") + ":1:", "another name"},
		{"", "home/.config/Code/User/mcp.json", 2, rpc.SeverityWarning, `"mcpServers" is not read in this file`, `rename the key "mcpServers" to "servers"`},
		{"", "home/.copilot/mcp-config.json", 2, rpc.SeverityError, "not a valid JSON value", "correct the file there"},
	}
}

func TestDoctorFindsAndExplainsTenMistakes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	want := d.tenMistakes()
	got := d.run(d.sidecar("doctor", "--json"))
	var r rpc.DoctorReport
	if err := json.Unmarshal([]byte(got.out), &r); err != nil || got.code != exitFailed || r.Healthy {
		t.Fatalf("%v: %+v", err, got)
	}
	for _, w := range want {
		about := slices.DeleteFunc(slices.Clone(r.Findings), func(f rpc.Finding) bool {
			return f.Server != w.server || f.Path != d.path(w.file)
		})
		if len(about) != 1 {
			t.Errorf("%s in %s: %d findings: %+v", w.server, w.file, len(about), about)
			continue
		}
		f := about[0]
		if f.Line != w.line || f.Column == 0 || f.Severity != w.severity || !strings.Contains(f.Message, w.message) || !strings.Contains(f.Fix, w.fix) {
			t.Errorf("%+v\nwant %+v", f, w)
		}
	}
	if len(r.Findings) != len(want) {
		t.Errorf("%d findings: %+v", len(r.Findings), r.Findings)
	}
	for _, s := range r.Servers {
		ready := slices.Contains([]string{"unset", "first", "clash"}, s.Server.Name)
		if ready != (s.Server.Phase == rpc.PhaseReady) {
			t.Errorf("%s is %s", s.Server.Name, s.Server.Phase)
		}
	}

	text := d.run(d.sidecar("doctor"))
	if text.code != exitFailed || !strings.Contains(text.out, "\n6 errors, 4 warnings: 8 servers, 3 ready; ") {
		t.Errorf("%+v", text)
	}
	flat := strings.Join(strings.Fields(text.out), " ")
	for _, w := range want {
		if where := fmt.Sprintf("%s: %s:%d:", w.severity, d.path(w.file), w.line); !strings.Contains(flat, where) || !strings.Contains(flat, w.message) || !strings.Contains(flat, w.fix) {
			t.Errorf("%+v is not printed in\n%s", w, text.out)
		}
	}
}

func TestDoctorOfAHealthyHomeSaysSoInALine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if got := d.run(d.sidecar("doctor")); got.code != 0 || !strings.Contains(got.out, "\nEverything is as it should be: no servers, 0 ready; ") || !strings.Contains(got.out, "No MCP servers are configured here") {
		t.Errorf("%+v", got)
	}
	d.users(d.server("fs", "tool echo\n"))
	got := d.run(d.sidecar("doctor"))
	if got.code != 0 || !strings.Contains(got.out, "\nEverything is as it should be: 1 server, 1 ready; ") || strings.Contains(got.out, "Findings") {
		t.Errorf("%+v", got)
	}
	got = d.run(d.sidecar("doctor")) // the tools may not be cached yet when the first one looks
	if flat := strings.Join(strings.Fields(got.out), " "); !strings.Contains(flat, "program "+binaries.fake) || !strings.Contains(flat, "cached: 1 tool") {
		t.Errorf("%s", got.out)
	}
}

func TestWarningsAloneAreNoFailureOfDoctor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.users(d.server("fs", "tool echo\n") + "," + d.server("other", "tool echo\n"))
	d.write("project/.mcp.json", `{"mcpServers": {"other": {"command": "touch", "args": ["`+d.path("touched")+`"]}}}`)
	got := d.run(d.sidecar("doctor"))
	if got.code != 0 || !strings.Contains(got.out, "\nno errors, 2 warnings: 2 servers, 1 ready; ") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(d.path("touched")); err == nil {
		t.Error("what nobody has allowed was started")
	}
}

func TestNothingThatDoctorListAndConfigPrintHasASecretOfTheConfiguration(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const secret = "canary-0123456789"
	d.users(`"leaky": {"command": "sh", "args": ["-c", "echo $TOKEN $1 $HARMLESS >&2; exit 1", "sh", "--password=` + secret + `-arg"],
		"env": {"TOKEN": "` + secret + `-env", "HARMLESS": "` + secret + `-other"}},
		"far": {"type": "http", "url": "http://me:` + secret + `-user@` + d.closedPort() + `/mcp?key=` + secret + `-query", "headers": {"Authorization": "Bearer ` + secret + `-header"}}`)
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}, {"config"}, {"config", "--json"}, {"list"}, {"list", "--json"}} {
		got := d.run(d.sidecar(append(args, "--log-level", "debug")...))
		if all := got.out + got.errors; strings.Contains(all, secret) || !strings.Contains(all, "leaky") {
			t.Errorf("%v: %s", args, all)
		}
	}
}

func TestConfigPrintsWhatCountsAndStartsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	touch := func(name string) string { return fmt.Sprintf(`"command": "touch", "args": [%q]`, d.path(name)) }
	d.write("home/.claude.json", `{"mcpServers": {
  "a": {`+touch("a")+`},
  "b": {`+touch("a")+`},
  "off": {`+touch("off")+`, "enabled": false},
  "odd": {"command": 7},
  "shared": {`+touch("shared")+`}
}}`)
	d.write("home/.config/mcp-sidecar/mcp.json", `{"mcpServers": {"shared": {"command": "x", "env": {"V": "!touch `+d.path("run")+`"}}}}`)
	d.write("project/.mcp.json", `{"mcpServers": {"theirs": {`+touch("theirs")+`}}}`)
	const want = `a  stdio, enabled
    from $home/.claude.json:2:8 (Claude Code, user)
    also b in $home/.claude.json:3:8
    {"command":"touch","args":["$a"]}

odd  stdio, invalid
    from $home/.claude.json:5:10 (Claude Code, user)
    {"command":7}
    error: $home/.claude.json:5:22: Server "odd": command: expected a string, found a number

off  stdio, disabled
    from $home/.claude.json:4:10 (Claude Code, user)
    {"command":"touch","args":["$off"],"enabled":false}

shared  stdio, enabled
    from $home/.config/mcp-sidecar/mcp.json:1:27 (mcp-sidecar, user)
    instead of the one in $home/.claude.json:6:13 (Claude Code, user)
    {"command":"x","env":{"V":"!touch $run"}}

theirs  stdio, untrusted
    from $project/.mcp.json:1:27 (Claude Code, project)
    {"command":"touch","args":["$theirs"]}
`
	got := d.run(d.sidecar("config"))
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if text := strings.ReplaceAll(got.out, d.root+"/", "$"); got.code != exitFailed || flat(text) != flat(want) {
		t.Errorf("exit code %d\n%s", got.code, text)
	}
	for _, name := range []string{"a", "off", "shared", "run", "theirs"} {
		if _, err := os.Stat(d.path(name)); err == nil {
			t.Errorf("%s was run", name)
		}
	}

	var c struct {
		Servers []struct{ Name, State string }
	}
	var snap rpc.Snapshot
	d.must(json.Unmarshal([]byte(d.run(d.sidecar("config", "--json")).out), &c))
	d.must(json.Unmarshal([]byte(d.run(d.sidecar("list", "--json")).out), &snap))
	if len(c.Servers) != len(snap.Servers) {
		t.Fatalf("config has %+v, list %+v", c.Servers, snap.Servers)
	}
	for i, s := range snap.Servers {
		state := string(s.Phase)
		if s.Phase == rpc.PhaseFailed {
			state = "enabled"
		}
		if c.Servers[i].Name != s.Name || c.Servers[i].State != state {
			t.Errorf("config has %+v, list %s %s", c.Servers[i], s.Name, s.Phase)
		}
	}
}
