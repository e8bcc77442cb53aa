package real

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
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is an MCP client of somebody else's that has the face as its server.
type client interface {
	// version is what it has negotiated.
	version() string
	list(t *testing.T) map[string]json.RawMessage
	call(name string, arguments any) *ongoing
	// changes has a token when the list has changed since it was taken from there.
	changes() <-chan struct{}
	// close ends it, and its process if it has one.
	close(t *testing.T)
}

// ongoing is a call of a tool.
type ongoing struct {
	cancel func()
	ended  chan struct{} // closed when the result or the error is there

	// Valid once ended is closed.
	result json.RawMessage
	code   int // of the protocol's error; 0 for another one
	err    error

	mu       sync.Mutex
	progress []float64     // guarded by mu
	begun    chan struct{} // closed at the first progress
}

func newOngoing() *ongoing {
	return &ongoing{ended: make(chan struct{}), begun: make(chan struct{}), cancel: func() {}}
}

func (o *ongoing) progressed(value float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.progress = append(o.progress, value); len(o.progress) == 1 {
		close(o.begun)
	}
}

// wait waits for the end, and returns what came before it.
func (o *ongoing) wait(t *testing.T) (progress []float64) {
	t.Helper()
	within(t, o.ended, "the end of a call")
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.progress
}

// answer waits for a result.
func (o *ongoing) answer(t *testing.T) json.RawMessage {
	t.Helper()
	o.wait(t)
	if o.err != nil {
		t.Fatalf("a call failed: %v", o.err)
	}
	return o.result
}

func within(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-deadline(t):
		t.Fatalf("waited in vain for %s", what)
	}
}

// token puts one into a channel for one.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// goClient is the Go SDK's.
type goClient struct {
	session *mcp.ClientSession
	changed chan struct{}

	mu    sync.Mutex
	calls map[string]*ongoing // guarded by mu; by progress token
}

func newGoClient(t *testing.T, d *desk, version string) client {
	t.Helper()
	c := &goClient{changed: make(chan struct{}, 1), calls: map[string]*ongoing{}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := d.command(d.face()...)
	var err error
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { token(c.changed) },
		ProgressNotificationHandler: c.progressed,
	}).Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return c
}

func (c *goClient) version() string { return c.session.InitializeResult().ProtocolVersion }

func (c *goClient) changes() <-chan struct{} { return c.changed }

func (c *goClient) close(t *testing.T) {
	t.Helper()
	if err := c.session.Close(); err != nil {
		t.Errorf("the end of the client: %v", err)
	}
}

func (c *goClient) list(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	list, err := c.session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	return byName(t, encoded(t, list.Tools))
}

func (c *goClient) progressed(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[fmt.Sprint(r.Params.ProgressToken)].progressed(r.Params.Progress)
}

func (c *goClient) call(name string, arguments any) *ongoing {
	o := newOngoing()
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	c.mu.Lock()
	progressToken := "call-" + strconv.Itoa(len(c.calls))
	c.calls[progressToken] = o
	c.mu.Unlock()
	params.SetProgressToken(progressToken)
	go func() { // ends with the call, which the end of the session ends
		defer close(o.ended)
		defer cancel()
		result, err := c.session.CallTool(ctx, params)
		var refused *jsonrpc.Error
		if o.err = err; errors.As(err, &refused) {
			o.code = int(refused.Code)
		}
		if err == nil {
			o.result, o.err = json.Marshal(result)
		}
	}()
	return o
}

func encoded(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// byName are the tools of a list.
func byName(t *testing.T, list json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var tools []json.RawMessage
	decode(t, list, &tools)
	found := make(map[string]json.RawMessage, len(tools))
	for _, definition := range tools {
		var tool struct {
			Name string `json:"name"`
		}
		decode(t, definition, &tool)
		found[tool.Name] = definition
	}
	return found
}

// steered is a client in another language: one of the scripts in clients, which say what
// the lines mean.
type steered struct {
	cmd       *exec.Cmd
	stdin     io.WriteCloser
	stderr    bytes.Buffer // read it only after the end of the process
	connected chan struct{}
	changed   chan struct{}
	ended     chan struct{} // closed at the end of stdout
	spoken    string        // the protocol version; valid once connected is closed

	mu   sync.Mutex
	last int              // guarded by mu
	open map[int]*ongoing // guarded by mu
}

// needClients skips the test where the npm clients are not installed and need not be.
func needClients(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("clients", "node_modules", ".package-lock.json")); err == nil {
		return
	}
	missing(t, "clients")
}

// script is the absolute path of a file in clients.
func script(t *testing.T, path string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("clients", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func newSteered(t *testing.T, d *desk, argv ...string) client {
	t.Helper()
	needClients(t)
	s := &steered{
		cmd:       d.command(slices.Concat([]string{"node", script(t, argv[0])}, argv[1:], d.face())...),
		connected: make(chan struct{}), changed: make(chan struct{}, 1), ended: make(chan struct{}),
		open: map[int]*ongoing{},
	}
	s.cmd.Stderr = &s.stderr
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read(stdout) // ends with stdout; close and the cleanup wait for it
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.ended
		s.cmd.Wait()
		if t.Failed() {
			t.Logf("stderr of the client:\n%s", s.stderr.String())
		}
	})
	select {
	case <-s.connected:
	case <-s.ended:
		t.Fatal("the client ended before it was connected")
	case <-deadline(t):
		t.Fatal("the client did not connect")
	}
	return s
}

// said is a line of the client's.
type said struct {
	Connected string
	Changed   bool
	ID        int
	Progress  *struct{ Progress float64 }
	Result    json.RawMessage
	Error     *struct {
		Name    string
		Code    any // a number, or one of the SDK's words
		Message string
	}
}

func (s *steered) read(stdout io.Reader) {
	defer close(s.ended)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var what said
		if err := json.Unmarshal(line, &what); err != nil {
			break // what waits is told that it ended
		}
		s.heard(&what)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.open {
		o.err = io.ErrUnexpectedEOF
		close(o.ended)
	}
}

func (s *steered) heard(what *said) {
	switch {
	case what.Connected != "":
		s.spoken = what.Connected
		close(s.connected)
		return
	case what.Changed:
		token(s.changed)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[what.ID]
	switch {
	case what.Progress != nil:
		o.progressed(what.Progress.Progress)
		return
	case what.Error != nil:
		if code, ok := what.Error.Code.(float64); ok {
			o.code = int(code)
		}
		o.err = fmt.Errorf("%s %v: %s", what.Error.Name, what.Error.Code, what.Error.Message)
	default:
		o.result = what.Result
	}
	delete(s.open, what.ID)
	close(o.ended)
}

// order tells the client to do something.
func (s *steered) order(what map[string]any) *ongoing {
	o := newOngoing()
	s.mu.Lock()
	s.last++
	id := s.last
	s.open[id] = o
	s.mu.Unlock()
	o.cancel = func() { s.write(map[string]any{"do": "cancel", "of": id}) }
	what["id"] = id
	s.write(what)
	return o
}

// write fails when the client has ended, which is noticed elsewhere.
func (s *steered) write(what map[string]any) {
	line, _ := json.Marshal(what)
	s.stdin.Write(append(line, '\n'))
}

func (s *steered) version() string { return s.spoken }

func (s *steered) changes() <-chan struct{} { return s.changed }

func (s *steered) list(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	return byName(t, s.order(map[string]any{"do": "list"}).answer(t))
}

func (s *steered) call(name string, arguments any) *ongoing {
	return s.order(map[string]any{"do": "call", "name": name, "arguments": arguments})
}

func (s *steered) close(t *testing.T) {
	t.Helper()
	s.stdin.Close()
	within(t, s.ended, "the end of the client")
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the client ended with %v", err)
	}
	if s.stderr.Len() > 0 {
		t.Errorf("stderr of the client: %s", s.stderr.String())
	}
}
