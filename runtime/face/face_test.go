package face

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	return &rpc.SearchResult{Tools: []rpc.SearchHit{{Name: "mcp_a_x"}}}, nil
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

func TestDefinitionsArgumentsAndResultsPassAsTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const arguments = `{"z": 1.0, "big":12345678901234567890, "a":"<&>\u2028"}`
		const result = "{ \"content\" : [],\n\"structuredContent\":{\"n\":12345678901234567890,\"f\":1.0},\"x\":\"<\u2028\"}"
		impl := &scripted{call: func(_ context.Context, p *rpc.CallParams) (*rpc.CallResult, error) {
			if p.Server != "a" || p.Tool != "x" || string(p.Arguments) != arguments {
				t.Errorf("the session is asked for %s %s %s", p.Server, p.Tool, p.Arguments)
			}
			return &rpc.CallResult{Result: json.RawMessage(result)}, nil
		}}
		tool := tools("a/x")[0]
		tool.Definition = json.RawMessage(`{"z":1.0, "name" : "x","inputSchema":{"name":"x","n":12345678901234567890},"odd":null,"t":"<"}`)
		w := begin(t, impl, view(1, nil, tool), nil)
		w.shake(`{}`)
		w.say(list)
		w.hears(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"z":1.0, "name" : "a_x","inputSchema":{"name":"x","n":12345678901234567890},"odd":null,"t":"<"}]}}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x","arguments":` + arguments + `}}`)
		w.hears(`{"jsonrpc":"2.0","id":2,"result":` + strings.ReplaceAll(result, "\n", " ") + `}`)
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheStatelessEraIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results := []string{`{}`, `{"content":[]}`, `{"content":[],"resultType":"complete"}`, `[1]`}
		impl := &scripted{call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) {
			r := results[0]
			results = results[1:]
			return &rpc.CallResult{Result: json.RawMessage(r)}, nil
		}}
		w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.say(`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + stateless + `}}`)
		if got := w.all(); len(got) != 1 || !strings.Contains(got[0], `"instructions":"The tools of all`) || !strings.Contains(got[0], `"2026-07-28"`) {
			t.Errorf("discovered %s", got)
		}
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + stateless + `}}`)
		w.hears(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a_x"}],"resultType":"complete","ttlMs":0,"cacheScope":"private",` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcp-sidecar","version":"1"}}}}`)
		for _, want := range []string{
			`{"resultType":"complete"}`, `{"resultType":"complete","content":[]}`, `{"content":[],"resultType":"complete"}`, `[1]`,
		} {
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x",` + stateless + `}}`)
			w.hears(`{"jsonrpc":"2.0","id":2,"result":` + want + `}`)
		}
		// What has changed is told to who listens.
		w.say(`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + stateless + `}}`)
		if got := w.all(); len(got) != 1 || !strings.Contains(got[0], "subscriptions/acknowledged") {
			t.Errorf("listening is answered with %s", got)
		}
		w.session.Publish(rpc.Update{View: view(2, nil, tools("a/x", "b/y")...)})
		time.Sleep(time.Second)
		w.hears(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}`)
		if err := w.end(); err != nil { // though somebody listens
			t.Error(err)
		}
		if took := time.Since(w.begun); took > 2*time.Second {
			t.Errorf("it ended after %v", took)
		}
	})
}

// A client may start a server only to see which era it is of, and end it. Its
// discovery must start no servers of the user's.
func TestWhoOnlyDiscoversStartsNoServers(t *testing.T) {
	const discover = `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + stateless + `}}`
	for _, tt := range []struct {
		what  string
		lines []string
		told  string
	}{
		{"nothing is asked", nil, ""},
		{"a ping", []string{`{"jsonrpc":"2.0","id":0,"method":"ping"}`}, ""},
		{"it is discovered", []string{discover}, "initialize"},
		{"and then used", []string{discover, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + stateless + `}}`}, "initialize awake reload"},
		{"by one of the stateful eras", []string{initialize(`{}`)}, "awake initialize"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				impl := &scripted{}
				w := begin(t, impl, view(1, nil, tools("a/x")...), func(o *Options) { o.Wake = func() { impl.tell("awake") } })
				for _, line := range tt.lines {
					w.say(line)
					if got := w.all(); len(got) != 1 {
						t.Errorf("%s is answered with %s", line, got)
					}
				}
				if got := impl.heard(); got != tt.told {
					t.Errorf("the session was told %q, want %q", got, tt.told)
				}
				if err := w.end(); err != nil || time.Since(w.begun) != 0 {
					t.Errorf("%v after %v", err, time.Since(w.begun))
				}
			})
		})
	}
}

func TestAStatelessClientIsNotKeptWaitingForAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starting := server("slow", rpc.StatusConnecting, rpc.ToolsFromNone, 0)
		w := begin(t, &scripted{}, view(1, []rpc.Server{starting}, tools("a/x")...), nil)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + stateless + `}}`)
		if got := w.all(); len(got) != 1 || !strings.Contains(got[0], `{"tools":[{"name":"a_x"}]`) {
			t.Errorf("got %s", got)
		}
		_ = w.end()
	})
}

// holding holds lines with a text back until it is let go.
type holding struct {
	io.Writer
	text string
	wait chan struct{}
}

func (h *holding) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(h.text)) {
		<-h.wait
	}
	return h.Writer.Write(p)
}

// A client takes a word that comes before the list for one about that list.
func TestAChangeWhileAListIsOnItsWayIsToldAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := make(chan struct{})
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), func(o *Options) { o.Out = &holding{o.Out, `"tools":[`, wait} })
		w.shake(`{}`)
		w.say(list)
		synctest.Wait()
		w.session.Publish(rpc.Update{View: view(2, nil, tools("a/y")...)})
		synctest.Wait()
		close(wait)
		time.Sleep(time.Second)
		w.hears(listed("1", "a_x"), changed)
		_ = w.end()
	})
}

func TestAClientThatInitializesASessionHasOneWhateverVersionItNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), nil)
		w.say(strings.Replace(initialize(`{}`), "2025-06-18", "2027-01-01", 1), initialized, list)
		if got := w.all(); len(got) != 2 || !strings.Contains(got[0], `"protocolVersion":"2025-11-25"`) || got[1] != listed("1", "a_x") {
			t.Errorf("got %s", got)
		}
		w.session.Publish(rpc.Update{View: view(2, nil)})
		time.Sleep(time.Second)
		w.hears(changed)
		_ = w.end()
	})
}

// server is the record of one that has come to this.
func server(name string, status rpc.Status, from rpc.ToolsFrom, count int) rpc.Server {
	return rpc.Server{Name: name, Status: status, Tools: rpc.ServerTools{From: from, Count: count}}
}

func TestAListWaitsForServersOfWhichNothingIsKnown(t *testing.T) {
	starting := server("slow", rpc.StatusConnecting, rpc.ToolsFromNone, 0)
	cached := server("cached", rpc.StatusConnecting, rpc.ToolsFromCache, 1)
	for _, tt := range []struct {
		what string
		then func(w *world) // after one second
		want string         // the list
		at   time.Duration
	}{
		{"until patience is over", func(*world) {}, listed("1", "cached_x"), patience},
		{"until its tools are there", func(w *world) {
			ready := server("slow", rpc.StatusConnected, rpc.ToolsFromLive, 1)
			w.session.Publish(rpc.Update{View: view(2, nil, tools("cached/x", "slow/y")...), Statuses: []rpc.Server{ready}})
		}, listed("1", "cached_x slow_y"), time.Second},
		{"until it has failed", func(w *world) {
			w.session.Publish(rpc.Update{View: view(1, nil), Statuses: []rpc.Server{server("slow", rpc.StatusDisconnected, rpc.ToolsFromNone, 0)}})
		}, listed("1", "cached_x"), time.Second},
		{"until it has none", func(w *world) {
			w.session.Publish(rpc.Update{View: view(1, nil), Statuses: []rpc.Server{server("slow", rpc.StatusConnected, rpc.ToolsFromLive, 0)}})
		}, listed("1", "cached_x"), time.Second},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t, &scripted{}, view(1, []rpc.Server{cached, starting}, tools("cached/x")...), nil)
				w.shake(`{}`)
				w.say(list)
				w.hears()
				time.Sleep(time.Second)
				tt.then(w)
				if got := <-w.lines; got != tt.want || time.Since(w.begun) != tt.at {
					t.Errorf("after %v: %s", time.Since(w.begun), got)
				}
				w.say(list)
				if got := <-w.lines; got != tt.want || time.Since(w.begun) != tt.at {
					t.Errorf("asked again, after %v: %s", time.Since(w.begun), got)
				}
				_ = w.end()
			})
		})
	}
}

func TestACallOfAToolNotKnownYetWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impl := &scripted{call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) {
			return &rpc.CallResult{Result: json.RawMessage(`{}`)}, nil
		}}
		w := begin(t, impl, view(1, []rpc.Server{server("slow", rpc.StatusConnecting, rpc.ToolsFromNone, 0)}, tools("a/x")...), nil)
		w.shake(`{}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow_y"}}`)
		w.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a_x"}}`) // which nobody holds up
		w.hears(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		w.session.Publish(rpc.Update{View: view(2, nil, tools("a/x", "slow/y")...)})
		w.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		w.say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"mcp_a_x"}}`)
		w.hears(`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown tool \"mcp_a_x\"; did you mean a_x?"}}`)
		_ = w.end()
	})
}

func TestAClientThatHasListedIsToldOfEveryChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		w.session.Publish(rpc.Update{View: view(2, nil, tools("a/x", "a/y")...)})
		time.Sleep(time.Second)
		w.hears() // it knows no list yet
		w.say(list)
		w.hears(listed("1", "a_x a_y"))
		for i, labels := range [][]string{{"b/z"}, {"b/z", "c/z"}, nil} {
			w.session.Publish(rpc.Update{View: view(3+i, nil, tools(labels...)...)})
			time.Sleep(time.Second)
			w.hears(changed)
			w.say(list)
			w.hears(listed("1", strings.ReplaceAll(strings.Join(labels, " "), "/", "_")))
		}
		_ = w.end()
	})
}

func TestProgressPrecedesTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *world
		impl := &scripted{call: func(ctx context.Context, p *rpc.CallParams) (*rpc.CallResult, error) {
			_ = w.session.Progress(ctx, &rpc.ProgressParams{Token: p.ProgressToken, Value: rpc.ProgressValue{
				Progress: json.RawMessage(`1.5`), Total: json.RawMessage(`3`), Message: "half",
			}})
			return &rpc.CallResult{Result: json.RawMessage(`{"content":[]}`)}, nil
		}}
		w = begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		for _, token := range []string{`"t"`, `7`} {
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x","_meta":{"progressToken":` + token + `}}}`)
			w.hears(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`,"message":"half","progress":1.5,"total":3}}`,
				`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		}
		_ = w.end()
	})
}

func TestACancelledCallIsNotAnsweredAndTheSessionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 1)
		impl := &scripted{call: func(ctx context.Context, _ *rpc.CallParams) (*rpc.CallResult, error) {
			<-ctx.Done()
			told <- context.Cause(ctx)
			return nil, ctx.Err()
		}}
		w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`)
		synctest.Wait()
		w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		w.hears(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		if err := <-told; !errors.Is(err, &rpc.Error{Code: rpc.CodeCancelled}) {
			t.Errorf("the session was told %v", err)
		}
		if err := w.end(); err != nil || time.Since(w.begun) != 0 {
			t.Errorf("%v after %v", err, time.Since(w.begun))
		}
	})
}

func TestArgumentsThatAreNullAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impl := &scripted{call: func(_ context.Context, p *rpc.CallParams) (*rpc.CallResult, error) {
			return &rpc.CallResult{Result: json.RawMessage(fmt.Sprintf("%q", p.Arguments))}, nil
		}}
		w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		for given, want := range map[string]string{``: `""`, `,"arguments":null`: `""`, `,"arguments":{}`: `"{}"`} {
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"` + given + `}}`)
			w.hears(`{"jsonrpc":"2.0","id":2,"result":` + want + `}`)
		}
		_ = w.end()
	})
}

func TestWhatTheSessionRefusesIsAnErrorOrAResult(t *testing.T) {
	isError := func(message string) string {
		return fmt.Sprintf(`"result":{"content":[{"text":%q,"type":"text"}],"isError":true}`, "MCP error: "+message)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{rpc.ErrUnknownTool("x", "its server is starting", []string{"mcp_a_x", "mcp_a_xx"}), `"error":{"code":-32602,"message":"unknown tool \"x\": its server is starting; did you mean a_x, mcp_a_xx?"}`},
		{rpc.ErrInvalidParams("arguments", "want an object"), `"error":{"code":-32602,"message":"invalid params: arguments: want an object"}`},
		{rpc.ErrUntrusted("a"), isError(`server "a" is not trusted: it is from a file of the project`)},
		{rpc.ErrOverloaded(`server "a"`), isError(`server "a": too many requests are waiting`)},
		{rpc.ErrShuttingDown(), `"error":{"code":-32603,"message":"the sidecar is shutting down"}`},
		{errors.New("oh"), `"error":{"code":-32603,"message":"oh"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			impl := &scripted{call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) { return nil, tt.err }}
			w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
			w.shake(`{}`)
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`)
			w.hears(`{"jsonrpc":"2.0","id":2,` + tt.want + `}`)
			_ = w.end()
		})
	}
}

func TestBadLinesAreAnsweredAndSkipped(t *testing.T) {
	fault := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
	}
	const notID = "the id is neither a string nor an integer up to 2^53"
	for _, tt := range []struct{ line, want string }{
		{`hello`, fault("null", -32700, "the line is not JSON: a message is one object on one line")},
		{`{"jsonrpc":"2.0","id":1`, fault("null", -32700, "the line is not JSON: a message is one object on one line")},
		{`{} {}`, fault("null", -32700, "the line is not JSON: a message is one object on one line")},
		{`7`, fault("null", -32600, "the message is not an object")},
		{`[]`, fault("null", -32600, "the batch is empty")},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, fault("null", -32600, notID)},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, fault("null", -32600, notID)},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, fault("null", -32600, notID)},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, fault("5", -32600, `invalid message version tag "1.0"; expected "2.0"`)},
		{"\ufeff" + `{"jsonrpc":"2.0","id":-3,"method":"ping"}` + "\r", `{"jsonrpc":"2.0","id":-3,"result":{}}`},
		{`[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"no/such"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: \"no/such\""}}`},
		{`{"jsonrpc":"2.0","id":4,"result":{}}`, ``},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{}, view(1, nil), nil)
			w.shake(`{}`)
			w.say(tt.line)
			if got := strings.Join(w.all(), "\n"); got != tt.want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.line, got, tt.want)
			}
			w.say(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
			w.hears(`{"jsonrpc":"2.0","id":"after","result":{}}`)
			if err := w.end(); err != nil || time.Since(w.begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
		})
	}
}

func TestTheEndComesWhenWhatWasAskedIsAnswered(t *testing.T) {
	slow := func(ctx context.Context, _ *rpc.CallParams) (*rpc.CallResult, error) {
		select {
		case <-time.After(10 * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &rpc.CallResult{Result: json.RawMessage(`{}`)}, nil
	}
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`
	t.Run("of the input", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), nil)
			w.shake(`{}`)
			w.say(call)
			if err := w.end(); err != nil || time.Since(w.begun) != 10*time.Second {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
			w.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		})
	})
	t.Run("at once when nobody reads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), func(o *Options) { o.ClientReads = func() bool { return false } })
			w.shake(`{}`)
			w.say(call)
			if err := w.end(); err != nil || time.Since(w.begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
		})
	})
	t.Run("of the session", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), nil)
			w.shake(`{}`)
			w.say(call)
			synctest.Wait()
			w.wire.Close()
			if err := <-w.ended; !errors.Is(err, ErrSessionEnded) || time.Since(w.begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
			w.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the session has ended"}}`)
			w.in.Close()
		})
	})
}

func TestWhatIsWrongWithTheConfigurationIsLoggedOnce(t *testing.T) {
	broken := rpc.Diagnostic{Path: "/h/a.json", Line: 3, Column: 4, Error: "bad", Severity: rpc.SeverityError}
	failing := rpc.Diagnostic{Path: "mcp:a", Server: "a", Error: "gone", Severity: rpc.SeverityError}
	synctest.Test(t, func(t *testing.T) {
		first := view(1, nil)
		first.Errors = []rpc.Diagnostic{broken, failing}
		w := begin(t, &scripted{}, first, nil)
		w.shake(`{}`)
		next := view(2, nil)
		next.Errors = []rpc.Diagnostic{broken, {Path: "settings.discovery.exclude", Error: "no such", Severity: rpc.SeverityWarning}}
		w.session.Publish(rpc.Update{View: next, Diagnostics: true})
		synctest.Wait()
		log := w.log.String()
		for text, times := range map[string]int{"msg=bad at=/h/a.json:3:4 severity=error": 1, "gone": 0, `msg="no such" at=settings.discovery.exclude`: 1} {
			if n := strings.Count(log, text); n != times {
				t.Errorf("%q is logged %d times, want %d:\n%s", text, n, times, log)
			}
		}
		_ = w.end()
	})
}

func TestASessionThatCannotBeOpenedIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil), func(o *Options) { o.Hello.ProtocolVersion = 99 })
		w.say(initialize(`{}`))
		w.hears(`{"jsonrpc":"2.0","id":"i","error":{"code":-32603,"message":"the session cannot be opened: ` +
			`invalid params: protocolVersion: the host speaks version 99, this sidecar version 1"}}`)
		err := <-w.ended
		if err == nil || !strings.Contains(err.Error(), "the session cannot be opened: invalid params: protocolVersion") {
			t.Errorf("got %v", err)
		}
		w.in.Close()
	})
}
