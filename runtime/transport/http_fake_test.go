package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve is the URL of a server that ends after what connects to it.
func serve(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// dialed is a session with a server over HTTP.
func dialed(t testing.TB, spec Spec, hooks Hooks) *session {
	t.Helper()
	s, err := dial(t, spec, hooks)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*session)
}

func dial(t testing.TB, spec Spec, hooks Hooks) (Session, error) {
	t.Helper()
	if spec.Kind == "" {
		spec.Kind = HTTP
	}
	spec.Name, spec.Shutdown = "test", 2*time.Second
	s, err := (&Dialer{Log: slog.New(slog.DiscardHandler)}).Dial(t.Context(), spec, hooks)
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, err
}

// fake is a streamable HTTP server of the stateful era with one tool, as a test
// bends it.
type fake struct {
	// methods answer requests and notifications; those left out are answered as
	// they should be.
	methods map[string]answering
	// get is the server's own stream; nil means that there is none.
	get http.HandlerFunc

	mu   sync.Mutex
	seen []string // guarded by mu; what arrived, in order
}

// frame is a JSON-RPC message a fake received.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

type answering func(w http.ResponseWriter, r *http.Request, f frame)

// result answers with a result as one body.
func (f frame) result(w http.ResponseWriter, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, result)
}

// event is a result as a server-sent event.
func (f frame) event(result string) string {
	return fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", f.ID, result)
}

func (f frame) refuse(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, f.ID, code, message)
}

const (
	fine           = "fine" // the tool that works, whatever a test does to the others
	fakeSession    = "session-1"
	fakeInitialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`
)

func (s *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		s.note(r.Method)
		if r.Method == http.MethodGet && s.get != nil {
			s.get(w, r)
			return
		}
		if r.Method == http.MethodGet {
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		}
		return
	}
	var f frame
	if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.note(strings.TrimSpace("POST " + f.Method))
	if f.Method != "initialize" && r.Header.Get("Mcp-Protocol-Version") == "" {
		http.Error(w, f.Method+" without a protocol version", http.StatusBadRequest)
		return
	}
	var call struct{ Name string }
	_ = json.Unmarshal(f.Params, &call) // not every request names something
	if bent := s.methods[f.Method]; bent != nil && call.Name != fine {
		bent(w, r, f)
		return
	}
	switch {
	case f.ID == nil || f.Method == "":
		w.WriteHeader(http.StatusAccepted)
	case f.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", fakeSession)
		f.result(w, fakeInitialize)
	case r.Header.Get("Mcp-Session-Id") != fakeSession && f.Method != "server/discover":
		http.Error(w, "no session", http.StatusBadRequest)
	case f.Method == "tools/list":
		f.result(w, `{"tools":[{"name":"tool","inputSchema":{"type":"object"}}]}`)
	case f.Method == "tools/call":
		f.result(w, `{"content":[]}`)
	default:
		f.refuse(w, http.StatusOK, -32601, "method not found")
	}
}

func (s *fake) note(what string) {
	s.mu.Lock()
	s.seen = append(s.seen, what)
	s.mu.Unlock()
}

// log is what arrived.
func (s *fake) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, "\n")
}

func (s *fake) count(what string) int {
	n := 0
	for line := range strings.SplitSeq(s.log(), "\n") {
		if line == what {
			n++
		}
	}
	return n
}

// onCall is a fake whose tools/call answers as given.
func onCall(answer answering) *fake {
	return &fake{methods: map[string]answering{"tools/call": answer}}
}

// streaming starts an event stream.
func streaming(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush(w)
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// direct is a network without sockets: a handler runs beside its client, so that
// both live in one bubble of fake time.
type direct struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	in, out := io.Pipe()
	w := &directWriter{header: http.Header{}, body: out, begun: make(chan struct{})}
	inner, cancel := context.WithCancel(req.Context())
	served := req.Clone(inner)
	if served.Body == nil {
		served.Body = http.NoBody
	}
	go func() { // ends with the handler, which sees its client leave
		defer cancel()
		d.handler.ServeHTTP(w, served)
		w.WriteHeader(http.StatusOK)
		_ = out.Close()
	}()
	select {
	case <-w.begun:
	case <-req.Context().Done():
		_ = in.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	stop := context.AfterFunc(req.Context(), func() { _ = in.CloseWithError(req.Context().Err()) })
	return &http.Response{
		StatusCode: w.status, Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		Header: w.header, Body: directBody{in, stop, cancel}, ContentLength: -1, Request: req,
	}, nil
}

type directBody struct {
	*io.PipeReader
	stop   func() bool
	cancel context.CancelFunc
}

func (b directBody) Close() error {
	b.stop()
	b.cancel()
	return b.PipeReader.Close()
}

type directWriter struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	status int // set before begun is closed
	begun  chan struct{}
}

func (w *directWriter) Header() http.Header { return w.header }

func (w *directWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.header = w.header.Clone()
		w.status = status
		close(w.begun)
	})
}

func (w *directWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *directWriter) Flush() { w.WriteHeader(http.StatusOK) }

// connectDirect is a session over a network without sockets. The test closes it.
func connectDirect(t testing.TB, handler http.Handler, hooks Hooks) *session {
	t.Helper()
	return connectBent(t, "http://server.test/mcp", hooks, func(l *httpLink) { l.remote.client.Transport = direct{handler} })
}

// connectBent is a session over a link that a test has changed. The test
// closes it.
func connectBent(t testing.TB, url string, hooks Hooks, bend func(*httpLink)) *session {
	t.Helper()
	spec := Spec{Name: "test", Kind: HTTP, URL: url, Shutdown: 2 * time.Second}
	l, err := newHTTPLink(spec, hooks, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	bend(l)
	g, err := l.greet(t.Context(), EraUnknown)
	if err != nil {
		t.Fatal(err)
	}
	s, err := connect(t.Context(), spec, hooks, l, g)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*session)
}

// newCancelled is a context that ends once something has happened.
func newCancelled(t testing.TB, happened <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends with the event, or with the test
		select {
		case <-happened:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
