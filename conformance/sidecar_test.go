//go:build unix

package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/transcript"
)

// What a host can speak: the sidecar's own wire, in two framings, or MCP, which is
// lines too, to `mcp-sidecar mcp`.
const (
	headers = "headers"
	ndjson  = "ndjson"
	mcp     = "mcp"
)

// sidecar is one running sidecar and the test's side of its pipes. The test's
// goroutine owns it, but for stderr.
type sidecar struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	speaks string
	saved  *transcript.Saved // the world's
	// incoming carries what the reader found on stdout. It is closed at EOF.
	incoming chan incoming
	stderr   *stderrTail
	// reading is closed when the host begins to read.
	reading chan struct{}
	recent  []string // both sides' messages, the last few
	stale   bool     // an MCP client has been told that its list is not true any more
	waited  bool
}

type incoming struct {
	raw json.RawMessage
	err error // something that is no frame
}

// start runs the sidecar with further flags and "K=V" environment entries.
func (w *world) start(speaks string, flags, environment []string) *sidecar {
	w.t.Helper()
	s := w.startUnread(speaks, flags, environment)
	close(s.reading)
	return s
}

// startUnread is start for a host that does not read until reading is closed.
func (w *world) startUnread(speaks string, flags, environment []string) *sidecar {
	w.t.Helper()
	if speaks == mcp {
		flags = append([]string{"mcp"}, flags...)
	}
	cmd := exec.CommandContext(w.ctx, binaries.sidecar, flags...)
	cmd.Env = append(w.environment(), environment...)
	cmd.Dir = w.path("project")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that no signal of the terminal reaches it
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	s := &sidecar{
		t: w.t, cmd: cmd, stdin: stdin, speaks: speaks, saved: &w.saved,
		incoming: make(chan incoming, 1<<16), stderr: newStderrTail(),
		reading: make(chan struct{}),
	}
	cmd.Stdout = out
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = errWrite
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	out.Close()
	errWrite.Close()
	var readers sync.WaitGroup
	// Both end when nobody holds the other end of their pipe any more.
	readers.Go(func() {
		select {
		case <-s.reading:
			s.read(bufio.NewReader(stdout))
		case <-w.ctx.Done():
			close(s.incoming)
		}
	})
	readers.Go(func() {
		io.Copy(s.stderr, errRead)
		s.stderr.end()
	})
	w.t.Cleanup(func() {
		cmd.Process.Kill()
		s.wait()
		stdout.Close()
		errRead.Close()
		readers.Wait()
		if w.t.Failed() {
			w.t.Logf("the last messages:\n%s\nthe end of stderr:\n%s", lastLines(s.recent, 30),
				lastLines(strings.Split(s.stderr.String(), "\n"), 40))
		}
	})
	return s
}

// read delivers every message on stdout, and anything else as an error.
func (s *sidecar) read(r *bufio.Reader) {
	defer close(s.incoming)
	for {
		var raw []byte
		var err error
		if s.speaks == headers {
			raw, err = readFrame(r)
		} else {
			raw, err = readLine(r)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return
		}
		s.incoming <- incoming{raw, err}
		if err != nil {
			return
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		if len(line) > 0 {
			return nil, fmt.Errorf("stdout ends within a line: %q", line)
		}
		return nil, err
	}
	if line = bytes.TrimSuffix(line, []byte("\n")); !json.Valid(line) {
		return nil, fmt.Errorf("not a JSON line on stdout: %q", line)
	}
	return line, nil
}

// readFrame is strict: this is how a careful sidecar writes.
func readFrame(r *bufio.Reader) ([]byte, error) {
	header, err := r.ReadString('\n')
	if err != nil {
		if header != "" {
			return nil, fmt.Errorf("stdout ends within a header: %q", header)
		}
		return nil, err
	}
	var length int
	if _, err := fmt.Sscanf(header, "Content-Length: %d\r\n", &length); err != nil {
		return nil, fmt.Errorf("not a frame on stdout: %q", header)
	}
	if blank, err := r.ReadString('\n'); err != nil || blank != "\r\n" {
		return nil, fmt.Errorf("more than one header on stdout: %q", blank)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("stdout ends within a body of %d bytes", length)
	}
	if !json.Valid(body) {
		return nil, fmt.Errorf("not JSON in a frame on stdout: %q", body)
	}
	return body, nil
}

// say sends a message; "jsonrpc" is added if it is left out.
func (s *sidecar) say(message string) error {
	raw := json.RawMessage(message)
	if strings.Contains(message, `"$`) {
		var err error
		if raw, err = transcript.Example(raw, *s.saved); err != nil {
			return err
		}
	}
	if !bytes.Contains(raw, []byte(`"jsonrpc"`)) {
		raw = append([]byte(`{"jsonrpc":"2.0",`), bytes.TrimSpace(raw)[1:]...)
	}
	s.note("> " + string(raw))
	if s.speaks == headers {
		return s.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(raw), raw))
	}
	return s.raw(string(raw) + "\n")
}

func (s *sidecar) raw(bytes string) error {
	_, err := io.WriteString(s.stdin, bytes)
	return err
}

func (s *sidecar) note(line string) {
	const most, longest = 60, 1500
	if len(line) > longest {
		line = fmt.Sprintf("%s… (%d bytes)", line[:longest], len(line))
	}
	s.recent = append(s.recent, line)
	s.recent = s.recent[max(0, len(s.recent)-most):]
}

// next is the next message of the sidecar, io.EOF after the last.
func (s *sidecar) next() (json.RawMessage, error) {
	in, ok := <-s.incoming // ends at the latest when the deadline kills the sidecar
	if !ok {
		return nil, io.EOF
	}
	if in.err != nil {
		return nil, in.err
	}
	s.note("< " + string(in.raw))
	return in.raw, nil
}

// listChanged is the one message of MCP that the sidecar may merge.
const listChanged = "notifications/tools/list_changed"

// passing says whether a message may come between those a dialogue names:
// notifications that the sidecar may merge, drop or send at another time.
func (s *sidecar) passing(message json.RawMessage) bool {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	switch {
	case json.Unmarshal(message, &m) != nil || m.ID != nil:
		return false
	case s.speaks == mcp:
		return s.stale && m.Method == listChanged
	}
	switch m.Method {
	case "mcp/status", "config/diagnostics", "runtime/log", "$/progress":
		return true
	}
	return false
}

// named takes a message that a dialogue names. What says that the list has changed
// may be said once more until the list has been given.
func (s *sidecar) named(message json.RawMessage) {
	var m struct {
		Method string
		Result struct{ Tools json.RawMessage }
	}
	switch err := json.Unmarshal(message, &m); {
	case err != nil: // a result that is no object
	case m.Method == listChanged:
		s.stale = true
	case m.Result.Tools != nil:
		s.stale = false
	}
}

// expect takes messages until each pattern has met one, in any order; never
// are patterns that no message on the way may meet.
func (s *sidecar) expect(patterns, never []string) error {
	left := append([]string(nil), patterns...)
	for len(left) > 0 {
		message, err := s.next()
		if err != nil {
			return fmt.Errorf("expected %s\ngot: %w", strings.Join(left, "\n     and "), err)
		}
		met, reasons := s.meet(message, left)
		if met >= 0 {
			s.named(message)
			left = append(left[:met], left[met+1:]...)
			continue
		}
		for _, pattern := range never {
			if transcript.Match(json.RawMessage(pattern), message, s.saved.Clone()) == nil {
				return fmt.Errorf("came, and must not have come before %s\ngot %s", strings.Join(left, " and "), message)
			}
		}
		if !s.passing(message) {
			return fmt.Errorf("%s\nexpected %s\ngot      %s", reasons, strings.Join(left, "\n     and "), message)
		}
	}
	return nil
}

// meet is the index of the pattern that a message meets, or −1 and why not.
func (s *sidecar) meet(message json.RawMessage, patterns []string) (met int, reasons string) {
	for i, pattern := range patterns {
		attempt := s.saved.Clone()
		err := transcript.Match(json.RawMessage(pattern), message, attempt)
		if err == nil {
			*s.saved = attempt
			return i, ""
		}
		reasons += err.Error() + "\n"
	}
	return -1, strings.TrimSpace(reasons)
}

// exit waits for the sidecar's end; it must not say anything more that a
// dialogue would have to name.
func (s *sidecar) exit(code int) error {
	for {
		message, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if !s.passing(message) {
			return fmt.Errorf("one message more than expected: %s", message)
		}
	}
	if got := s.wait(); got != code {
		return fmt.Errorf("exit code %d, want %d", got, code)
	}
	return nil
}

// wait is the exit code; −1 for death by a signal.
func (s *sidecar) wait() int {
	if !s.waited {
		s.waited = true
		s.cmd.Wait()
	}
	return s.cmd.ProcessState.ExitCode()
}

// stop shuts the sidecar down as a well-behaved host does.
func (s *sidecar) stop() error {
	if s.speaks == mcp {
		return errors.New("MCP has no shutdown: an \"eof\" and an \"exit 0\" are the end")
	}
	if err := s.say(`{"id":"stop","method":"runtime/shutdown"}`); err != nil {
		return err
	}
	if err := s.expect([]string{`{"id":"stop","result":{}}`}, nil); err != nil {
		return err
	}
	if err := s.say(`{"method":"runtime/exit"}`); err != nil {
		return err
	}
	return s.exit(0)
}

// stderrTail keeps the end of what the sidecar wrote to stderr.
type stderrTail struct {
	mu      sync.Mutex
	data    []byte        // guarded by mu
	ended   bool          // guarded by mu; no more comes
	changed chan struct{} // guarded by mu; closed and replaced at each change
}

func newStderrTail() *stderrTail { return &stderrTail{changed: make(chan struct{})} }

// await waits until a text has been written.
func (s *stderrTail) await(ctx context.Context, text string) error {
	for {
		s.mu.Lock()
		written, ended, changed := bytes.Contains(s.data, []byte(text)), s.ended, s.changed
		s.mu.Unlock()
		if written {
			return nil
		}
		if ended || ctx.Err() != nil {
			return fmt.Errorf("%q is not in stderr", text)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (s *stderrTail) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.tell()
}

// tell is called with mu held.
func (s *stderrTail) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stderrTail) Write(p []byte) (int, error) {
	const most = 256 << 10
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, p...)
	s.data = s.data[max(0, len(s.data)-most):]
	s.tell()
	return len(p), nil
}

func (s *stderrTail) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.data)
}
