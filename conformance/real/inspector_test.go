package real

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inspector is the MCP Inspector, whose CLI asks one thing of a server and ends, and
// whose mcpdo keeps the server, in a daemon, from one command to the next.
type inspector struct {
	*desk

	t    *testing.T
	dirs []string // variables that give it directories of its own
	era  string   // legacy, auto or modern
}

func newInspector(t *testing.T, era string) *inspector {
	t.Helper()
	needClients(t)
	dir, err := os.MkdirTemp("", "inspector") //nolint:usetesting // t.TempDir is too long for the name of the daemon's socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &inspector{
		desk: newDesk(t), t: t, era: era,
		dirs: []string{"MCP_STORAGE_DIR=" + dir, "MCP_INSPECTOR_DAEMON_DIR=" + dir, "MCP_INSPECTOR_SECRET_STORE=file"},
	}
}

// running is one run of the Inspector.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// start runs a program of the Inspector's.
func (i *inspector) start(program string, args ...string) *running {
	i.t.Helper()
	js := script(i.t, "node_modules/@modelcontextprotocol/inspector/clients/"+program)
	r := &running{cmd: i.command(append([]string{"node", js}, args...)...)}
	r.cmd.Env = append(r.cmd.Env, i.dirs...)
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { r.cmd.Process.Kill() })
	return r
}

// end waits for the end of a run, and returns its exit code.
func (i *inspector) end(r *running) (code int) {
	i.t.Helper()
	hung := time.AfterFunc(patience, func() { r.cmd.Process.Kill() })
	defer hung.Stop()
	var ended *exec.ExitError
	if err := r.cmd.Wait(); err != nil && !errors.As(err, &ended) {
		i.t.Fatal(err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// result waits for the end of a run that is to go well, and decodes what it printed.
func (i *inspector) result(r *running, v any) {
	i.t.Helper()
	if code := i.end(r); code != 0 {
		i.t.Fatalf("%q ended with %d: %s", r.cmd.Args, code, r.stderr.String())
	}
	if v != nil {
		decode(i.t, r.stdout.Bytes(), v)
	}
}

// settings are the options that give the face its environment. The Inspector passes on
// nothing else.
func (i *inspector) settings() []string {
	var args []string
	for _, v := range i.variables() {
		args = append(args, "-e", v)
	}
	return append(args, "--cwd", i.project(), "--connect-timeout", strconv.FormatInt(patience.Milliseconds(), 10))
}

// ask starts the CLI with the face as its server.
func (i *inspector) ask(method string, args ...string) *running {
	i.t.Helper()
	return i.start("launcher/build/index.js", slices.Concat(
		[]string{"--cli"}, i.settings(), []string{"--protocol-era", i.era, "--method", method}, args, []string{"--"}, i.face())...)
}

// do starts mcpdo.
func (i *inspector) do(args ...string) *running {
	i.t.Helper()
	return i.start("mcpdo/build/mcp-bin.js", append([]string{"--format", "json", "--connection", "face"}, args...)...)
}

type toolList struct{ Tools json.RawMessage }

// listed are the tools that a run prints.
func (i *inspector) listed(r *running) map[string]json.RawMessage {
	i.t.Helper()
	var list toolList
	i.result(r, &list)
	return byName(i.t, list.Tools)
}

// printed is the text of a tool's result that a run prints.
func (i *inspector) printed(r *running) string {
	i.t.Helper()
	var result struct{ Content []struct{ Text string } }
	i.result(r, &result)
	if len(result.Content) != 1 {
		i.t.Fatalf("the result is %s", r.stdout.String())
	}
	return result.Content[0].Text
}

const sum = "The sum of 2 and 3 is 5."

// It is not cold in the stateless era: it listens there, so that its one list waits only
// a little for servers that have never run.
func TestTheInspectorListsAndCallsColdAndWarm(t *testing.T) {
	t.Parallel()
	i := newInspector(t, "legacy")
	if got := i.listed(i.ask("tools/list")); !has(got, echoTool, memoryTool) || has(got, lateTool) {
		t.Errorf("cold: %q is listed, want the tools of everything and memory", names(got))
	}
	i.finished(t, 1, notAtFirst)

	// Each run is a session of its own, so what came late is in the next.
	i.late.release(t)
	if got := i.listed(i.ask("tools/list")); !has(got, echoTool, memoryTool, lateTool) {
		t.Errorf("when the late server has come: %q is listed", names(got))
	}
	i.finished(t, 1)

	for _, era := range []string{"legacy", "modern"} {
		i.era = era
		if got := i.listed(i.ask("tools/list")); !has(got, echoTool, memoryTool, lateTool) {
			t.Errorf("warm, %s: %q is listed, and the late server is held", era, names(got))
		}
		i.finished(t, 1)
		late := i.ask("tools/call", "--tool-name", lateTool)
		i.late.awaitHeld(t)
		i.late.release(t)
		if got := i.printed(late); !strings.Contains(got, i.project()) {
			t.Errorf("warm, %s: the late server answers %q", era, got)
		}
		i.finished(t, 1)
	}
}

func TestTheInspectorCallsColdAndTellsErrors(t *testing.T) {
	t.Parallel()
	i := newInspector(t, "legacy")
	if got := i.printed(i.ask("tools/call", "--tool-name", "everything_get-sum", "--tool-arg", "a=2", "b=3")); got != sum {
		t.Errorf("the sum: %q", got)
	}
	i.finished(t, 1, notAtFirst)
	refused := i.ask("tools/call", "--tool-name", "everything_get-sum", "--tool-arg", "a=two", "b=3")
	i.late.release(t)
	const isError = 5
	if code := i.end(refused); code != isError || !strings.Contains(refused.stderr.String(), "tool_is_error") {
		t.Errorf("a sum of words: exit code %d, %s", code, refused.stderr.String())
	}
	i.finished(t, 1)
}

func TestTheInspectorSeesALateServerCome(t *testing.T) {
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			i := newInspector(t, era)
			connect := slices.Concat([]string{"connect", "--era", era}, i.settings(), []string{"--"}, i.face())
			i.result(i.do(connect...), nil)
			t.Cleanup(func() { i.end(i.do("daemon", "stop")) })
			first := i.listedWith(echoTool, memoryTool)
			if has(first, lateTool) {
				t.Errorf("%q is listed before the late server has come", names(first))
			}
			i.late.release(t)
			all := i.listedWith(lateTool)
			if diff := cmp.Diff(names(first), slices.DeleteFunc(names(all), func(name string) bool {
				return strings.HasPrefix(name, "late_")
			})); diff != "" {
				t.Errorf("the other tools (-before +after):\n%s", diff)
			}
			if got := i.printed(i.do("tools/call", lateTool)); !strings.Contains(got, i.project()) {
				t.Errorf("the late server answers %q", got)
			}
			if got := i.printed(i.do("tools/call", "everything_get-sum", "a:=2", "b:=3")); got != sum {
				t.Errorf("the sum: %q", got)
			}
			i.result(i.do("disconnect"), nil)
			i.result(i.do("daemon", "stop"), nil)
			i.finished(t, 1, notAtFirst)
		})
	}
}

// listedWith lists, in the session there is, until the tools are there: nobody is told by
// mcpdo that the list has changed.
func (i *inspector) listedWith(tools ...string) map[string]json.RawMessage {
	i.t.Helper()
	for late := time.Now().Add(patience); ; {
		list := i.listed(i.do("tools/list"))
		if has(list, tools...) {
			return list
		}
		if time.Now().After(late) {
			i.t.Fatalf("%q did not come; %q is listed", tools, names(list))
		}
	}
}
