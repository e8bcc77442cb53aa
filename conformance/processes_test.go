//go:build unix

package conformance

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

// stubborn is a server in the manner of npx: it has a child, and neither of
// them goes when asked to.
const stubborn = `
tool echo
tool stuck
on start
  grandchild
  ignore eof
  ignore term
on tools/call stuck
  hold for ever
`

func fakeFiles(fakes map[string]string) []txtar.File {
	var files []txtar.File
	for name, script := range fakes {
		files = append(files, txtar.File{Name: "fake/" + name, Data: []byte(script)})
	}
	return files
}

// quick makes stopping a stubborn server short.
const quick = `"timeouts":{"shutdownMs":200}`

func stubbornSettings(more string) string {
	return `{"servers":{"npx":{$STDIO(npx)}},` + more + `}`
}

func TestL36TheTreeIsGoneWhenShutdownIsAnswered(t *testing.T) {
	t.Parallel()
	w, s := session(t, stubbornSettings(quick), map[string]string{"npx": stubborn})
	must(t, s.say(`{"id":2,"method":"runtime/shutdown"}`))
	must(t, s.expect([]string{`{"id":2,"result":{}}`}, nil))
	must(t, w.hub.AwaitEnd(w.ctx, "npx"))
	must(t, w.hub.AwaitEnd(w.ctx, "npx.child"))
	must(t, s.say(`{"method":"runtime/exit"}`))
	must(t, s.exit(0))
	must(t, w.ended())
}

func TestL36AServerThatIsOnlySlowIsGivenTimeToEnd(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{"servers":{"polite":{$STDIO(polite)}},"timeouts":{"shutdownMs":30000}}`,
		map[string]string{"polite": "tool echo\non eof\n  hold tidy\n"})
	must(t, s.say(`{"id":2,"method":"runtime/shutdown"}`))
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "polite", Text: "eof"}))
	w.hub.Release("polite", "tidy")
	must(t, s.expect([]string{`{"id":2,"result":{}}`}, nil))
	if n := w.hub.Count(control.Event{Fake: "polite", Text: "term"}); n != 0 {
		t.Errorf("a server that ended by itself got %d TERM", n)
	}
	must(t, s.say(`{"method":"runtime/exit"}`))
	must(t, s.exit(0))
	must(t, w.ended())
}

func TestL36ReloadsLeaveOneTreeAndNoZombie(t *testing.T) {
	t.Parallel()
	// The gate is wide, so that each answer comes when the server is ready again.
	w, s := session(t, stubbornSettings(quick+`,"startup":{"gateMs":30000}`), map[string]string{"npx": stubborn})
	for i := range 10 {
		must(t, s.say(fmt.Sprintf(`{"id":%d,"method":"mcp/reload"}`, i+2)))
		must(t, s.expect([]string{fmt.Sprintf(`{"id":%d,"result":{"snapshot":{"servers":[{"phase":"ready"}]}}}`, i+2)}, nil))
		for _, fake := range []string{"npx", "npx.child"} {
			if pids := w.hub.PIDs(fake); len(pids) != 1 {
				t.Fatalf("after reload %d these processes of %s live: %v", i+1, fake, pids)
			}
		}
		if zombies := zombiesOf(s.cmd.Process.Pid); len(zombies) > 0 {
			t.Fatalf("after reload %d there are zombies: %v", i+1, zombies)
		}
	}
	must(t, s.stop())
	must(t, w.ended())
}

func TestL36WhatADeadServerLeavesIsKilledBeforeItIsStartedAgain(t *testing.T) {
	t.Parallel()
	w, s := session(t, stubbornSettings(quick), map[string]string{"npx": stubborn})
	must(t, w.hub.Kill("npx"))
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "npx.child", Text: control.Gone}))
	must(t, s.expect([]string{`{"method":"mcp/status","params":{"name":"npx","phase":"ready"}}`}, nil))
	must(t, s.stop())
	must(t, w.ended())
}

func TestL36NothingIsLeftWhenTheHostIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeFiles(map[string]string{"npx": stubborn}))
	host := newHost(w, initialize(w, stubbornSettings(quick)))
	must(t, host.Process.Kill())
	must(t, w.ended())
}

func TestL36NothingIsLeftWhenTheProcessThatTheHostNamedIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeFiles(map[string]string{"npx": stubborn}))
	named := exec.CommandContext(w.ctx, "cat")
	in, err := named.StdinPipe()
	must(t, err)
	must(t, named.Start())
	s := w.start(headers, nil, nil)
	message := strings.Replace(initialize(w, stubbornSettings(quick)), `"settings"`,
		fmt.Sprintf(`"processId":%d,"settings"`, named.Process.Pid), 1)
	must(t, s.say(message))
	must(t, s.expect([]string{`{"id":1,"result":{}}`}, nil))
	must(t, in.Close())
	must(t, named.Wait())
	must(t, w.ended())
}

func TestL36NothingIsLeftWhenTheSidecarIsKilled(t *testing.T) {
	t.Parallel()
	w, s := session(t, stubbornSettings(quick), map[string]string{"npx": stubborn})
	must(t, s.cmd.Process.Kill())
	must(t, w.ended())
}

// stdoutOf gives the sidecar the kinds of pipe that hosts give: Node and
// Neovim a socket, Python a pipe.
func stdoutOf(t *testing.T, kind string) (ours io.ReadCloser, theirs *os.File) {
	t.Helper()
	if kind == "pipe" {
		r, w, err := os.Pipe()
		must(t, err)
		return r, w
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	return os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
}

func TestL37AHostThatHasGoneIsNotWaitedFor(t *testing.T) {
	for _, kind := range []string{"pipe", "socket"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fakeFiles(map[string]string{"npx": stubborn}))
			ours, theirs := stdoutOf(t, kind)
			cmd := exec.CommandContext(w.ctx, binaries.sidecar, "--framing", "ndjson")
			cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = w.environment(), w.path("project"), theirs, os.Stderr
			in, err := cmd.StdinPipe()
			must(t, err)
			must(t, cmd.Start())
			must(t, theirs.Close())
			_, err = fmt.Fprintf(in, "%s\n%s\n", initialize(w, stubbornSettings(quick)),
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"server":"npx","tool":"stuck"}}`)
			must(t, err)
			must(t, w.hub.Await(w.ctx, control.Event{Fake: "npx", Text: "got tools/call stuck"}))
			must(t, ours.Close())
			must(t, in.Close())
			if err := cmd.Wait(); err != nil {
				t.Errorf("the sidecar ended with %v", err)
			}
			must(t, w.ended())
		})
	}
}

func TestL38ASecondSignalDoesNotWaitForTheServers(t *testing.T) {
	t.Parallel()
	w, s := session(t, stubbornSettings(`"timeouts":{"shutdownMs":600000}`), map[string]string{"npx": stubborn})
	must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "npx", Text: "eof"}))
	must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.wait()
	must(t, w.ended())
}

func TestL40ManySidecarsShareOneCache(t *testing.T) {
	t.Parallel()
	const settings = `{"servers":{"a":{$STDIO(a)},"b":{$STDIO(b)}},"startup":{"gateMs":0}}`
	w := newWorld(t, fakeFiles(map[string]string{
		"a": "tool one\ntool two\n",
		"b": "tool three\non start #7\n  hold for ever\n",
	}))
	var running []*sidecar
	for range 6 { // all at once, on a cold cache
		s := w.start(headers, nil, nil)
		must(t, s.say(initialize(w, settings)))
		running = append(running, s)
	}
	const all = `[{"name":"mcp_a_one"},{"name":"mcp_a_two"},{"name":"mcp_b_three"}]`
	for _, s := range running {
		must(t, s.expect([]string{`{"id":1,"result":{"snapshot":{"tools":` + all + `}}}`}, nil))
	}
	for _, s := range running {
		must(t, s.stop())
	}
	s := w.start(headers, nil, nil)
	must(t, s.say(initialize(w, settings)))
	must(t, s.expect([]string{`{"id":1,"result":{"snapshot":{"errors":[],"tools":[
		{"name":"mcp_a_one"},{"name":"mcp_a_two"},{"name":"mcp_b_three","state":"deferred"}]}}}`}, nil))
	must(t, s.stop())
	must(t, w.ended())
}

func TestACallTooManyIsRefusedAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	// Design 6, Limits: so many run, so many wait, of one server.
	const running, waiting = 64, 4096
	w, s := session(t, `{"servers":{"fs":{$STDIO(fs)}},"timeouts":{"shutdownMs":200}}`,
		map[string]string{"fs": "tool hang\ntool echo\non tools/call hang\n  hold for ever\n"})
	for i := range running + waiting + 1 {
		must(t, s.say(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"mcp_fs_hang"}}`, i+2)))
	}
	must(t, s.expect([]string{`{"error":{"code":1007}}`}, nil))
	if n := w.hub.Count(control.Event{Fake: "fs", Text: "got tools/call"}); n > running {
		t.Errorf("%d calls run at once, want at most %d", n, running)
	}
	must(t, s.say(`{"id":"last","method":"mcp/servers"}`))
	must(t, s.expect([]string{`{"id":"last","result":{}}`}, nil))
}

func TestAHostThatStopsReadingBlocksNoServer(t *testing.T) {
	t.Parallel()
	// Less than what makes a host that does not read count as gone.
	const calls = 24
	w := newWorld(t, fakeFiles(map[string]string{"fs": "tool big\ntool last\non tools/call big\n  big 1\n"}))
	s := w.startUnread(headers, nil, nil)
	must(t, s.say(initialize(w, `{"servers":{"fs":{$STDIO(fs)}}}`)))
	for i := range calls {
		must(t, s.say(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"mcp_fs_big"}}`, i+2)))
	}
	for range calls {
		must(t, w.hub.Await(w.ctx, control.Event{Fake: "fs", Text: "got tools/call big"}))
	}
	must(t, s.say(`{"id":1000,"method":"tools/call","params":{"name":"mcp_fs_last"}}`))
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "fs", Text: "got tools/call last"}))
	close(s.reading)
	must(t, s.expect([]string{`{"id":1,"result":{}}`}, nil))
	for range calls + 1 {
		must(t, s.expect([]string{`{"id":{"$like":2},"result":{"details":{"error":{"$absent":true}}}}`}, nil))
	}
	must(t, s.stop())
	must(t, w.ended())
}

func TestL17ACallThatCannotBeWrittenStillEnds(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{"servers":{"deaf":{$STDIO(deaf)},"good":{$STDIO(good)}},"timeouts":{"shutdownMs":200}}`, map[string]string{
		"deaf": "tool echo\non tools/call echo\n  deaf\n  hold for ever\n",
		"good": "tool echo\n",
	})
	must(t, s.say(`{"id":2,"method":"tools/call","params":{"name":"mcp_deaf_echo"}}`))
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "deaf", Text: "got tools/call echo"}))
	large := fmt.Sprintf(`{"fill":%q}`, strings.Repeat("x", 1<<20)) // more than any pipe holds
	must(t, s.say(`{"id":3,"method":"tools/call","params":{"name":"mcp_deaf_echo","timeoutMs":100,"arguments":`+large+`}}`))
	must(t, s.expect([]string{`{"id":3,"result":{"result":{"isError":true},"details":{"error":{"code":"timeout"}}}}`}, nil))
	must(t, s.say(`{"id":4,"method":"tools/call","params":{"name":"mcp_deaf_echo","arguments":`+large+`}}`))
	must(t, s.say(`{"id":5,"method":"tools/call","params":{"name":"mcp_good_echo","arguments":{"n":1}}}`))
	must(t, s.expect([]string{`{"id":5,"result":{"result":{"content":[{"text":"echo {\"n\":1}"}]}}}`}, nil))
	must(t, s.say(`{"method":"$/cancelRequest","params":{"id":4}}`))
	must(t, s.expect([]string{`{"id":4,"error":{"code":-32800}}`}, nil))
	must(t, s.say(`{"method":"$/cancelRequest","params":{"id":2}}`))
	must(t, s.expect([]string{`{"id":2,"error":{"code":-32800}}`}, nil))
	must(t, s.stop())
	must(t, w.ended())
}
