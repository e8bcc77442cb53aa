package real

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// desk is the machine of a user who has configured MCP servers, and mcp-sidecar mcp as
// the only one that clients know.
type desk struct {
	home

	mark  string  // is in the environment of every client and of all it starts
	late  *lately // of the server "late"
	ends  string  // the file in which watched writes how the faces have ended
	noise string  // the file with what they have written to stderr
}

// newDesk has three servers: everything and memory, and late, which is the filesystem
// server behind lately.
func newDesk(t *testing.T) *desk {
	t.Helper()
	if goruntime.GOOS == "windows" {
		t.Skip("needs sh and named pipes")
	}
	h := newHome(t)
	d := &desk{
		home: h, mark: newMark(t), late: newLately(t, h.dir),
		ends: filepath.Join(h.dir, "ends"), noise: filepath.Join(h.dir, "noise"),
	}
	memory := node(t, memoryJS)
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(d.dir, "memory.jsonl")}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]rpc.ServerConfig{
		"everything": node(t, everythingJS, "stdio"),
		"memory":     memory,
		"late":       {Command: "sh", Args: d.late.argv("node", npm(t, filesystemJS), d.project())},
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(d.dir, "config", "mcp-sidecar")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the faces ended %q and wrote to stderr:\n%s", text(d.ends), text(d.noise))
		}
	})
	return d
}

// watched runs a command, and writes how it ended. A signal of the client's is passed on
// to it.
const watched = `exec 3<&0
"$@" <&3 3<&- 2>>"$NOISE" &
trap 'kill -TERM $!' TERM
while kill -0 $! 2>/dev/null; do wait $!; code=$?; done
echo "exit:$code" >>"$ENDS"`

// face is the command of the entry in a client's configuration.
func (d *desk) face() []string {
	return []string{"sh", "-c", watched, "watched", filepath.Join(programs.dir, "mcp-sidecar"), "mcp"}
}

// variables are those of the environment that the face must have.
func (d *desk) variables() []string {
	return append(d.home.variables(), d.mark, "NOISE="+d.noise, "ENDS="+d.ends)
}

// command is a client's.
func (d *desk) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = d.project()
	cmd.Env = append(os.Environ(), d.variables()...)
	cmd.WaitDelay = patience
	return cmd
}

// finished is called when a client has ended: nothing that it started is left, its faces
// have all ended well, and warnings are in the lines that they wrote to stderr.
func (d *desk) finished(t *testing.T, faces int, warnings ...string) {
	t.Helper()
	nothingLeft(t, d.mark)
	var want []string
	for range faces {
		want = append(want, "exit:0")
	}
	if diff := cmp.Diff(want, strings.Fields(text(d.ends))); diff != "" {
		t.Errorf("how the faces ended (-want +got):\n%s", diff)
	}
	noise := strings.Split(strings.TrimSuffix(text(d.noise), "\n"), "\n")
	if !slices.EqualFunc(noise, warnings, strings.Contains) && text(d.noise)+strings.Join(warnings, "") != "" {
		t.Errorf("on the faces' stderr: %q, want %q", noise, warnings)
	}
	os.Remove(d.ends)
	os.Remove(d.noise)
	d.late.renew(t)
}

// text is that of a file, which need not exist.
func text(file string) string {
	content, _ := os.ReadFile(file)
	return string(content)
}

// notAtFirst is the face's warning of a server behind lately.
const notAtFirst = `msg="not connected" server=late attempt=1`

// lately is what a server stands behind that cannot be connected at the first attempt,
// and from then on starts when the test says so. It fails because a list of tools waits
// for a server that nothing is known of, until it has been tried.
type lately struct {
	dir        string
	held, open *os.File // named pipes, open in both directions, so that no end waits for the other
}

func newLately(t *testing.T, dir string) *lately {
	t.Helper()
	l := &lately{dir: dir}
	l.renew(t)
	t.Cleanup(l.close)
	return l
}

// renew forgets what has been said and heard. No process of the server may be left.
func (l *lately) renew(t *testing.T) {
	t.Helper()
	l.close()
	for name, file := range map[string]**os.File{"held": &l.held, "open": &l.open} {
		path := filepath.Join(l.dir, name)
		os.Remove(path)
		if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
			t.Fatalf("mkfifo: %v: %s", err, out)
		}
		var err error
		if *file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func (l *lately) close() {
	l.held.Close()
	l.open.Close()
}

// firstAttempt is how often a server is started in an attempt in which it ends at once:
// again without the question whether it is stateless, of which it may have died.
const firstAttempt = 2

// argv are the arguments of an sh that becomes the command.
func (l *lately) argv(command ...string) []string {
	script := `cd "$0" && echo start >>starts
test "$(wc -l <starts)" -gt ` + strconv.Itoa(firstAttempt) + ` || exit 1
echo held >held
read -r _ <open
exec "$@"`
	return append([]string{"-c", script, l.dir}, command...)
}

// awaitHeld waits until the server has been started and is held.
func (l *lately) awaitHeld(t *testing.T) {
	t.Helper()
	if err := l.held.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.held.Read(make([]byte, len("held\n"))); err != nil {
		t.Fatalf("the late server was not started again: %v", err)
	}
}

// release lets one start of the server go on, also one that is yet to come.
func (l *lately) release(t *testing.T) {
	t.Helper()
	if _, err := l.open.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
}

// starts is how often the server has been started after the first attempt.
func (l *lately) starts() int {
	return strings.Count(text(filepath.Join(l.dir, "starts")), "start") - firstAttempt
}
