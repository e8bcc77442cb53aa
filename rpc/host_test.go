package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// scripted is a Sidecar whose methods are what a test needs; the others answer
// with nothing special.
type scripted struct {
	initialize func(context.Context, *InitializeParams) (Pending[InitializeResult], error)
	configure  func(context.Context, *ConfigureParams) (Pending[SnapshotResult], error)
	shutdown   func(context.Context, *ShutdownParams) (Pending[ShutdownResult], error)
	reload     func(context.Context, *ReloadParams) (Pending[SnapshotResult], error)
	call       func(context.Context, *CallParams) (*CallResult, error)
	connect    func(context.Context, *ConnectParams) (Answer[Server], error)
	search     func(context.Context, *SearchParams) (*SearchResult, error)
}

func initialized(view *Snapshot) *InitializeResult {
	return &InitializeResult{ProtocolVersion: 1, Methods: []string{}, Snapshot: view}
}

func snapshotResult(view *Snapshot) *SnapshotResult { return &SnapshotResult{Snapshot: view} }

// at returns a Pending that ends at once.
func at[T any](answer Answer[T]) Pending[T] {
	return func(context.Context) (Answer[T], error) { return answer, nil }
}

// when returns a Pending that ends with open, or with its context.
func when[T any](open <-chan struct{}, answer Answer[T]) Pending[T] {
	return func(ctx context.Context) (Answer[T], error) {
		select {
		case <-open:
			return answer, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *scripted) Initialize(ctx context.Context, p *InitializeParams) (Pending[InitializeResult], error) {
	if s.initialize != nil {
		return s.initialize(ctx, p)
	}
	return at(initialized), nil
}

func (s *scripted) Configure(ctx context.Context, p *ConfigureParams) (Pending[SnapshotResult], error) {
	if s.configure != nil {
		return s.configure(ctx, p)
	}
	return at(snapshotResult), nil
}

func (s *scripted) Shutdown(ctx context.Context, p *ShutdownParams) (Pending[ShutdownResult], error) {
	if s.shutdown != nil {
		return s.shutdown(ctx, p)
	}
	return at(func(*Snapshot) *ShutdownResult { return &ShutdownResult{} }), nil
}

func (s *scripted) Reload(ctx context.Context, p *ReloadParams) (Pending[SnapshotResult], error) {
	if s.reload != nil {
		return s.reload(ctx, p)
	}
	return at(snapshotResult), nil
}

func (s *scripted) Snapshot(_ context.Context, p *SnapshotParams) (Answer[SnapshotAnswer], error) {
	return func(view *Snapshot) *SnapshotAnswer {
		if p.IfRevision == view.Revision {
			return &SnapshotAnswer{Revision: view.Revision, Unchanged: true}
		}
		return &SnapshotAnswer{Revision: view.Revision, Hash: view.Hash, Tools: view.Tools, Servers: view.Servers, Errors: view.Errors}
	}, nil
}

func (s *scripted) Call(ctx context.Context, p *CallParams) (*CallResult, error) {
	if s.call != nil {
		return s.call(ctx, p)
	}
	return &CallResult{Result: p.Arguments}, nil
}

func (s *scripted) Search(ctx context.Context, p *SearchParams) (*SearchResult, error) {
	if s.search != nil {
		return s.search(ctx, p)
	}
	return &SearchResult{Tools: []SearchHit{{Name: p.Query}}}, nil
}

func (s *scripted) Servers(context.Context, *ServersParams) (Answer[ServersResult], error) {
	return func(view *Snapshot) *ServersResult { return &ServersResult{Servers: view.Servers} }, nil
}

func (s *scripted) Connect(ctx context.Context, p *ConnectParams) (Answer[Server], error) {
	if s.connect != nil {
		return s.connect(ctx, p)
	}
	return func(*Snapshot) *Server { return &Server{Name: p.Server} }, nil
}

func (s *scripted) Disconnect(_ context.Context, p *DisconnectParams) (Answer[Server], error) {
	return nil, fmt.Errorf("disconnect: %w", ErrUnknownServer(p.Server))
}

func (s *scripted) Wait(context.Context, *WaitParams) (Answer[WaitResult], error) {
	return func(*Snapshot) *WaitResult { return &WaitResult{} }, nil
}

func (s *scripted) Doctor(context.Context, *DoctorParams) (*DoctorReport, error) {
	return &DoctorReport{}, nil
}

func (s *scripted) Logs(context.Context, *LogsParams) (*LogsResult, error) { return &LogsResult{}, nil }

// peer is the host of a session under test. It lives in a synctest bubble.
type peer struct {
	t       *testing.T
	session *Session
	in      *io.PipeWriter
	out     *io.PipeReader
	outcome chan Outcome
	stop    context.CancelFunc
	ndjson  bool
	logs    *lockedBuffer

	mu       sync.Mutex
	received []string
	ended    bool // the session closed its side
}

// lockedBuffer takes a log.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// deaf starts a session whose host reads nothing until listen.
func deaf(t *testing.T, impl Sidecar, opts Options) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, in: inW, out: outR, outcome: make(chan Outcome, 1), ndjson: opts.Framing == FramingNDJSON, logs: &lockedBuffer{}}
	opts.Log = slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p.session = NewSession(inR, outW, opts)
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	go func() { p.outcome <- p.session.Run(ctx, impl) }()
	t.Cleanup(func() {
		stop()
		inW.Close()
		outR.Close()
	})
	return p
}

// start starts a session and a host that reads all it says.
func start(t *testing.T, impl Sidecar, opts Options) *peer {
	t.Helper()
	p := deaf(t, impl, opts)
	p.listen()
	return p
}

func (p *peer) listen() {
	go func() {
		r := NewFrameReader(p.out, FramingAuto, 1<<40)
		for {
			body, err := r.Next()
			p.mu.Lock()
			if err != nil {
				p.ended = true
				p.mu.Unlock()
				return
			}
			p.received = append(p.received, strings.TrimSpace(string(body)))
			p.mu.Unlock()
		}
	}()
}

// raw sends bytes as they are.
func (p *peer) raw(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatalf("the session does not read: %v", err)
	}
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func (p *peer) send(bodies ...string) {
	p.t.Helper()
	for _, b := range bodies {
		if p.ndjson {
			p.raw(b + "\n")
		} else {
			p.raw(framed(b))
		}
	}
}

func request(id any, method, params string) string {
	raw, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, raw, method, params)
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

const initParams = `{"protocolVersion":1,"client":{"name":"t","version":"0"},"cwd":"/"}`

// initialize sends the first request, with id 0, and lets it be taken up, and
// answered if it does not wait.
func (p *peer) initialize() {
	p.t.Helper()
	p.send(request(0, MethodInitialize, initParams))
	synctest.Wait()
}

// all returns what was received since the last call, when nothing moves any
// more.
func (p *peer) all() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.received
	p.received = nil
	return got
}

// short says a message in few words: "1=ok", "1!-32600", "tools/changed 1→2".
func short(raw string) string {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			PreviousRevision, Revision int
			Name, Phase, Message       string
			Token                      json.RawMessage
			Value                      struct{ Progress json.RawMessage }
			Errors                     []Diagnostic
		}
		Result json.RawMessage
		Error  *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return "not JSON: " + raw
	}
	switch {
	case m.Error != nil:
		return fmt.Sprintf("%s!%d", m.ID, m.Error.Code)
	case m.Method == MethodToolsChanged:
		return fmt.Sprintf("tools %d→%d", m.Params.PreviousRevision, m.Params.Revision)
	case m.Method == MethodStatus:
		return fmt.Sprintf("status %s %s", m.Params.Name, m.Params.Phase)
	case m.Method == MethodProgress:
		return fmt.Sprintf("progress %s %s", m.Params.Token, m.Params.Value.Progress)
	case m.Method == MethodLog:
		return "log " + m.Params.Message
	case m.Method == MethodDiagnostics:
		return fmt.Sprintf("diagnostics %d", len(m.Params.Errors))
	case m.Method != "":
		return m.Method
	}
	var r struct {
		Revision int
		Snapshot *struct{ Revision int }
	}
	_ = json.Unmarshal(m.Result, &r)
	switch {
	case r.Snapshot != nil:
		return fmt.Sprintf("%s=@%d", m.ID, r.Snapshot.Revision)
	case r.Revision != 0:
		return fmt.Sprintf("%s=@%d", m.ID, r.Revision)
	}
	return string(m.ID) + "=ok"
}

func (p *peer) shorts() string {
	var out []string
	for _, m := range p.all() {
		out = append(out, short(m))
	}
	return strings.Join(out, " | ")
}

func (p *peer) expect(want string) {
	p.t.Helper()
	if got := p.shorts(); got != want {
		p.t.Errorf("the host received\n\t%s\nwant\n\t%s", got, want)
	}
}

// view is a snapshot with these tools of server s.
func view(revision int, tools ...string) *Snapshot {
	s := &Snapshot{Revision: revision, Hash: fmt.Sprint(tools)}
	for _, name := range tools {
		s.Tools = append(s.Tools, Tool{Name: name, Server: "s", Definition: json.RawMessage(`{"name":"` + name + `"}`)})
	}
	return s
}

func readAll(r io.Reader) []string {
	var out []string
	fr := &FrameReader{in: bufio.NewReader(r), framing: FramingAuto, max: 1 << 40}
	for {
		body, err := fr.Next()
		if err != nil {
			return out
		}
		out = append(out, strings.TrimSpace(string(body)))
	}
}
