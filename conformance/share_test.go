//go:build unix

package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

// shared has a session opened to guests, and gives its endpoint.
func shared(t *testing.T, s *sidecar) string {
	t.Helper()
	must(t, s.say(`{"id":"share","method":"runtime/share"}`))
	must(t, s.expect([]string{`{"id":"share","result":{"endpoint":{"$save":"endpoint","like":""}}}`}, nil))
	var endpoint string
	must(t, json.Unmarshal((*s.saved)["endpoint"], &endpoint))
	return endpoint
}

// attach is a guest whose initialize has been answered.
func (w *world) attach(endpoint string) *sidecar {
	w.t.Helper()
	g := w.start(headers, []string{"attach"}, []string{endpointVariable + "=" + endpoint})
	must(w.t, g.say(w.expand(`{"id":1,"method":"runtime/initialize","params":{$INIT}}`)))
	must(w.t, g.expect([]string{`{"id":1,"result":{}}`}, nil))
	return g
}

// answers takes messages until so many requests have been answered, and counts
// the answers of each.
func (s *sidecar) answers(n int) (map[string]int, error) {
	counts := map[string]int{}
	for sum := 0; sum < n; {
		message, err := s.next()
		if err != nil {
			return counts, err
		}
		var m struct {
			ID     json.RawMessage
			Result struct {
				Result json.RawMessage
			}
		}
		if err := json.Unmarshal(message, &m); err != nil {
			return counts, err
		}
		if m.ID == nil {
			continue
		}
		if m.Result.Result == nil {
			return counts, fmt.Errorf("a call was refused: %s", message)
		}
		counts[string(m.ID)]++
		sum++
	}
	return counts, nil
}

func TestL42TenGuestsAreAnsweredOnceEachWhileTheOwnerReloads(t *testing.T) {
	t.Parallel()
	const guests, calls, reloads = 10, 20, 3
	w, s := session(t, `{"servers":{"fs":{$STDIO(fs)}},"startup":{"gateMs":30000}}`, map[string]string{"fs": "tool echo\n"})
	endpoint := shared(t, s)
	all := make([]*sidecar, guests)
	for i := range all {
		all[i] = w.attach(endpoint)
	}
	for call := range calls {
		for _, g := range all {
			must(t, g.say(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"mcp_fs_echo"}}`, 100+call)))
		}
		if call%(calls/reloads) == 1 && call/(calls/reloads) < reloads {
			must(t, s.say(fmt.Sprintf(`{"id":%d,"method":"mcp/reload"}`, 10+call)))
			must(t, s.expect([]string{fmt.Sprintf(`{"id":%d,"result":{"snapshot":{"servers":[{"phase":"ready"}]}}}`, 10+call)}, nil))
			if pids := w.hub.PIDs("fs"); len(pids) != 1 {
				t.Errorf("after a reload these processes live: %v", pids)
			}
		}
	}
	for i, g := range all {
		counts, err := g.answers(calls)
		must(t, err)
		for id, n := range counts {
			if n != 1 {
				t.Errorf("guest %d: request %s was answered %d times", i, id, n)
			}
		}
		must(t, g.stop())
	}
	if n := w.hub.Count(control.Event{Fake: "fs", Text: "started"}); n != 1+reloads {
		t.Errorf("the server was started %d times, want once and once for each of %d reloads", n, reloads)
	}
	must(t, s.stop())
	must(t, w.ended())
}

func TestL43AGuestThatFloodsAndDoesNotReadDelaysNobody(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{"servers":{"fs":{$STDIO(fs)}}}`,
		map[string]string{"fs": "tool echo\ntool hang\non tools/call hang\n  hold for ever\n"})
	endpoint := shared(t, s)
	flood := w.startUnread(headers, []string{"attach"}, []string{endpointVariable + "=" + endpoint})
	must(t, flood.say(w.expand(`{"id":1,"method":"runtime/initialize","params":{$INIT}}`)))
	for i := range 64 {
		must(t, flood.say(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"mcp_fs_hang"}}`, 2+i)))
	}
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "fs", Text: "holding for ever"}))
	g := w.attach(endpoint)
	for _, quick := range []*sidecar{g, s} {
		for i := range 64 {
			must(t, quick.say(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"mcp_fs_echo"}}`, 2+i)))
		}
		if _, err := quick.answers(64); err != nil {
			t.Fatal(err)
		}
	}
	must(t, flood.cmd.Process.Kill())
	for range 64 {
		must(t, w.hub.Await(w.ctx, control.Event{Fake: "fs", Text: "got notifications/cancelled"}))
	}
	must(t, g.stop())
	must(t, s.stop())
	must(t, w.ended())
}

// However little of a guest is left open by others, nobody waits for its calls
// when it reads no more. That is no failure to be told of.
func TestL43AGuestThatReadsNoMoreIsGone(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{"servers":{"fs":{$STDIO(fs)}}}`, map[string]string{"fs": "tool hang\non tools/call hang\n  hold for ever\n"})
	endpoint := shared(t, s)
	for _, closed := range []string{"input, then output", "output, then input", "output"} {
		t.Run(closed, func(t *testing.T) {
			cmd := w.command(endpoint, "attach")
			var complaint strings.Builder
			cmd.Stderr = &complaint
			in, err := cmd.StdinPipe()
			must(t, err)
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			for _, said := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"runtime/initialize","params":{$INIT}}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_fs_hang"}}`,
			} {
				_, err = io.WriteString(in, w.expand(said)+"\n")
				must(t, err)
			}
			must(t, w.hub.Await(w.ctx, control.Event{Fake: "fs", Text: "holding for ever"}))
			if closed == "input, then output" {
				must(t, in.Close())
			}
			must(t, out.Close())
			if closed == "output, then input" {
				must(t, in.Close())
			}
			must(t, w.hub.Await(w.ctx, control.Event{Fake: "fs", Text: "got notifications/cancelled"}))
			must(t, cmd.Wait())
			if complaint.Len() > 0 {
				t.Errorf("it says %q", complaint.String())
			}
		})
	}
	must(t, s.stop())
	must(t, w.ended())
}

func TestAttachEndsQuietlyWhenNobodyReadsAndSaysWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{}`, nil)
	endpoint := shared(t, s)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	read, unread, err := os.Pipe()
	must(t, err)
	read.Close()
	defer unread.Close()
	for complaint, out := range map[string]*os.File{"": unread, "no space left": full} {
		cmd := w.command(endpoint, "attach")
		stdin, err := cmd.StdinPipe() // stays open
		must(t, err)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = out, &errs
		must(t, cmd.Start())
		_, err = io.WriteString(stdin, w.expand(`{"jsonrpc":"2.0","id":1,"method":"runtime/initialize","params":{$INIT}}`)+"\n")
		must(t, err)
		_ = cmd.Wait() // its code is looked at
		want := 0
		if complaint != "" {
			want = 1
		}
		if code := cmd.ProcessState.ExitCode(); code != want || (errs.Len() > 0) != (want == 1) || !strings.Contains(errs.String(), complaint) {
			t.Errorf("attach ended with %d and said %q", code, errs.String())
		}
	}
	must(t, s.stop())
	must(t, w.ended())
}

func TestL43NothingIsLeftWhenTheOwnersSidecarIsKilled(t *testing.T) {
	t.Parallel()
	w, s := session(t, stubbornSettings(quick), map[string]string{"npx": stubborn})
	endpoint := shared(t, s)
	g := w.attach(endpoint)
	must(t, g.say(`{"id":2,"method":"tools/call","params":{"name":"mcp_npx_stuck"}}`))
	must(t, w.hub.Await(w.ctx, control.Event{Fake: "npx", Text: "holding for ever"}))
	must(t, s.cmd.Process.Kill())
	must(t, g.exit(0)) // its connection is over, and so is it
	must(t, w.ended())
	// The next session takes away what the dead one left.
	left := sockets(t, w)
	if len(left) != 2 {
		t.Fatalf("a killed sidecar left %v, want a socket and a lock", left)
	}
	next := w.start(headers, nil, nil)
	must(t, next.say(initialize(w, `{}`)))
	must(t, next.expect([]string{`{"id":1,"result":{}}`}, nil))
	shared(t, next)
	for _, path := range left {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	must(t, next.stop())
	if left := sockets(t, w); len(left) > 0 {
		t.Errorf("an orderly end left %v", left)
	}
}

func sockets(t *testing.T, w *world) []string {
	t.Helper()
	found, err := filepath.Glob(w.path("run/mcp-sidecar/*"))
	must(t, err)
	return found
}

func TestAServerThatFindsTheSocketGetsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeFiles(map[string]string{"fs": "tool env\non tools/call env\n  env " + endpointVariable + "\ntool told\non tools/call told\n  env TOLD\n"}))
	// The sidecar itself is started where another session may be joined.
	s := w.start(headers, nil, []string{endpointVariable + "=unix:/another#secret-of-another"})
	must(t, s.say(initialize(w, `{"servers":{"fs":{$STDIO(fs),"env":{"TOLD":"!printenv `+endpointVariable+` || echo nothing"}}}}`)))
	must(t, s.expect([]string{`{"id":1,"result":{}}`}, nil))
	endpoint := shared(t, s)
	must(t, s.say(`{"id":2,"method":"tools/call","params":{"name":"mcp_fs_env"}}`))
	must(t, s.expect([]string{`{"id":2,"result":{"result":{"content":[{"text":""}]}}}`}, nil))
	must(t, s.say(`{"id":3,"method":"tools/call","params":{"name":"mcp_fs_told"}}`))
	must(t, s.expect([]string{`{"id":3,"result":{"result":{"content":[{"text":"nothing"}]}}}`}, nil))

	path, _, _ := strings.Cut(strings.TrimPrefix(endpoint, "unix:"), "#")
	initialized := w.expand(`{"jsonrpc":"2.0","id":1,"method":"runtime/initialize","params":{$INIT}}`) + "\n"
	for _, said := range []string{initialized, "mcp-sidecar guest \n" + initialized, "mcp-sidecar guest AAAAAAAAAAAAAAAAAAAAAAAAAA\n" + initialized} {
		conn, err := new(net.Dialer).DialContext(w.ctx, "unix", path)
		must(t, err)
		_, err = io.WriteString(conn, said)
		must(t, err)
		heard, err := io.ReadAll(conn)
		if err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
			t.Error(err)
		}
		if text := string(heard); !strings.HasPrefix(text, "refused: ") && text != "" || strings.Contains(text, "jsonrpc") {
			t.Errorf("a stranger who said %q heard %q", said, text)
		}
		conn.Close()
	}
	must(t, s.stop())
	must(t, w.ended())
}

// command is a command of the sidecar's where a session may be joined.
func (w *world) command(endpoint string, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, binaries.sidecar, words...)
	cmd.Env = append(w.environment(), endpointVariable+"="+endpoint)
	cmd.Dir = w.path("home")
	return cmd
}

// run has a command run to its end.
func (w *world) run(endpoint string, words ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	cmd := w.command(endpoint, words...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		w.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out), errs.String()
}

func TestWhoIsNotLetInIsToldWhyInALine(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{"servers":{"fs":{$STDIO(fs)}}}`, map[string]string{"fs": "tool echo\n"})
	endpoint := shared(t, s)
	path, _, _ := strings.Cut(endpoint, "#")
	refused := func(endpoint, want string) {
		t.Helper()
		for command, more := range map[string]string{"attach": "", "mcp": "", "doctor": "(without that variable, or with --cwd, "} {
			code, stdout, stderr := w.run(endpoint, command)
			if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 ||
				!strings.HasPrefix(stderr, "mcp-sidecar: "+endpointVariable+want) || !strings.Contains(stderr, more) {
				t.Errorf("%s ended with %d and said %q%s", command, code, stderr, stdout)
			}
		}
	}
	refused("/run/x.sock", ": it should be unix:PATH#TOKEN")
	refused(path, ": it should be unix:PATH#TOKEN")
	refused(path+"#AAAAAAAAAAAAAAAAAAAAAAAAAA", ": "+strings.TrimPrefix(path, "unix:")+": not let in: this is not the session's token")
	must(t, s.stop())
	for variable, want := range map[string]string{"": " is not set: the host", endpoint: ": the session has ended: nobody listens at "} {
		code, stdout, stderr := w.run(variable, "attach")
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "mcp-sidecar: "+endpointVariable+want) {
			t.Errorf("attach ended with %d and said %q%s", code, stderr, stdout)
		}
	}
	must(t, w.ended())
}

func TestDoctorAsksTheSessionOfTheEditor(t *testing.T) {
	t.Parallel()
	w, s := session(t, `{"servers":{"fs":{$STDIO(fs)}}}`, map[string]string{"fs": "tool echo\n"})
	endpoint := shared(t, s)
	doctor := func(flags ...string) (stdout, stderr string) {
		_, stdout, stderr = w.run(endpoint, append([]string{"doctor"}, flags...)...)
		return stdout, stderr
	}
	text, _ := doctor()
	for _, want := range []string{"The session that runs (" + endpointVariable + ")", "in " + w.path("project") + "\n", "fs  ready"} {
		if !strings.Contains(text, want) {
			t.Errorf("doctor does not say %q:\n%s", want, text)
		}
	}
	text, _ = doctor("--json", "fs")
	var report struct {
		Cwd     string
		Servers []struct{ Server struct{ Name, Phase string } }
	}
	must(t, json.Unmarshal([]byte(text), &report))
	if report.Cwd != w.path("project") || len(report.Servers) != 1 || report.Servers[0].Server.Phase != "ready" {
		t.Errorf("doctor --json says %s", text)
	}
	// What it says about another project, or about other wishes, is its own.
	for _, flags := range [][]string{{"--cwd", w.path("home")}, {"--trust=deny"}, {"--timeout=5"}} {
		if text, _ = doctor(flags...); !strings.HasPrefix(text, "mcp-sidecar ") || strings.Contains(text, "fs  ready") {
			t.Errorf("doctor %s says\n%s", flags, text)
		}
	}
	_, complaint := doctor("fz")
	if want := "mcp-sidecar: " + endpointVariable + `: unknown server "fz"; did you mean fs? (`; !strings.HasPrefix(complaint, want) {
		t.Errorf("doctor of a server that is not there says %q", complaint)
	}
	if n := w.hub.Count(control.Event{Fake: "fs", Text: "started"}); n != 1 {
		t.Errorf("the server was started %d times", n)
	}
	must(t, s.stop())
	text, complaint = doctor()
	if !strings.Contains(complaint, "the session has ended") || !strings.HasSuffix(complaint, "session of doctor's own\n") || !strings.Contains(text, "in "+w.path("home")+"\n") {
		t.Errorf("after the session, doctor says\n%s\n%s", complaint, text)
	}
	must(t, w.ended())
}
