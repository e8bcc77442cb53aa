//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

func TestTheCommandLineIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const none = "No MCP servers are configured here"
	cases := []struct {
		args   string
		code   int
		out    string // in standard output
		errors string // in standard error
	}{
		{"list", 0, none, ""},
		{"--cwd . list", 0, none, ""},
		{"--json list --cwd .", 0, `"servers":[]`, ""},
		{"--trust allow list", 0, none, ""},
		{"list --framing ndjson", 2, "", "--framing is an option of serving a host only\nSee: mcp-sidecar help list"},
		{"list --only x", 2, "", "--only is an option of mcp only\nSee: mcp-sidecar help list"},
		{"mcp --wait -1", 2, "", "--wait is -1, not a number of seconds from 0 to 3600\nSee: mcp-sidecar help mcp"},
		{"--max-message 5 call a b", 2, "", "--max-message is an option of serving a host only"},
		{"--json", 2, "", "--json is an option of list, call, trust, doctor, config only"},
		{"list more", 2, "", "list takes no arguments"},
		{"doctor more and", 2, "", "doctor takes the name of one server"},
		{"config more", 2, "", "config takes no arguments"},
		{"help doctor", 0, "mcp/doctor", ""},
		{"help config", 0, "starts nothing", ""},
		{"doctor --framing ndjson", 2, "", "--framing is an option of serving a host only"},
		{"config", 0, none, ""},
		{"--cwd . call a", 2, "", "call takes SERVER TOOL"},
		{"nonsense", 2, "", `unknown command "nonsense"`},
		{"--json nonsense", 2, "", `unknown command "nonsense"`},
		{"nonsense --help", 2, "", `unknown command "nonsense"`},
		{"help nonsense", 2, "", `unknown command "nonsense"`},
		{"help", 0, "--framing", ""},
		{"help help", 0, "--framing", ""},
		{"help list", 0, "--trust", ""},
		{"--cwd . help call", 0, "SERVER TOOL", ""},
		{"list --help", 0, "needs-input or\nsuspended", ""},
		{"-h", 0, "--framing", ""},
		{"--version", 0, "mcp-sidecar ", ""},
		{"--framing xml", 2, "", `"xml" is not one of auto, headers, ndjson`},
		{"--cwd nowhere list", 2, "", "--cwd nowhere: no such file or directory"},
		{"--unheard-of list", 2, "", "--unheard-of"},
		{"list --log-level loud", 2, "", "--log-level"},
	}
	for _, c := range cases {
		got := d.run(d.sidecar(strings.Fields(c.args)...))
		if got.code != c.code || !strings.Contains(got.out, c.out) || !strings.Contains(got.errors, c.errors) ||
			c.code == exitUsage && got.out != "" {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
}

// host speaks newline-delimited JSON with a sidecar.
type host struct {
	*exec.Cmd

	in  io.WriteCloser
	out *bufio.Reader
}

// start starts the sidecar. Its standard error is not read.
func (d *desk) start(args ...string) (h *host, unread *os.File) {
	d.t.Helper()
	h = &host{Cmd: d.sidecar(append(args, "--framing", "ndjson")...)}
	var err error
	h.in, err = h.StdinPipe()
	d.must(err)
	out, err := h.StdoutPipe()
	d.must(err)
	h.out = bufio.NewReader(out)
	unread, writes, err := os.Pipe()
	d.must(err)
	h.Stderr = writes
	d.must(h.Start())
	d.must(writes.Close())
	d.t.Cleanup(func() {
		_ = h.Process.Kill()
		_ = h.Wait()
		_ = unread.Close()
	})
	return h, unread
}

func (h *host) say(format string, args ...any) error {
	_, err := fmt.Fprintf(h.in, format+"\n", args...)
	return err
}

// await reads until a line has text.
func (h *host) await(text string) error {
	for {
		line, err := h.out.ReadString('\n')
		if err != nil || strings.Contains(line, text) {
			return err
		}
	}
}

func (d *desk) initialize(more string) string {
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":"runtime/initialize","params":{"protocolVersion":1,"client":{"name":"test","version":"1"},"cwd":%q%s}}`,
		d.path("project"), more)
}

func TestAHostThatDoesNotReadStandardErrorIsAnswered(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"stderr", "log file"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			args := []string{"--log-level", "debug"}
			if where == "log file" {
				// Another pipe that is not read, held open by this process.
				read, write, err := os.Pipe()
				d.must(err)
				defer read.Close()
				defer write.Close()
				args = append(args, "--log-file", fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), write.Fd()))
				if _, err := os.Stat("/proc/self/fd"); err != nil {
					t.Skip("there are no names for pipes here")
				}
			}
			h, _ := d.start(args...)
			const frames = 5000
			spoken := make(chan error, 1)
			go func() { // ends with the frames, or the sidecar
				for range frames {
					if err := h.say(`{"malformed`); err != nil {
						spoken <- err
						return
					}
				}
				spoken <- nil
			}()
			for i := range frames {
				if err := h.await("-32700"); err != nil {
					t.Fatalf("after %d answers: %v", i, err)
				}
			}
			d.must(<-spoken)
			d.must(h.in.Close())
			d.must(h.Wait())
		})
	}
}

func TestAnUnreadableHeaderLeavesALineOnStandardErrorWhereverTheLogGoes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--log-file", "log"}} {
		d := newDesk(t)
		cmd := d.sidecar(append(args, "--framing", "headers")...)
		cmd.Stdin = strings.NewReader("Content-Length: many\r\n\r\n")
		got := d.run(cmd)
		if got.code != 2 || strings.Count(got.errors, "\n") != 1 || !strings.Contains(got.errors, "unreadable header block") || got.out != "" {
			t.Errorf("%v: %+v", args, got)
		}
		if args == nil {
			continue
		}
		if text, err := os.ReadFile(d.path("project/log")); err != nil || !strings.Contains(string(text), "unreadable header block") {
			t.Errorf("the log has %q, %v", text, err)
		}
	}
}

func TestALogFileThatCannotBeWrittenIsNotTheEnd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(syscall.Mkfifo(d.path("pipe"), 0o600))
	for _, file := range []string{d.path("pipe"), d.path("no/such"), d.path("project")} {
		cmd := d.sidecar("--framing", "ndjson", "--log-file", file)
		cmd.Stdin = strings.NewReader(d.initialize("") + "\n")
		got := d.run(cmd)
		if got.code != 0 || !strings.Contains(got.out, `"id":1,"result"`) || !strings.Contains(got.errors, file) {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

func TestServingNeedsNoDirectoryOfItsOwn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.users(d.server("fs", "tool echo\n"))
	d.write("gone/x", "")
	serve := `cd "$1" && rm -r "$1" && exec "$2" `
	cmd := exec.CommandContext(d.ctx, "sh", "-c", serve+"--framing ndjson", "sh", d.path("gone"), binaries.sidecar)
	cmd.Env, cmd.Stdin = d.env, strings.NewReader(d.initialize("")+"\n")
	if got := d.run(cmd); got.code != 0 || !strings.Contains(got.out, `"mcp_fs_echo"`) {
		t.Errorf("%+v", got)
	}
	d.write("gone/x", "")
	cmd = exec.CommandContext(d.ctx, "sh", "-c", serve+"list", "sh", d.path("gone"), binaries.sidecar)
	cmd.Env = d.env
	if got := d.run(cmd); got.code != 2 || !strings.Contains(got.errors, "the current directory") {
		t.Errorf("list: %+v", got)
	}
}

func TestAReaderOfTheOutputThatIsGoneEndsACommandQuietly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.users(d.server("fs", "tool echo\n"))
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"call", "fs", "echo"}, {"help"}} {
		read, write, err := os.Pipe()
		d.must(err)
		d.must(read.Close())
		cmd := d.sidecar(args...)
		cmd.Stdout = write
		got := d.run(cmd)
		d.must(write.Close())
		if got.code != 1 || got.errors != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if err := d.hub.AwaitEnd(d.ctx, "fs"); err != nil {
		t.Error(err)
	}
}

func TestAFullDiskIsToldOfOutput(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no full disk here")
	}
	defer full.Close()
	d := newDesk(t)
	cmd := d.sidecar("list")
	cmd.Stdout = full
	if got := d.run(cmd); got.code != 1 || !strings.Contains(got.errors, "no space left") {
		t.Errorf("%+v", got)
	}
}

// A server in the manner of npx: neither it nor its child go when asked to.
const stubborn = "tool echo\ntool stuck\non start\n  grandchild\n  ignore eof\n  ignore term\non tools/call stuck\n  hold call\n"

func TestControlCEndsACommandAndLeavesNothing(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, script, event string
		signal              syscall.Signal
		args                []string
		code                int
	}{
		{"list", "on start\n  grandchild\n  ignore eof\n  ignore term\n  hold start\n", "holding start", syscall.SIGINT, []string{"list"}, 130},
		{"list", "on start\n  hold start\n", "holding start", syscall.SIGTERM, []string{"list"}, 143},
		{"call", stubborn, "holding call", syscall.SIGINT, []string{"call", "fs", "stuck"}, 130},
		{"call", "on start\n  hold start\n", "holding start", syscall.SIGINT, []string{"call", "fs", "stuck"}, 130},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.users(d.server("fs", c.script))
			cmd := d.sidecar(c.args...)
			var errs strings.Builder
			cmd.Stderr = &errs
			d.must(cmd.Start())
			d.must(d.hub.Await(d.ctx, control.Event{Fake: "fs", Text: c.event}))
			d.must(cmd.Process.Signal(c.signal))
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != c.code || errs.String() != "mcp-sidecar: interrupted\n" {
				t.Errorf("exit code %d, want %d; said %q", code, c.code, errs.String())
			}
			d.must(d.hub.AwaitEnd(d.ctx, "fs"))
			d.must(d.hub.AwaitEnd(d.ctx, "fs.child"))
		})
	}
}

// forever is a session's settings that would have a stubborn server wait for
// longer than any test.
const forever = `,"settings":{"timeouts":{"shutdownMs":600000}}`

func TestL36NothingWaitsForServersWhenTheHostIsGone(t *testing.T) {
	t.Parallel()
	t.Run("the process it named", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.users(d.server("fs", stubborn))
		named := exec.CommandContext(d.ctx, "cat")
		in, err := named.StdinPipe()
		d.must(err)
		d.must(named.Start())
		h, _ := d.start()
		d.must(h.say("%s", d.initialize(fmt.Sprintf(`,"processId":%d%s`, named.Process.Pid, forever))))
		d.must(h.await(`"id":1`))
		d.must(in.Close())
		d.must(named.Wait())
		d.must(h.Wait())
		d.must(d.hub.AwaitEnd(d.ctx, "fs"))
		d.must(d.hub.AwaitEnd(d.ctx, "fs.child"))
	})
	t.Run("it reads no more", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.users(d.server("fs", stubborn))
		cmd := d.sidecar("--framing", "ndjson")
		in, err := cmd.StdinPipe()
		d.must(err)
		out, err := cmd.StdoutPipe()
		d.must(err)
		d.must(cmd.Start())
		h := &host{Cmd: cmd, in: in, out: bufio.NewReader(out)}
		d.must(h.say("%s", d.initialize(forever)))
		d.must(h.await(`"id":1`))
		d.must(out.Close())
		d.must(in.Close())
		d.must(cmd.Wait())
		d.must(d.hub.AwaitEnd(d.ctx, "fs"))
		d.must(d.hub.AwaitEnd(d.ctx, "fs.child"))
	})
}

func TestWithoutAHomeInTheEnvironmentTheSystemIsAsked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("project/.claude.json", `{"mcpServers": {"planted": {"command": "false"}}}`)
	d.write("project/.config/mcp-sidecar/mcp.json", `{"mcpServers": {"planted2": {"command": "false"}}}`)
	d.env = append(d.env[:1:1], d.env[2:]...) // without HOME
	// What is in the home directory of whoever runs this test is not read.
	d.env = append(d.env, "XDG_CONFIG_HOME="+d.path("home/.config"), "CLAUDE_CONFIG_DIR="+d.path("home"), "COPILOT_HOME="+d.path("home"))
	got := d.run(d.sidecar("list", "--json"))
	if got.code != 0 || strings.Contains(got.out, "planted") {
		t.Errorf("%+v", got)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody without a home")
	}
	const nobody = 54321
	for _, dir := range []string{
		"", "project", "project/.git", "home", "cache",
		"project/.claude.json", "project/.config", "project/.config/mcp-sidecar", "project/.config/mcp-sidecar/mcp.json",
	} {
		d.must(os.Chown(d.path(dir), nobody, nobody))
	}
	d.env = append(d.env[:1:1], "XDG_CACHE_HOME="+d.path("cache"))
	cmd := d.sidecar("list", "--log-level", "warn")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	got = d.run(cmd)
	if got.code != 0 || strings.Contains(got.out, "planted") || !strings.Contains(got.errors, "files in the home directory are not read") {
		t.Errorf("%+v", got)
	}
}

func TestWithoutAHomeInTheEnvironmentTheCacheIsInTheSystems(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		if got := cacheDirs().of("linux"); got != filepath.Join(me.HomeDir, ".cache") {
			t.Errorf("HOME=%s: %s", home, got)
		}
	}
}

func TestEverySystemHasItsPlacesForTheUsersFiles(t *testing.T) {
	t.Setenv("HOME", "/h")
	for _, tc := range []struct{ variable, system, cache, state string }{
		{"", "linux", "/h/.cache", "/h/.local/state"},
		{"relative", "linux", "/h/.cache", "/h/.local/state"},
		{"", "darwin", "/h/Library/Caches", "/h/Library/Application Support"},
		{"", "windows", "/local/cache", "/local"},
		{"/x", "windows", "/x", "/x"},
	} {
		t.Setenv("LOCALAPPDATA", "/local")
		t.Setenv("XDG_CACHE_HOME", tc.variable)
		t.Setenv("XDG_STATE_HOME", tc.variable)
		if cache, state := cacheDirs().of(tc.system), stateDirs().of(tc.system); cache != tc.cache || state != tc.state {
			t.Errorf("%+v: %s, %s", tc, cache, state)
		}
	}
	t.Setenv("LOCALAPPDATA", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if got := cacheDirs().of("windows"); got != "/h/AppData/Local/cache" {
		t.Error(got)
	}
}

func TestAnInterruptionIsItsSignal(t *testing.T) {
	var by *interruption
	if err := fmt.Errorf("x: %w", &interruption{syscall.SIGINT}); !errors.As(err, &by) || by.code() != 130 {
		t.Errorf("%v", err)
	}
}
