package transport

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const listChanged = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"

const acknowledged = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{}}\n\n"

// timeline notes events with the fake time at which they happen.
type timeline struct {
	began time.Time
	lines []string
}

func (l *timeline) note(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf("%-5s ", time.Since(l.began))+fmt.Sprintf(format, args...))
}

func (l *timeline) check(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(l.lines, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheServersStreamIsOpenedAgainHoweverOftenItCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &timeline{began: time.Now()}
		opened := 0
		server := &fake{get: func(w http.ResponseWriter, r *http.Request) {
			opened++
			line.note("GET %d", opened)
			streaming(w)
			if opened == 9 {
				_, _ = io.WriteString(w, listChanged)
				<-r.Context().Done()
			}
		}}
		s := connectDirect(t, server, Hooks{ToolsChanged: func() { line.note("changed") }})
		time.Sleep(5 * time.Minute)
		if s.Err() != nil {
			t.Errorf("the session ended: %v", s.Err())
		}
		s.Close()
		line.check(t, `
0s    GET 1
1s    GET 2
1s    changed
3s    GET 3
3s    changed
7s    GET 4
7s    changed
15s   GET 5
15s   changed
31s   GET 6
31s   changed
1m1s  GET 7
1m1s  changed
1m31s GET 8
1m31s changed
2m1s  GET 9
2m1s  changed
2m1s  changed`)
	})
}

func TestAStreamWithIDsIsContinuedWhereItBroke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &timeline{began: time.Now()}
		opened := 0
		server := &fake{get: func(w http.ResponseWriter, r *http.Request) {
			opened++
			line.note("GET after %q", r.Header.Get("Last-Event-Id"))
			streaming(w)
			if opened > 3 {
				<-r.Context().Done()
				return
			}
			fmt.Fprintf(w, "retry: 500\nid: e%d\n%s", opened, listChanged)
		}}
		s := connectDirect(t, server, Hooks{ToolsChanged: func() { line.note("changed") }})
		time.Sleep(time.Minute)
		s.Close()
		line.check(t, `
0s    GET after ""
0s    changed
500ms GET after "e1"
500ms changed
1s    GET after "e2"
1s    changed
1.5s  GET after "e3"`)
	})
}

func TestAServerThatAsksForHasteIsSpared(t *testing.T) {
	for name, test := range map[string]struct{ stream, want string }{
		"on streams without anything": {"retry: 1\n\n", `
0s    GET
250ms GET
750ms GET
1.75s GET
3.75s GET`},
		"on streams with something": {"retry: 1\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n", `
0s    GET
250ms GET
500ms GET
750ms GET
1s    GET`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := &timeline{began: time.Now()}
				server := &fake{get: func(w http.ResponseWriter, r *http.Request) {
					if len(line.lines) == 5 {
						<-r.Context().Done()
						return
					}
					line.note("GET")
					streaming(w)
					_, _ = io.WriteString(w, test.stream)
				}}
				s := connectDirect(t, server, Hooks{})
				time.Sleep(time.Minute)
				s.Close()
				line.check(t, test.want)
			})
		})
	}
}

// What is no field value cannot be sent back.
func TestAnIDThatFitsNoHeaderIsIgnored(t *testing.T) {
	for name, id := range map[string]string{"a control": "a\x01b", "too long": strings.Repeat("x", 5000)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := &timeline{began: time.Now()}
				server := &fake{get: func(w http.ResponseWriter, r *http.Request) {
					line.note("GET after %q", r.Header.Get("Last-Event-Id"))
					streaming(w)
					if len(line.lines) == 3 {
						<-r.Context().Done()
						return
					}
					fmt.Fprintf(w, "id: fine\n%sid: %s\n%s", listChanged, id, listChanged)
				}}
				s := connectDirect(t, server, Hooks{})
				time.Sleep(time.Minute)
				if s.Err() != nil {
					t.Error(s.Err())
				}
				s.Close()
				line.check(t, `
0s    GET after ""
1s    GET after "fine"
2s    GET after "fine"`)
			})
		})
	}
}

func TestAServerWithoutAStreamIsAskedOnce(t *testing.T) {
	for name, get := range map[string]http.HandlerFunc{
		"405":    nil,
		"404":    http.NotFound,
		"500":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "?", 500) },
		"a page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"closed": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fake{get: get}
				if name == "closed" {
					server.get = func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "text/plain")
					}
				}
				s := connectDirect(t, server, Hooks{})
				time.Sleep(time.Hour)
				if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
					t.Error(err)
				}
				s.Close()
				if n := server.count("GET"); n != 1 {
					t.Errorf("%d GETs", n)
				}
			})
		})
	}
}

func TestAStreamThatNeverBeginsHoldsUpNothing(t *testing.T) {
	server := &fake{get: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
		t.Fatal(err)
	}
}

func TestAServerThatLostItsStreamIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		again  http.HandlerFunc // what follows the first stream
		within time.Duration
		lost   bool
		cause  error
	}{
		"forgotten": {http.NotFound, 2 * time.Second, true, ErrSessionLost},
		"overloaded for a while": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "20")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, time.Hour, false, nil},
		"given up": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }, time.Hour, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				server := &fake{get: func(w http.ResponseWriter, r *http.Request) {
					if first {
						first = false
						streaming(w)
						return
					}
					test.again(w, r)
				}}
				s := connectDirect(t, server, Hooks{})
				defer s.Close()
				time.Sleep(test.within)
				if lost := s.Err() != nil; lost != test.lost || !errors.Is(s.Err(), test.cause) {
					t.Errorf("lost: %v (%v), want %v", lost, s.Err(), test.lost)
				}
			})
		})
	}
}

func TestAStreamThatIsRefusedLosesNoListChange(t *testing.T) {
	refuse := func(w http.ResponseWriter, status int) { http.Error(w, "no", status) }
	for name, test := range map[string]struct {
		again func(w http.ResponseWriter, r *http.Request) // what follows the first stream
		want  string
	}{
		"the event is too old": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Last-Event-Id") != "" {
				refuse(w, http.StatusBadRequest)
				return
			}
			streaming(w)
			<-r.Context().Done()
		}, `
0s    GET after ""
250ms GET after "e1"
750ms GET after ""
750ms changed`},
		"the login has expired": {func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusUnauthorized) }, `
0s    GET after ""
250ms GET after "e1"
750ms GET after ""
750ms level=WARN msg="the server tells no list changes any more" error="HTTP 401 Unauthorized: no"
750ms changed`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := &timeline{began: time.Now()}
				first := true
				server := &fake{get: func(w http.ResponseWriter, r *http.Request) {
					line.note("GET after %q", r.Header.Get("Last-Event-Id"))
					if first {
						first = false
						streaming(w)
						_, _ = io.WriteString(w, "retry: 250\nid: e1\ndata:\n\n")
						return
					}
					test.again(w, r)
				}}
				s := connectBent(t, "http://server.test/mcp", Hooks{ToolsChanged: func() { line.note("changed") }}, func(l *httpLink) {
					l.remote.client.Transport = direct{server}
					l.log = slog.New(slog.NewTextHandler(line, &slog.HandlerOptions{ReplaceAttr: untimed}))
				})
				time.Sleep(time.Hour)
				if s.Err() != nil {
					t.Errorf("the session ended: %v", s.Err())
				}
				s.Close()
				line.check(t, test.want)
			})
		})
	}
}

// Write notes a line of a log.
func (l *timeline) Write(text []byte) (int, error) {
	l.note("%s", strings.TrimSpace(string(text)))
	return len(text), nil
}

// untimed takes the time from a line of a log.
func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// unplugged is a network that a test cuts.
type unplugged struct {
	direct
	cut bool
}

func (u *unplugged) RoundTrip(req *http.Request) (*http.Response, error) {
	if u.cut {
		return nil, errors.New("no route to host")
	}
	return u.direct.RoundTrip(req)
}

func TestAServerThatIsGoneIsLostAfterSomeAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		server := &fake{get: func(w http.ResponseWriter, _ *http.Request) {
			streaming(w)
			<-end
		}}
		s := connectDirect(t, server, Hooks{})
		defer s.Close()
		client := s.link.(*httpLink).remote.client
		synctest.Wait()
		client.Transport = &unplugged{cut: true}
		close(end)
		began := time.Now()
		<-s.Done()
		if took := time.Since(began); took != 15*time.Second {
			t.Errorf("lost after %s", took)
		}
		var failure *Error
		if !errors.As(s.Err(), &failure) || failure.Code != CodeRefused {
			t.Errorf("the session ended with %v", s.Err())
		}
	})
}

// subscribable is a server of the stateless era that tells list changes on
// subscriptions/listen.
func subscribable(listen answering) *fake {
	server := modern("tool", nil)
	server.methods["server/discover"] = func(w http.ResponseWriter, _ *http.Request, f frame) {
		f.result(w, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`)
	}
	server.methods["tools/call"] = func(w http.ResponseWriter, _ *http.Request, f frame) { f.result(w, `{"content":[]}`) }
	server.methods["subscriptions/listen"] = listen
	return server
}

func TestASubscriptionThatIsNotAnsweredHoldsUpNothing(t *testing.T) {
	arrived := make(chan struct{})
	server := subscribable(func(_ http.ResponseWriter, r *http.Request, _ frame) {
		close(arrived)
		<-r.Context().Done()
	})
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{ToolsChanged: func() {}})
	<-arrived
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
		t.Error(err)
	}
	if _, err := s.ListTools(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestASubscriptionIsMadeAgainHoweverOftenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &timeline{began: time.Now()}
		subscriptions := 0
		server := subscribable(func(w http.ResponseWriter, r *http.Request, _ frame) {
			subscriptions++
			line.note("listen %d", subscriptions)
			streaming(w)
			switch subscriptions {
			case 2, 4, 5: // the others end unconfirmed
				_, _ = io.WriteString(w, acknowledged)
			}
			switch subscriptions {
			case 4:
				time.Sleep(2 * longestPause)
			case 5:
				_, _ = io.WriteString(w, listChanged)
				<-r.Context().Done()
			}
		})
		s := connectDirect(t, server, Hooks{ToolsChanged: func() { line.note("changed") }})
		time.Sleep(time.Hour)
		if s.Err() != nil {
			t.Errorf("the session ended: %v", s.Err())
		}
		s.Close()
		line.check(t, `
0s    listen 1
500ms changed
500ms listen 2
1.5s  changed
1.5s  listen 3
3.5s  changed
3.5s  listen 4
3.5s  changed
2m4s  changed
2m4s  listen 5
2m4s  changed
2m4s  changed`)
	})
}

func TestAServerThatKnowsNoSubscriptionsIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := subscribable(func(w http.ResponseWriter, _ *http.Request, f frame) {
			f.refuse(w, http.StatusOK, -32601, "method not found")
		})
		s := connectDirect(t, server, Hooks{ToolsChanged: func() { t.Error("a change") }})
		time.Sleep(time.Hour)
		s.Close()
		if n := server.count("POST subscriptions/listen"); n != 1 {
			t.Errorf("%d subscriptions", n)
		}
	})
}
