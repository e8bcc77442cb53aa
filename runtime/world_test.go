package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/watch"
)

// world is a Manager under fake time, with scripted servers and a host that
// writes down what it is told, one line an event.
type world struct {
	t       *testing.T
	m       *Manager
	c       *Client
	start   time.Time
	home    string
	cwd     string
	cache   *toolcache.Cache
	ledger  *trust.Store // or nil
	files   fakeWatch
	servers map[string]*scripted
	// variables are the environment of the sidecar.
	variables map[string]string

	// approve and input are the user; nil for a host that cannot ask.
	approve func(context.Context, *rpc.ApproveParams) (*rpc.ApproveResult, error)
	input   func(context.Context, *rpc.InputParams) (*rpc.InputResult, error)

	mu  sync.Mutex
	log []string // guarded by mu
	// told is what a host knows: the set it was told last.
	rev   int                 // guarded by mu
	tools map[string]rpc.Tool // guarded by mu
	wrong []string            // guarded by mu; broken promises
}

// scripted is one server: dial says what happens at the n-th attempt, from 1.
type scripted struct {
	dial  func(n int) plan
	mu    sync.Mutex
	dials int              // guarded by mu
	open  int              // guarded by mu; sessions not closed
	both  bool             // guarded by mu; two were open at once
	last  *scriptedSession // guarded by mu
	spec  transport.Spec   // guarded by mu; of the last attempt
}

// session is the last one that was made.
func (s *scripted) session() *scriptedSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// plan is one attempt.
type plan struct {
	after time.Duration // until the handshake is done, or fails
	// stderr is written line by line, one every 100 ms, from the start.
	stderr []string
	err    error
	tools  []string
	// lingers is how long the end of the session takes.
	lingers time.Duration
	// call answers calls; nil echoes.
	call func(ctx context.Context, c transport.Call) (json.RawMessage, error)
}

func always(p plan) func(int) plan { return func(int) plan { return p } }

// unanswered is a plan's call that ends with its caller.
func unanswered(ctx context.Context, _ transport.Call) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func newWorld(t *testing.T, servers map[string]*scripted) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), cwd: t.TempDir(), servers: servers, start: time.Now(), tools: map[string]rpc.Tool{}}
	w.cache = toolcache.Open(t.TempDir(), slog.New(slog.DiscardHandler))
	return w
}

// open makes the Manager; a world can have one after the other.
func (w *world) open() {
	w.m = New(Options{
		Name: "mcp-sidecar", Version: "test", Log: slog.New(slog.DiscardHandler),
		Reach: func(*slog.Logger) Reach { return w }, Cache: w.cache, Trust: w.ledger, Watch: w.files.start, Home: w.home,
		Getenv: func(name string) (string, bool) {
			value, set := w.variables[name]
			return value, set
		},
		Environ: w.environ,
		Jitter:  func() float64 { return 0 },
	})
	w.c = w.m.Join(w)
}

func (w *world) environ() []string {
	var all []string
	for name, value := range w.variables {
		all = append(all, name+"="+value)
	}
	return all
}

// fakeWatch is a Watch whose files change when a test says so: the real one
// waits for the system, which knows no fake time.
type fakeWatch struct {
	mu     sync.Mutex
	tell   func()       // guarded by mu; nil while nothing watches
	sets   int          // guarded by mu
	paths  []watch.Path // guarded by mu; as set last
	closed bool         // guarded by mu
}

func (f *fakeWatch) start(changed func(), _ *slog.Logger) Watch {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell, f.closed = changed, false
	return f
}

func (f *fakeWatch) changed() {
	f.mu.Lock()
	tell := f.tell
	f.mu.Unlock()
	tell()
}

func (f *fakeWatch) Set(paths []watch.Path, _ watch.Signatures) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sets, f.paths = f.sets+1, paths
}

func (f *fakeWatch) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// passes is how often the files were read since it was asked last.
func (f *fakeWatch) passes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.sets
	f.sets = 0
	return n
}

func (w *world) close() {
	w.m.Close()
	synctest.Wait()
	for name, s := range w.servers {
		if s.open != 0 {
			w.t.Errorf("%d sessions of %s are left open", s.open, name)
		}
		if s.both {
			w.t.Errorf("two sessions of %s were open at once", name)
		}
	}
	for _, x := range w.wrong {
		w.t.Error(x)
	}
	if w.files.tell != nil && !w.files.closed {
		w.t.Error("the watch is left open")
	}
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf("%v ", time.Since(w.start))+fmt.Sprintf(format, args...))
}

// Publish implements Listener. It applies the host rule to what it is told.
func (w *world) Publish(u rpc.Update) {
	for _, s := range u.Statuses {
		line := fmt.Sprintf("%s %s", s.Name, s.Phase)
		if s.Tools.From != rpc.ToolsFromNone {
			line += fmt.Sprintf(" %d %s", s.Tools.Count, s.Tools.From)
		}
		if s.Activity != "" {
			line += " (" + s.Activity + ")"
		}
		if s.NextRetryMs > 0 {
			line += fmt.Sprintf(" retry in %d ms", s.NextRetryMs)
		}
		w.note("%s", line)
		if r, ok := record(u.View, s.Name); ok != (s.Phase != rpc.PhaseRemoved) || (ok && r.Phase != s.Phase) {
			w.broken("status of %s is not what the view says", s.Name)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if u.View.Revision < w.rev {
		w.wrong = append(w.wrong, "a revision went back")
	}
	if u.View.Revision > w.rev && w.rev > 0 {
		w.log = append(w.log, fmt.Sprintf("%v changed by %s: %s", time.Since(w.start), u.Reason, describeTools(u.View.Tools)))
	}
	w.rev = u.View.Revision
}

func (w *world) broken(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// Log implements Listener.
func (w *world) Log(context.Context, *rpc.LogParams) error { return nil }

// Progress implements Listener.
func (w *world) Progress(_ context.Context, p *rpc.ProgressParams) error {
	w.note("progress %s %s", p.Token, p.Value.Progress)
	return nil
}

// Approve implements Listener.
func (w *world) Approve(ctx context.Context, p *rpc.ApproveParams) (*rpc.ApproveResult, error) {
	var names []string
	for _, s := range p.Servers {
		names = append(names, s.Name)
	}
	w.note("approve %s?", strings.Join(names, ", "))
	answer, err := w.approve(ctx, p)
	if err != nil {
		w.note("approve: %v", err)
	}
	return answer, err
}

// Input implements Listener.
func (w *world) Input(ctx context.Context, p *rpc.InputParams) (*rpc.InputResult, error) {
	w.note("input %s of %s?", p.ID, p.Server)
	answer, err := w.input(ctx, p)
	if err != nil {
		w.note("input: %v", err)
	}
	return answer, err
}

// Run implements Reach.
func (w *world) Run(_ context.Context, command string, _ []string) (string, error) {
	return "output of " + command, nil
}

// Locate implements Reach.
func (w *world) Locate(ctx context.Context, spec transport.Spec) (transport.Location, error) {
	if strings.HasPrefix(spec.Command, "dead") {
		<-ctx.Done()
		return transport.Location{}, context.Cause(ctx)
	}
	if i := slices.IndexFunc(spec.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") }); i >= 0 { // of one relative directory
		return transport.Location{Found: filepath.Join(spec.Dir, spec.Env[i][len("PATH="):], spec.Command)}, nil
	}
	return transport.Location{Found: "/bin/" + spec.Command, Searched: []string{"/bin"}}, nil
}

// Dial implements Reach.
func (w *world) Dial(ctx context.Context, spec transport.Spec, h transport.Hooks) (transport.Session, error) {
	s := w.servers[spec.Name]
	s.mu.Lock()
	s.dials++
	s.spec = spec
	p := s.dial(s.dials)
	s.mu.Unlock()
	h.Stage(transport.StageInitialize)
	for _, line := range p.stderr {
		h.Stderr(line)
		time.Sleep(100 * time.Millisecond)
	}
	if p.after > 0 {
		select {
		case <-time.After(p.after):
		case <-ctx.Done():
			return nil, &transport.Error{Code: transport.CodeClosed, Stage: transport.StageInitialize, Message: "initialize: " + context.Cause(ctx).Error(), Err: context.Cause(ctx)}
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	s.both = s.both || s.open > 1
	s.last = &scriptedSession{server: s, hooks: h, plan: p, tools: p.tools, done: make(chan struct{})}
	return s.last, nil
}

// scriptedSession is a session of a scripted server.
type scriptedSession struct {
	server *scripted
	hooks  transport.Hooks
	plan   plan

	mu    sync.Mutex
	tools []string // guarded by mu
	lists int      // guarded by mu
	fail  error    // guarded by mu; of the next list
	ended bool     // guarded by mu
	done  chan struct{}
	once  sync.Once
}

func (s *scriptedSession) Info() transport.Info {
	return transport.Info{ProtocolVersion: "2025-11-25", Era: transport.EraStateful, Kind: transport.Stdio, PID: 7}
}

func (s *scriptedSession) ListTools(context.Context) ([]json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	if err := s.fail; err != nil {
		s.fail = nil
		return nil, err
	}
	var raw []json.RawMessage
	for _, name := range s.tools {
		raw = append(raw, json.RawMessage(`{"name":"`+name+`","inputSchema":{"type":"object"}}`))
	}
	return raw, nil
}

func (s *scriptedSession) Call(ctx context.Context, c transport.Call) (json.RawMessage, error) {
	if s.plan.call == nil {
		return json.RawMessage(`{"content":[],"tool":"` + c.Tool + `"}`), nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() {})
	defer stop()
	go func() {
		select {
		case <-s.done:
			cancel(&transport.Error{Code: transport.CodeExited, Stage: transport.StageCall, Message: "call: the process ended"})
		case <-ctx.Done():
		}
	}()
	result, err := s.plan.call(ctx, c)
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	return result, err
}

func (s *scriptedSession) Done() <-chan struct{} { return s.done }

func (s *scriptedSession) Err() error {
	return &transport.Error{Code: transport.CodeExited, Stage: transport.StageTransport, Message: "the process ended"}
}

// die is the server's own end.
func (s *scriptedSession) die() { s.once.Do(func() { close(s.done) }) }

func (s *scriptedSession) Close() {
	s.die()
	time.Sleep(s.plan.lingers)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		s.server.mu.Lock()
		s.server.open--
		s.server.mu.Unlock()
	}
}

// initialize runs the handshake of a host that names the scripted servers
// itself, and notes the answer.
func (w *world) initialize(s rpc.Settings) {
	w.t.Helper()
	w.initialized(w.beginInitialize(s))
}

func (w *world) beginInitialize(s rpc.Settings) rpc.Pending[rpc.InitializeResult] {
	w.t.Helper()
	s.Servers = map[string]json.RawMessage{}
	for name := range w.servers {
		s.Servers[name] = json.RawMessage(`{"command":"` + name + `"}`)
	}
	s.Discovery = &rpc.DiscoverySettings{Include: []string{config.HostID}}
	wait, err := w.c.Initialize(w.t.Context(), &rpc.InitializeParams{
		ProtocolVersion: 1, Cwd: w.cwd, Settings: &s,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return wait
}

func (w *world) initialized(wait rpc.Pending[rpc.InitializeResult]) {
	answer, err := wait(w.t.Context())
	if err != nil {
		w.note("initialize: %v", err)
		return
	}
	w.noteSnapshot("initialized", answer(w.m.Snapshot()).Snapshot)
}

func (w *world) noteSnapshot(what string, v *rpc.Snapshot) {
	w.note("%s revision %d: %s", what, v.Revision, describeTools(v.Tools))
}

func describeTools(tools []rpc.Tool) string {
	if len(tools) == 0 {
		return "no tools"
	}
	var words []string
	for _, t := range tools {
		words = append(words, t.Label+" "+string(t.State))
	}
	return strings.Join(words, ", ")
}

// take gives what was noted so far and forgets it. Lines that no filter wants
// are left out: with filters given, a line must contain one of them.
func (w *world) take(filters ...string) []string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := w.log
	w.log = nil
	if len(filters) == 0 {
		return lines
	}
	return slices.DeleteFunc(lines, func(l string) bool {
		return !slices.ContainsFunc(filters, func(f string) bool { return strings.Contains(l, f) })
	})
}

func (w *world) expect(got []string, want ...string) {
	w.t.Helper()
	if !slices.Equal(got, want) {
		w.t.Errorf("events:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// warm fills the cache: every server connects once, at once, in a session of
// its own.
func (w *world) warm() {
	w.t.Helper()
	plans := map[string]func(int) plan{}
	for name, s := range w.servers {
		plans[name] = s.dial
		later := s.dial
		s.dial = func(n int) plan { return plan{tools: later(n).tools} }
	}
	w.open()
	w.initialize(rpc.Settings{})
	w.m.Close()
	for name, s := range w.servers {
		s.dial, s.dials = plans[name], 0
	}
	w.log, w.rev = nil, 0
	w.start = time.Now()
}

// answerAfter is a plan's call that takes that long.
func answerAfter(d time.Duration) func(context.Context, transport.Call) (json.RawMessage, error) {
	return func(ctx context.Context, _ transport.Call) (json.RawMessage, error) {
		select {
		case <-time.After(d):
			return json.RawMessage(`{"content":[],"x":"answered"}`), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
