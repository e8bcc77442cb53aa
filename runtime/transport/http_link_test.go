package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer has the tools echo, which returns its arguments as text, and steps,
// which reports progress first.
func sdkServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "2"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	server.AddTool(&mcp.Tool{Name: "steps", InputSchema: schema}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 5 {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i), Total: 5, Message: fmt.Sprint("step ", i),
			}); err != nil {
				return nil, err
			}
		}
		return &mcp.CallToolResult{}, nil
	})
	return server
}

func TestCallsThroughTheSDKsOwnServers(t *testing.T) {
	server := sdkServer()
	get := func(*http.Request) *mcp.Server { return server }
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{
		"stateful":       {},
		"stateful JSON":  {JSONResponse: true},
		"stateful store": {EventStore: mcp.NewMemoryEventStore(nil)},
		"stateless":      {Stateless: true},
		"stateless JSON": {Stateless: true, JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialed(t, Spec{URL: serve(t, mcp.NewStreamableHTTPHandler(get, opts))}, Hooks{})
			result, err := s.Call(t.Context(), Call{Tool: "echo", Arguments: json.RawMessage(`{"b":12345678901234567890,  "a":1.0}`)})
			if err != nil {
				t.Fatal(err)
			}
			if want := `12345678901234567890,  \"a\":1.0`; !strings.Contains(string(result), want) {
				t.Errorf("result %s lacks %s", result, want)
			}
			if opts.JSONResponse {
				return // has no place for progress
			}
			var steps []string
			if _, err := s.Call(t.Context(), Call{Tool: "steps", Progress: func(p Progress) { steps = append(steps, p.Message) }}); err != nil {
				t.Fatal(err)
			}
			if want := "[step 0 step 1 step 2 step 3 step 4]"; fmt.Sprint(steps) != want {
				t.Errorf("progress %v, want %s", steps, want)
			}
		})
	}
}

func TestListChangesAreHeardInBothEras(t *testing.T) {
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{"stateful": {}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			server := sdkServer()
			get := func(*http.Request) *mcp.Server { return server }
			changed := make(chan struct{}, 100)
			s := dialed(t, Spec{URL: serve(t, mcp.NewStreamableHTTPHandler(get, opts))}, Hooks{ToolsChanged: func() { changed <- struct{}{} }})
			schema := json.RawMessage(`{"type":"object"}`)
			for i := 0; ; i++ { // until the server knows that we listen
				server.AddTool(&mcp.Tool{Name: fmt.Sprint("new", i), InputSchema: schema},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						return &mcp.CallToolResult{}, nil
					})
				wait := time.NewTimer(100 * time.Millisecond)
				select {
				case <-changed:
					return
				case <-wait.C:
				case <-s.Done():
					t.Fatal(s.Err())
				}
			}
		})
	}
}

func TestTheEraIsFoundOutHoweverTheProbeFails(t *testing.T) {
	for name, answer := range map[string]answering{
		"method not found": nil,
		"a plain 400":      plainly(http.StatusBadRequest),
		"a plain 404":      plainly(http.StatusNotFound),
		"a plain 405":      plainly(http.StatusMethodNotAllowed),
		"a plain 500":      plainly(http.StatusInternalServerError),
		"a refused body":   func(w http.ResponseWriter, _ *http.Request, f frame) { f.refuse(w, 400, -32000, "no session") },
		"a page":           func(w http.ResponseWriter, _ *http.Request, _ frame) { _, _ = w.Write([]byte("<html>")) },
		"nothing":          func(w http.ResponseWriter, _ *http.Request, _ frame) { w.WriteHeader(202) },
		"a closed connection": func(http.ResponseWriter, *http.Request, frame) {
			panic(http.ErrAbortHandler)
		},
		"an empty stream": func(w http.ResponseWriter, _ *http.Request, _ frame) { streaming(w) },
	} {
		t.Run(name, func(t *testing.T) {
			server := &fake{methods: map[string]answering{"server/discover": answer}}
			s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
			if info := s.Info(); info.Era != EraStateful || info.Kind != HTTP {
				t.Errorf("info %+v", info)
			}
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Error(err)
			}
		})
	}
}

// plainly answers with a status and its text.
func plainly(status int) answering {
	return func(w http.ResponseWriter, _ *http.Request, _ frame) { http.Error(w, http.StatusText(status), status) }
}

func TestARememberedEraIsNotProbed(t *testing.T) {
	server := &fake{}
	dialed(t, Spec{URL: serve(t, server), Era: EraStateful}, Hooks{})
	if n := server.count("POST server/discover"); n != 0 {
		t.Errorf("%d probes", n)
	}
}

func TestASilentProbeDelaysTheHandshakeAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{methods: map[string]answering{
			"server/discover": func(_ http.ResponseWriter, r *http.Request, _ frame) { <-r.Context().Done() },
		}}
		began := time.Now()
		s := connectDirect(t, server, Hooks{})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("connected after %s", took)
		}
		s.Close()
	})
}

func TestDialReturnsSoonAfterItsContextEnds(t *testing.T) {
	for _, method := range []string{"server/discover", "initialize", "notifications/initialized"} {
		t.Run(method, func(t *testing.T) {
			arrived := make(chan struct{})
			server := &fake{methods: map[string]answering{method: func(_ http.ResponseWriter, r *http.Request, _ frame) {
				close(arrived)
				<-r.Context().Done()
			}}}
			ctx, cancel := newCancelled(t, arrived)
			defer cancel()
			_, err := (&Dialer{}).Dial(ctx, Spec{Name: "test", Kind: HTTP, URL: serve(t, server)}, Hooks{})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestANotificationMayBeAnsweredInManyWays(t *testing.T) {
	for name, answer := range map[string]answering{
		"200":           func(http.ResponseWriter, *http.Request, frame) {},
		"200 and JSON":  func(w http.ResponseWriter, _ *http.Request, _ frame) { _, _ = w.Write([]byte("{}")) },
		"202":           nil,
		"204":           func(w http.ResponseWriter, _ *http.Request, _ frame) { w.WriteHeader(http.StatusNoContent) },
		"a stream kept": func(w http.ResponseWriter, r *http.Request, _ frame) { streaming(w); <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			s := dialed(t, Spec{URL: serve(t, &fake{methods: map[string]answering{"notifications/initialized": answer}})}, Hooks{})
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatTheServerAsksIsAnswered(t *testing.T) {
	for where, onGET := range map[string]bool{"on the answer to a call": false, "on its own stream": true} {
		t.Run(where, func(t *testing.T) {
			answers := make(chan frame, 3)
			ask := func(w http.ResponseWriter) {
				for id, method := range map[string]string{`"a"`: "ping", "2": "roots/list", `"c"`: "no/such"} {
					fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":%q,\"params\":{}}\n\n", id, method)
				}
				flush(w)
			}
			got := map[string]string{}
			server := &fake{methods: map[string]answering{
				"": func(w http.ResponseWriter, _ *http.Request, f frame) {
					w.WriteHeader(http.StatusAccepted)
					answers <- f
				},
				"tools/call": func(w http.ResponseWriter, _ *http.Request, f frame) {
					streaming(w)
					if !onGET {
						ask(w)
					}
					for range 3 {
						answer := <-answers
						got[string(answer.ID)] = string(answer.Result) + string(answer.Error)
					}
					_, _ = w.Write([]byte(f.event(`{"content":[]}`)))
				},
			}}
			if onGET {
				server.get = func(w http.ResponseWriter, r *http.Request) {
					streaming(w)
					ask(w)
					<-r.Context().Done()
				}
			}
			s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Fatal(err)
			}
			if got[`"a"`] != "{}" || !strings.Contains(got["2"], "error") && !strings.Contains(got["2"], "roots") || !strings.Contains(got[`"c"`], "-32601") {
				t.Errorf("answered %v", got)
			}
		})
	}
}

func TestAServerThatAsksFasterThanItListensIsNotAnsweredWithoutBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers atomic.Int64 // under way
		server := &fake{
			methods: map[string]answering{"": func(_ http.ResponseWriter, r *http.Request, _ frame) {
				answers.Add(1)
				<-r.Context().Done()
				answers.Add(-1)
			}},
			get: func(w http.ResponseWriter, r *http.Request) {
				streaming(w)
				for i := range 2 { // the second time after the answers have been given up
					for range 10 * maxPosts {
						fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", i)
					}
					time.Sleep(2 * postTimeout)
				}
				<-r.Context().Done()
			},
		}
		s := connectDirect(t, server, Hooks{})
		for range 2 {
			synctest.Wait()
			if n := answers.Load(); n != maxPosts {
				t.Errorf("%d answers under way, want %d", n, maxPosts)
			}
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * postTimeout)
		}
		s.Close()
	})
}

func TestCloseEndsTheSessionAndWhatIsUnderWay(t *testing.T) {
	arrived := make(chan struct{})
	server := &fake{
		methods: map[string]answering{"tools/call": func(_ http.ResponseWriter, r *http.Request, _ frame) {
			close(arrived)
			<-r.Context().Done()
		}},
		get: func(w http.ResponseWriter, r *http.Request) { streaming(w); <-r.Context().Done() },
	}
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	go func() {
		<-arrived
		s.Close()
	}()
	_, err := s.Call(t.Context(), Call{Tool: "tool"})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != CodeClosed {
		t.Errorf("got %v", err)
	}
	s.Close()
	if n := server.count("DELETE"); n != 1 {
		t.Errorf("%d DELETEs", n)
	}
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); !errors.As(err, &failure) || failure.Code != CodeClosed || !failure.NotSent {
		t.Errorf("a later call: %v", err)
	}
}

func TestCloseDoesNotWaitForAServerThatDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		server := &fake{get: hang}
		s := connectDirect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				hang(w, r)
				return
			}
			server.ServeHTTP(w, r)
		}), Hooks{})
		began := time.Now()
		s.Close()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("closed after %s", took)
		}
	})
}

func BenchmarkHTTPCall1kB(b *testing.B) {
	text := strings.Repeat("x", 1000)
	for name, handler := range map[string]http.Handler{
		"body": onCall(func(w http.ResponseWriter, _ *http.Request, f frame) { f.result(w, `{"text":"`+text+`"}`) }),
		"event": onCall(func(w http.ResponseWriter, _ *http.Request, f frame) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(f.event(`{"text":"` + text + `"}`)))
		}),
		"SDK server": mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true}),
	} {
		b.Run(name, func(b *testing.B) {
			s := dialed(b, Spec{URL: serve(b, handler)}, Hooks{})
			call := Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"` + text + `"}`)}
			took := make([]time.Duration, 0, b.N)
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				if _, err := s.Call(b.Context(), call); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		})
	}
}

func TestHTTP2CarriesManyCallsOnOneConnection(t *testing.T) {
	var connections atomic.Int32
	fake := onCall(func(w http.ResponseWriter, r *http.Request, f frame) {
		if r.ProtoMajor != 2 {
			t.Errorf("the call came by %s", r.Proto)
		}
		f.result(w, `{"content":[]}`)
	})
	fake.get = func(w http.ResponseWriter, r *http.Request) { streaming(w); <-r.Context().Done() }
	server := httptest.NewUnstartedServer(fake)
	server.EnableHTTP2 = true
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	s := connectBent(t, server.URL, Hooks{}, func(l *httpLink) {
		l.remote.base.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	})
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	s.Close()
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestARefusedInitializeIsRepeatedWithAListedVersion(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			asked := make(chan string, 3)
			spoken := make(chan string, 1)
			server := &fake{methods: map[string]answering{
				"initialize": func(w http.ResponseWriter, _ *http.Request, f frame) {
					var params struct{ ProtocolVersion string }
					if err := json.Unmarshal(f.Params, &params); err != nil {
						t.Error(err)
					}
					asked <- params.ProtocolVersion
					if params.ProtocolVersion != "2025-03-26" {
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(status)
						fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05","2025-03-26"]}}}`, f.ID)
						return
					}
					f.result(w, `{"protocolVersion":"2025-03-26","capabilities":{}}`)
				},
				"tools/call": func(w http.ResponseWriter, r *http.Request, f frame) {
					spoken <- r.Header.Get("Mcp-Protocol-Version")
					f.result(w, `{"content":[]}`)
				},
			}}
			s := dialed(t, Spec{URL: serve(t, server), Era: EraStateful}, Hooks{})
			if first, second := <-asked, <-asked; first != "2025-11-25" || second != "2025-03-26" || len(asked) != 0 {
				t.Errorf("asked for %s, then %s, and %d more", first, second, len(asked))
			}
			if info := s.Info(); info.ProtocolVersion != "2025-03-26" || info.Era != EraStateful {
				t.Errorf("info %+v", info)
			}
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Fatal(err)
			}
			if version := <-spoken; version != "2025-03-26" {
				t.Errorf("the call names version %s", version)
			}
		})
	}
}

func TestAServerThatInitializesIsStatefulWhateverVersionItNames(t *testing.T) {
	listening := make(chan struct{})
	server := &fake{
		methods: map[string]answering{"initialize": func(w http.ResponseWriter, _ *http.Request, f frame) {
			w.Header().Set("Mcp-Session-Id", fakeSession)
			f.result(w, `{"protocolVersion":"2026-07-28","capabilities":{}}`)
		}},
		get: func(w http.ResponseWriter, r *http.Request) {
			close(listening)
			streaming(w)
			<-r.Context().Done()
		},
	}
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	if info := s.Info(); info.Era != EraStateful || info.ProtocolVersion != "2026-07-28" {
		t.Errorf("info %+v", info)
	}
	<-listening
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
		t.Error(err)
	}
}
