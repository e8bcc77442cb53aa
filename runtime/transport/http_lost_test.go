package transport

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// connectDirectSSE is connectDirect for a server of HTTP+SSE.
func connectDirectSSE(t testing.TB, handler http.Handler) *session {
	t.Helper()
	spec := Spec{Name: "test", Kind: SSE, URL: "http://server.test/sse", Shutdown: 2 * time.Second}
	l, err := newSSELink(spec, Hooks{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l.remote.client.Transport = direct{handler}
	g, err := l.greet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := connect(t.Context(), spec, Hooks{}, l, g)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*session)
}

// Who is told that its call met a lost session may send it again, so that the
// server must have refused that very call.
func TestALostSessionSaysNothingOfOtherCalls(t *testing.T) {
	accept := func(w http.ResponseWriter, _ *http.Request, _ frame) { w.WriteHeader(http.StatusAccepted) }
	hang := func(_ http.ResponseWriter, r *http.Request, _ frame) { <-r.Context().Done() }
	refuse := func(w http.ResponseWriter, r *http.Request, _ frame) { http.NotFound(w, r) }
	for name, connect := range map[string]func(t *testing.T) *session{
		"another call is refused": func(t *testing.T) *session {
			server := onCall(hang)
			server.methods["tools/list"] = refuse
			return connectDirect(t, server, Hooks{})
		},
		"the continuation of its stream is refused": func(t *testing.T) *session {
			server := onCall(func(w http.ResponseWriter, _ *http.Request, _ frame) {
				streaming(w)
				_, _ = io.WriteString(w, "id: 1\ndata:\n\n")
			})
			server.get = http.NotFound
			return connectDirect(t, server, Hooks{})
		},
		"the server's own stream is refused": func(t *testing.T) *session {
			server := onCall(hang)
			server.get = func(w http.ResponseWriter, r *http.Request) {
				if server.count("GET") > 1 {
					http.NotFound(w, r)
					return
				}
				streaming(w)
			}
			return connectDirect(t, server, Hooks{})
		},
		"another call over SSE is refused": func(t *testing.T) *session {
			server := newSSEFake()
			server.methods = map[string]answering{"tools/call": accept, "tools/list": refuse}
			return connectDirectSSE(t, server)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := connect(t)
				defer s.Close()
				ended := make(chan error, 1)
				go func() { // ends with the session
					_, err := s.Call(t.Context(), Call{Tool: "tool"})
					ended <- err
				}()
				synctest.Wait()
				if _, err := s.ListTools(t.Context()); err != nil && !errors.Is(err, ErrSessionLost) {
					t.Errorf("the list ended with %v", err)
				}
				err := <-ended
				var failure *Error
				if !errors.As(err, &failure) || failure.Code != CodeClosed || failure.NotSent || errors.Is(err, ErrSessionLost) {
					t.Errorf("the call, which may have run, ended with %v", err)
				}
				if !errors.Is(s.Err(), ErrSessionLost) { // is known by then
					t.Errorf("the session ended with %v", s.Err())
				}
			})
		})
	}
}

func TestCallsUnderWayHearForThemselvesThatTheSessionIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := onCall(func(w http.ResponseWriter, r *http.Request, f frame) {
			n := 0
			_, _ = fmt.Sscanf(string(f.Params[len(`{"name":"tool","arguments":[`):]), "%d", &n)
			pause(r.Context(), time.Duration(n)*10*time.Millisecond)
			http.NotFound(w, r)
		})
		server.methods["tools/list"] = func(w http.ResponseWriter, r *http.Request, f frame) {
			pause(r.Context(), 200*time.Millisecond)
			f.result(w, `{"tools":[]}`)
		}
		s := connectDirect(t, server, Hooks{})
		defer s.Close()
		var running sync.WaitGroup
		running.Go(func() {
			if _, err := s.ListTools(t.Context()); err != nil {
				t.Errorf("the list, which the server did answer: %v", err)
			}
		})
		for i := range 50 {
			running.Go(func() {
				if _, err := s.Call(t.Context(), Call{Tool: "tool", Arguments: fmt.Appendf(nil, "[%d]", i)}); !errors.Is(err, ErrSessionLost) {
					t.Errorf("call %d: %v", i, err)
				}
			})
		}
		running.Wait()
		_, err := s.Call(t.Context(), Call{Tool: "tool"})
		var failure *Error
		if !errors.As(err, &failure) || !failure.NotSent || !errors.Is(err, ErrSessionLost) {
			t.Errorf("a later call: %v", err)
		}
	})
}

func TestA400IsALostSessionIfItSaysSo(t *testing.T) {
	for text, lost := range map[string]bool{
		"Bad Request: No valid session ID provided":                            true,
		"Bad Request: Mcp-Session-Id header is required":                       true,
		"Bad Request: Missing session ID":                                      true,
		"Bad Request: Server not initialized":                                  true,
		"Bad Request: DELETE requires an Mcp-Session-Id header":                true,
		"Invalid or missing session ID":                                        true,
		"Not Found: Invalid or expired session ID":                             true,
		"Not Found: Session has been terminated":                               true,
		"Session 0d2c6f0e-0b6f-4a53-9d4e-6f0a3f5a0f11 not found":               true,
		"sessionid must be provided":                                           true,
		"session closed":                                                       true,
		"Could not find session":                                               true,
		"no session":                                                           true,
		`{"error":"unknown session"}`:                                          true,
		`method "tools/call" is invalid during session initialization`:         true,
		"argument session_length must be positive":                             false,
		"session_id is required":                                               false,
		"the session is busy":                                                  false,
		"Invalid cursor for the session export":                                false,
		"Bad Request: obsession not found":                                     false,
		"Bad Request: Unsupported protocol version":                            false,
		"Bad Request: session. " + strings.Repeat("x", 100) + " is not found.": false,
	} {
		if got := namesLostSession(http.StatusBadRequest, outgoing{greeted: true}, []byte(text), nil); got != lost {
			t.Errorf("%q: %v", text, got)
		}
		if namesLostSession(http.StatusBadRequest, outgoing{}, []byte(text), nil) {
			t.Errorf("%q counts before the handshake", text)
		}
	}
}

func TestAServerThatComesToWantASessionIsLost(t *testing.T) {
	plain := func(result string) answering {
		return func(w http.ResponseWriter, _ *http.Request, f frame) { f.result(w, result) }
	}
	for name, methods := range map[string]map[string]answering{
		"stateful without a session": {"initialize": plain(fakeInitialize)},
		"stateless":                  {"server/discover": plain(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			methods["tools/call"] = func(w http.ResponseWriter, _ *http.Request, f frame) {
				f.refuse(w, 400, -32000, "Bad Request: Server not initialized")
			}
			s := dialed(t, Spec{URL: serve(t, &fake{methods: methods})}, Hooks{})
			_, err := s.Call(t.Context(), Call{Tool: "tool"})
			if !errors.Is(err, ErrSessionLost) {
				t.Fatalf("got %v", err)
			}
			<-s.Done()
		})
	}
}
