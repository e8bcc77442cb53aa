//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// project has a server of the project whose start leaves a file, and gives the
// path of that.
func (d *desk) project() (proof string) {
	d.t.Helper()
	proof = d.path("ran")
	d.write("project/.mcp.json", fmt.Sprintf(
		`{"mcpServers": {"theirs": {"command": "sh", "args": ["-c", "touch %[1]s; exit 1"], "env": {"KEY": "!touch %[1]s.value"}}}}`, proof))
	return proof
}

// ran says whether something of the project's server was run.
func (d *desk) ran(proof string) bool {
	for _, file := range []string{proof, proof + ".value"} {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}

func TestNothingOfAnUntrustedProjectRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	proof := d.project()
	for _, args := range []string{"list", "list --json", "call theirs tool", "trust list", "trust deny theirs", "list", "trust revoke theirs", "doctor", "config --json"} {
		got := d.run(d.sidecar(strings.Fields(args)...))
		if d.ran(proof) {
			t.Fatalf("%s ran it: %+v", args, got)
		}
	}
	got := d.run(d.sidecar("list"))
	if got.code != 0 || !strings.Contains(got.out, "theirs  untrusted") || !strings.Contains(got.out, "mcp-sidecar trust allow theirs") {
		t.Errorf("%+v", got)
	}
	// So that the proof is one.
	if got := d.run(d.sidecar("trust", "allow", "theirs")); got.code != 0 || d.ran(proof) {
		t.Errorf("%+v", got)
	}
	if got := d.run(d.sidecar("list")); got.code != 1 || !d.ran(proof) {
		t.Errorf("%+v", got)
	}
}

func TestTrustShowsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("project/.mcp.json", `{"mcpServers": {
		"a server": {"command": "run it", "args": ["--x=$HOME", "\u001b[31m"], "env": {"KEY": "${SOME_KEY}"}, "cwd": "below"},
		"web": {"url": "https://example.com/${SOME_PATH}", "headers": {"Authorization": "Bearer x"}}}}`)
	d.users(`"mine": {"command": "true"}`)
	for _, c := range []struct {
		args string
		code int
		want []string
		not  string
	}{
		{"trust list", 0, []string{
			"a server, from " + d.path("project/.mcp.json"), `runs      'run it' '--x=$HOME'`, "in        below", "with      KEY=${SOME_KEY}", "uses      ${SOME_KEY}",
			"contacts  https://example.com/${SOME_PATH}", "with      Authorization: Bearer x", "not decided",
		}, "mine"},
		{"trust list --json", 0, []string{`{"servers":[{"name":"a server"`, `"uses":["${SOME_KEY}"]`}, "mine"},
		{"trust allow web", 0, []string{"allowed", "not decided"}, ""},
		{"trust deny web", 0, []string{"denied"}, ""},
		{"trust revoke web", 0, []string{"not decided"}, "denied"},
		{"trust allow mine", 1, []string{`no file of the project has a server "mine"`}, ""},
		{"trust", 2, []string{"trust takes list"}, ""},
		{"trust allow", 2, []string{"names of servers"}, ""},
		{"trust list web", 2, []string{"takes no names"}, ""},
		{"trust forget web", 2, []string{"list, allow, deny and revoke"}, ""},
		{"help trust", 0, []string{"trust allow|deny|revoke SERVER"}, ""},
	} {
		got := d.run(d.sidecar(strings.Fields(c.args)...))
		all := got.out + got.errors
		for _, text := range c.want {
			if got.code != c.code || !strings.Contains(all, text) {
				t.Errorf("%s: code %d, no %q in\n%s", c.args, got.code, text, all)
			}
		}
		if c.not != "" && strings.Contains(all, c.not) || strings.Contains(all, "\x1b") {
			t.Errorf("%s:\n%s", c.args, all)
		}
	}
}

// answers runs a command at a terminal and types each answer when its question
// is there; an answer that is a function is called instead. It gives what the
// terminal showed.
func (d *desk) answers(cmd *exec.Cmd, dialogue ...any) string {
	d.t.Helper()
	screen, err := pty.Start(cmd)
	d.must(err)
	defer screen.Close()
	var seen strings.Builder
	piece := make([]byte, 4096)
	for {
		n, err := screen.Read(piece)
		seen.Write(piece[:n])
		for len(dialogue) > 0 && strings.Contains(seen.String(), dialogue[0].(string)) {
			switch answer := dialogue[1].(type) {
			case string:
				_, err := io.WriteString(screen, answer)
				d.must(err)
			case func():
				answer()
			}
			dialogue = dialogue[2:]
		}
		if err != nil { // the other end is closed
			break
		}
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ended) {
		d.t.Fatal(err)
	}
	if len(dialogue) > 0 {
		d.t.Errorf("%q was not asked:\n%s", dialogue[0], seen.String())
	}
	return seen.String()
}

func TestAtATerminalThePersonIsAsked(t *testing.T) {
	t.Parallel()
	const question = `Allow "theirs" to run?`
	for _, c := range []struct {
		name  string
		args  string
		types string
		runs  bool
		after string // what trust list says afterwards
	}{
		{"yes", "list", "y\n", true, "allowed"},
		{"no", "list", "no\n", false, "denied"},
		{"not now", "list", "\n", false, "not decided"},
		{"what is no answer", "list", "maybe\ny\n", true, "allowed"},
		{"the end of the input", "list", "\x04", false, "not decided"},
		{"an interruption", "list", "\x03", false, "not decided"},
		{"for a call", "call theirs tool", "y\n", true, "allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			proof := d.project()
			seen := d.answers(d.sidecar(strings.Fields(c.args)...), question, c.types)
			if d.ran(proof) != c.runs {
				t.Errorf("ran: %v\n%s", d.ran(proof), seen)
			}
			got := d.run(d.sidecar("trust", "list"))
			if !strings.Contains(got.out, c.after) {
				t.Errorf("afterwards: %s\nit was:\n%s", got.out, seen)
			}
		})
	}
}

func TestAQuestionThatIsSettledElsewhereIsTakenBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	proof := d.project()
	seen := d.answers(d.sidecar("list"), `Allow "theirs" to run?`, func() {
		if got := d.run(d.sidecar("trust", "deny", "theirs")); got.code != 0 {
			t.Error(got)
		}
	}, "settled", "y\n")
	if got := d.run(d.sidecar("trust", "list")); d.ran(proof) || !strings.Contains(got.out, "denied") {
		t.Errorf("%s\nit was:\n%s", got.out, seen)
	}
}

func TestWhatWasAnsweredBeforeAnInterruptionIsRemembered(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("project/.mcp.json", `{"mcpServers": {"a": {"command": "true"}, "b": {"command": "false"}}}`)
	d.answers(d.sidecar("list"), `Allow "a" to run?`, "y\n", `Allow "b" to run?`, "\x03")
	got := d.run(d.sidecar("trust", "list"))
	if strings.Count(got.out, "    allowed") != 1 || strings.Count(got.out, "not decided") != 1 {
		t.Error(got.out)
	}
}

func TestACallAsksAboutItsOwnServerOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.project()
	d.users(d.server("mine", "tool echo\n"))
	if seen := d.answers(d.sidecar("call", "mine", "echo")); !strings.Contains(seen, "echo") || strings.Contains(seen, "Allow") {
		t.Error(seen)
	}
}

func TestAtATerminalInputsAreAskedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("fake/vs", "tool keys\non tools/call keys\n  env KEYS\n")
	d.write("home/.config/Code/User/mcp.json", fmt.Sprintf(`{
		"inputs": [
			{"id": "token", "type": "promptString", "description": "API token", "password": true},
			{"id": "region", "type": "pickString", "options": ["eu", "us"]},
			{"id": "team", "type": "promptString", "default": "core"}],
		"servers": {"vs": {"command": %q, "args": [%q], "env": {"KEYS": "${input:token} ${input:region} ${input:team}"}}}}`,
		binaries.fake, d.path("fake/vs")))
	seen := d.answers(d.sidecar("call", "vs", "keys"),
		"2  us", "neither\n", "neither\r\nValue", "2\n", `(Enter: "core")`, "\n", "needs: API token", "hidden\n")
	if !strings.Contains(seen, "hidden us core") || strings.Count(seen, "hidden") != 1 {
		t.Error(seen)
	}
	for _, none := range []string{"\r", "\x04", "\x03"} {
		seen = d.answers(d.sidecar("call", "vs", "keys"), "2  us", "us\n", `(Enter: "core")`, "own\n", "needs: API token", none)
		if none == "\x03" {
			if !strings.Contains(seen, "interrupted") {
				t.Error(seen)
			}
		} else if !strings.Contains(seen, "a value is needed for ${input:token}\r") {
			t.Error(seen)
		}
	}
	// None for one makes the others unnecessary.
	seen = d.answers(d.sidecar("call", "vs", "keys"), "2  us", "\n")
	if strings.Contains(seen, "needs: API token") || !strings.Contains(seen, "a value is needed for ${input:region}, ${input:team}, ${input:token}") {
		t.Error(seen)
	}
}

// To allow a server must not allow another one of its name that was refused.
func TestAllowIsNotAboutWhatWasRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("project/.mcp-sidecar/mcp.json", `{"mcpServers": {"s": {"command": "first"}}}`)
	d.write("project/.mcp.json", `{"mcpServers": {"s": {"command": "second"}}}`)
	const first, second = "runs      first\n    ", "runs      second\n    "
	for _, c := range []struct {
		args string
		want []string
		not  string
	}{
		{"trust deny s", []string{first + "denied", second + "not decided"}, "allowed"},
		{"trust allow s", []string{first + "denied", second + "allowed"}, "not decided"},
		{"trust revoke s", []string{first + "not decided"}, "second"},
		{"trust deny s", []string{first + "denied", second + "not decided"}, "allowed"},
		{"trust deny s", []string{first + "denied", second + "denied"}, "allowed"},
		{"trust allow s", []string{first + "allowed"}, "second"},
	} {
		got := d.run(d.sidecar(strings.Fields(c.args)...))
		if got.code != 0 || strings.Contains(got.out, c.not) {
			t.Errorf("%s: %+v", c.args, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got.out, want) {
				t.Errorf("%s: %+v; want %q", c.args, got, want)
			}
		}
	}
}

// A decision that is not written down holds for nothing once the command ends.
func TestADecisionThatCannotBeWrittenFails(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"trust allow theirs", "trust deny theirs"} {
		d := newDesk(t)
		d.project()
		ledger := d.path("home/.local/state/mcp-sidecar/trust.json")
		d.must(os.MkdirAll(ledger, 0o700)) // no file
		if got := d.run(d.sidecar(strings.Fields(words)...)); got.code != 1 || got.out != "" || !strings.Contains(got.errors, ledger+": it is not a regular file") {
			t.Errorf("%s: %+v", words, got)
		}
		if got := d.run(d.sidecar("trust", "list")); got.code != 0 || !strings.Contains(got.out, "not decided") || !strings.Contains(got.errors, "error: "+ledger) {
			t.Errorf("%+v", got)
		}
		d.must(os.Remove(ledger))
		d.must(os.WriteFile(ledger, []byte("{"), 0o600))
		if got := d.run(d.sidecar(strings.Fields(words)...)); got.code != 0 || !strings.Contains(got.errors, "put aside") {
			t.Errorf("%s: %+v", words, got)
		}
	}
}
