package face

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// scripted is a session as a test wants it, behind a real rpc.Session.
type scripted struct {
	rpc.Sidecar
	call  func(context.Context, *rpc.CallParams) (*rpc.CallResult, error)
	moved func(*rpc.ConfigureParams)
	hits  []rpc.SearchHit // of every search; nil for tool x of server a

	mu   sync.Mutex
	told []string // methods that matter, in the order in which they came
}

func (s *scripted) tell(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, method)
}

func (s *scripted) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.told, " ")
}

func (s *scripted) Initialize(context.Context, *rpc.InitializeParams) (rpc.Pending[rpc.InitializeResult], error) {
	s.tell("initialize")
	return func(context.Context) (rpc.Answer[rpc.InitializeResult], error) {
		return func(v *rpc.Snapshot) *rpc.InitializeResult { return &rpc.InitializeResult{Snapshot: v} }, nil
	}, nil
}

func (s *scripted) Call(ctx context.Context, p *rpc.CallParams) (*rpc.CallResult, error) {
	return s.call(ctx, p)
}

func (s *scripted) Search(context.Context, *rpc.SearchParams) (*rpc.SearchResult, error) {
	if s.hits != nil {
		return &rpc.SearchResult{Tools: s.hits}, nil
	}
	return &rpc.SearchResult{Tools: []rpc.SearchHit{{Name: "mcp_a_x", Server: "a"}}}, nil
}

func (s *scripted) Servers(context.Context, *rpc.ServersParams) (rpc.Answer[rpc.ServersResult], error) {
	return func(v *rpc.Snapshot) *rpc.ServersResult { return &rpc.ServersResult{Servers: v.Servers} }, nil
}

func (s *scripted) Reload(context.Context, *rpc.ReloadParams) (rpc.Pending[rpc.SnapshotResult], error) {
	s.tell("reload")
	return func(context.Context) (rpc.Answer[rpc.SnapshotResult], error) {
		return func(v *rpc.Snapshot) *rpc.SnapshotResult { return &rpc.SnapshotResult{Snapshot: v} }, nil
	}, nil
}

func (s *scripted) Configure(_ context.Context, p *rpc.ConfigureParams) (rpc.Pending[rpc.SnapshotResult], error) {
	s.moved(p)
	return func(context.Context) (rpc.Answer[rpc.SnapshotResult], error) {
		return func(v *rpc.Snapshot) *rpc.SnapshotResult { return &rpc.SnapshotResult{Snapshot: v} }, nil
	}, nil
}

// world is a face between a test, which is the client, and a scripted session.
type world struct {
	t       *testing.T
	in      *io.PipeWriter
	lines   chan string // of the client's side
	session *rpc.Session
	impl    *scripted
	ended   chan error
	log     *syncBuffer
	begun   time.Time
	wire    net.Conn // the session's end
}

// begin is to be called in a bubble. what changes the options.
func begin(t *testing.T, impl *scripted, first *rpc.Snapshot, what func(*Options)) *world {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ours, theirs := net.Pipe()
	w := &world{t: t, in: inW, lines: make(chan string, 1000), impl: impl, ended: make(chan error, 1), log: &syncBuffer{}, begun: time.Now(), wire: theirs}
	w.session = rpc.NewSession(theirs, theirs, rpc.Options{HostReads: func() bool { return false }})
	w.session.Publish(rpc.Update{View: first})
	go w.session.Run(context.Background(), impl)
	opt := Options{
		Name: "mcp-sidecar", Version: "1", In: inR, Out: outW, Session: ours,
		Hello: &rpc.InitializeParams{ProtocolVersion: rpc.ProtocolVersion, Cwd: "/"},
		Log:   slog.New(slog.NewTextHandler(w.log, nil)),

		ClientReads: func() bool { return true },
		Describe:    func(s rpc.ProjectServer) string { return s.Name + ", from " + s.Path },
		Remedy:      func(s rpc.ProjectServer) string { return "trust " + s.Name },
		Visible:     func(text string) string { return strings.ReplaceAll(text, "\n", "(line)") },
	}
	if what != nil {
		what(&opt)
	}
	go func() {
		w.ended <- Run(t.Context(), opt)
		outW.Close()
		inR.Close()
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return w
}

// syncBuffer is a log that a test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (w *world) say(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.in, l+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// all are the lines that have come, when nothing more comes without time.
func (w *world) all() []string {
	synctest.Wait()
	var got []string
	for {
		select {
		case l, ok := <-w.lines:
			if !ok {
				return got
			}
			got = append(got, l)
		default:
			return got
		}
	}
}

// hears fails unless exactly these lines have come.
func (w *world) hears(want ...string) {
	w.t.Helper()
	if got := w.all(); !slices.Equal(got, want) {
		w.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// end closes the input, and gives what Run returns.
func (w *world) end() error {
	w.in.Close()
	return <-w.ended
}

func initialize(capabilities string) string {
	return `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":` + capabilities +
		`,"clientInfo":{"name":"t","version":"1"}}}`
}

const (
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list        = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	changed     = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`
	stateless   = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// shake does the handshake of the stateful eras.
func (w *world) shake(capabilities string) {
	w.t.Helper()
	w.say(initialize(capabilities), initialized)
	if got := w.all(); len(got) == 0 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":"i","result":{`) {
		w.t.Fatalf("initialize is answered with %s", got)
	}
}

// tools are those of a set: "server/tool", each with a small definition.
func tools(labels ...string) []rpc.Tool {
	var all []rpc.Tool
	for _, l := range labels {
		server, tool, _ := strings.Cut(l, "/")
		all = append(all, rpc.Tool{
			Name: "mcp_" + server + "_" + tool, Label: l, Server: server,
			Definition: json.RawMessage(fmt.Sprintf(`{"name":%q}`, tool)),
		})
	}
	return all
}

func view(revision int, servers []rpc.Server, tools ...rpc.Tool) *rpc.Snapshot {
	return &rpc.Snapshot{Revision: revision, Hash: fmt.Sprint(revision), Tools: tools, Servers: servers}
}

func listed(id, names string) string {
	var defs []string
	for name := range strings.FieldsSeq(names) {
		defs = append(defs, fmt.Sprintf(`{"name":%q}`, name))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, id, strings.Join(defs, ","))
}
