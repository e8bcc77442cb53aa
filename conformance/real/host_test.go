package real

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// patience bounds every wait of this suite. It tells a hang from slowness and
// is no promise of speed: two busy cores start a Node server in seconds.
const patience = 60 * time.Second

func deadline(t *testing.T) <-chan time.Time {
	t.Helper()
	return time.After(patience)
}

// frame is any JSON-RPC message.
type frame struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// host plays an editor: it owns one sidecar process and speaks
// newline-delimited JSON with it. Everything that arrives is kept in order.
type host struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr bytes.Buffer // read it only after the end of the process
	mark   string       // is in the environment of the sidecar and all it starts
	lastID int

	mu       sync.Mutex
	arrived  []frame       // guarded by mu; grows only
	more     chan struct{} // guarded by mu; closed and replaced when arrived grows or ended is set
	ended    bool          // guarded by mu; stdout has ended
	badLines []string      // guarded by mu; what was on stdout and no message
}

// home is what outlives one sidecar: the user's directories and the project.
type home struct{ dir string }

func newHome(t *testing.T) home {
	t.Helper()
	needPrograms(t)
	h := home{t.TempDir()}
	for _, dir := range []string{"home", "cache", "config", "state", "project"} {
		if err := os.Mkdir(filepath.Join(h.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h home) project() string { return filepath.Join(h.dir, "project") }

// variables are those of the environment that make it nobody's but the test's.
func (h home) variables() []string {
	return []string{
		"HOME=" + filepath.Join(h.dir, "home"),
		"XDG_CACHE_HOME=" + filepath.Join(h.dir, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(h.dir, "config"),
		"XDG_STATE_HOME=" + filepath.Join(h.dir, "state"),
		"GORACE=atexit_sleep_ms=0", // else every program with the detector takes a second to end
	}
}

// newMark is a variable by which the processes of one test are found.
func newMark(t *testing.T) string {
	t.Helper()
	return "REAL_SUITE_MARK=" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + t.Name()
}

// start runs a sidecar that knows nobody's configuration but that of the test.
func (h home) start(t *testing.T, env ...string) *host {
	t.Helper()
	mark := newMark(t)
	cmd := exec.Command(filepath.Join(programs.dir, "mcp-sidecar"))
	cmd.Dir = h.project()
	cmd.Env = append(append(os.Environ(), mark), h.variables()...)
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = patience
	s := &host{t: t, cmd: cmd, mark: mark, more: make(chan struct{})}
	cmd.Stderr = &s.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = stdin
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read(stdout) // ends with stdout; finish and the cleanup wait for it
	t.Cleanup(func() {
		cmd.Process.Kill()
		s.waitEnd()
		cmd.Wait()
		if t.Failed() {
			t.Logf("stderr of the sidecar:\n%s", s.stderr.String())
		}
	})
	return s
}

func (s *host) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		s.mu.Lock()
		if len(line) > 0 {
			var f frame
			if json.Unmarshal(line, &f) == nil {
				s.arrived = append(s.arrived, f)
			} else {
				s.badLines = append(s.badLines, string(line))
			}
		}
		s.ended = err != nil
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// find waits for the first message from position from on that match accepts,
// and returns it and its position.
func (s *host) find(what string, from int, match func(frame) bool) (frame, int) {
	s.t.Helper()
	late := deadline(s.t)
	for {
		s.mu.Lock()
		arrived, more, ended := s.arrived, s.more, s.ended
		s.mu.Unlock()
		for ; from < len(arrived); from++ {
			if match(arrived[from]) {
				return arrived[from], from
			}
		}
		if ended {
			s.t.Fatalf("the sidecar ended; still waiting for %s", what)
		}
		select {
		case <-more:
		case <-late:
			s.t.Fatalf("waited in vain for %s; %d messages have arrived", what, len(arrived))
		}
	}
}

func (s *host) waitEnd() {
	for {
		s.mu.Lock()
		more, ended := s.more, s.ended
		s.mu.Unlock()
		if ended {
			return
		}
		<-more
	}
}

func (s *host) send(message map[string]any) {
	s.t.Helper()
	message["jsonrpc"] = "2.0"
	line, err := json.Marshal(message)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.stdin.Write(append(line, '\n')); err != nil {
		s.t.Fatalf("writing to the sidecar: %v", err)
	}
}

// request sends a request and returns its id.
func (s *host) request(method string, params any) int {
	s.t.Helper()
	s.lastID++
	s.send(map[string]any{"id": s.lastID, "method": method, "params": params})
	return s.lastID
}

// answer waits for the answer to a request, and returns its position too.
func (s *host) answer(id int) (frame, int) {
	s.t.Helper()
	want := strconv.Itoa(id)
	return s.find("the answer to request "+want, 0, func(f frame) bool {
		return f.Method == "" && string(f.ID) == want
	})
}

// ask sends a request and decodes its result into result.
func (s *host) ask(method string, params, result any) {
	s.t.Helper()
	f, _ := s.answer(s.request(method, params))
	if f.Error != nil {
		s.t.Fatalf("%s: error %d: %s", method, f.Error.Code, f.Error.Message)
	}
	decode(s.t, f.Result, result)
}

func decode(t *testing.T, data json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// initialize opens the session with servers and, unless startup is nil, other
// startup settings than the default ones.
func (s *host) initialize(servers map[string]rpc.ServerConfig, startup *rpc.StartupSettings) *rpc.Snapshot {
	s.t.Helper()
	settings := map[string]any{"servers": servers}
	if startup != nil {
		settings["startup"] = startup
	}
	var result rpc.InitializeResult
	s.ask("runtime/initialize", map[string]any{
		"protocolVersion": rpc.ProtocolVersion,
		"client":          rpc.ClientInfo{Name: "real-servers", Version: "1"},
		"cwd":             s.cmd.Dir,
		"settings":        settings,
	}, &result)
	return result.Snapshot
}

func (s *host) call(server, tool string, arguments any) rpc.CallResult {
	s.t.Helper()
	var result rpc.CallResult
	s.ask("tools/call", map[string]any{"server": server, "tool": tool, "arguments": arguments}, &result)
	return result
}

// finish shuts the sidecar down and holds it to its promises for the end: exit
// code 0, nothing but messages on stdout, no process left.
func (s *host) finish() {
	s.t.Helper()
	s.ask("runtime/shutdown", map[string]any{}, &rpc.ShutdownResult{})
	s.send(map[string]any{"method": "runtime/exit"})
	s.waitEnd()
	err := s.cmd.Wait()
	if err != nil {
		s.t.Errorf("the sidecar ended with %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.badLines) > 0 {
		s.t.Errorf("on stdout, and no message: %q", s.badLines)
	}
	s.nothingLeft()
}

// nothingLeft waits for the end of everything the sidecar started, which its
// guard may be about to see to, and fails if something stays.
func (s *host) nothingLeft() {
	s.t.Helper()
	nothingLeft(s.t, s.mark)
}

// nothingLeft is the same for every process with the mark.
func nothingLeft(t *testing.T, mark string) {
	t.Helper()
	if left := awaitGone(t, mark, patience/6); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// server is one server of a snapshot.
func server(t *testing.T, snapshot *rpc.Snapshot, name string) rpc.Server {
	t.Helper()
	i := slices.IndexFunc(snapshot.Servers, func(s rpc.Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no server %q in the snapshot", name)
	}
	return snapshot.Servers[i]
}

// definitions are the tools of one server, by the name the server gave them.
func definitions(t *testing.T, tools []rpc.Tool, server string) map[string]json.RawMessage {
	t.Helper()
	found := map[string]json.RawMessage{}
	for _, tool := range tools {
		if tool.Server == server {
			found[strings.TrimPrefix(tool.Label, server+"/")] = tool.Definition
		}
	}
	return found
}
