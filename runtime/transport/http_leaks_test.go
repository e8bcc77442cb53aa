package transport

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNothingIsLeftAfterClose counts connections at the server and goroutines
// here.
func TestNothingIsLeftAfterClose(t *testing.T) {
	for name, handler := range map[string]http.Handler{
		"stateful":  mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil),
		"stateless": mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true}),
		"SSE":       mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil),
	} {
		t.Run(name, func(t *testing.T) {
			var open sync.WaitGroup
			server := httptest.NewUnstartedServer(handler)
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				switch state {
				case http.StateNew:
					open.Add(1)
				case http.StateClosed:
					open.Done()
				default:
				}
			}
			server.Start()
			t.Cleanup(server.Close)
			for range 3 {
				s, err := dial(t, Spec{URL: server.URL}, Hooks{ToolsChanged: func() {}})
				if err != nil {
					t.Fatal(err)
				}
				var calls sync.WaitGroup
				for range 20 {
					calls.Go(func() {
						if _, err := s.Call(t.Context(), Call{Tool: "steps"}); err != nil {
							t.Error(err)
						}
					})
				}
				calls.Wait()
				s.Close()
			}
			open.Wait()                 // or the test times out
			for tries := 0; ; tries++ { // one that is waited for may not be off its stack yet
				left := ourGoroutines()
				if left == "" {
					break
				}
				if tries == 1000 {
					t.Fatalf("goroutines are left:\n%s", left)
				}
				goruntime.Gosched()
			}
		})
	}
}

// ourGoroutines are the stacks of all goroutines if one is a connection's, else
// "".
func ourGoroutines() string {
	stacks := make([]byte, 1<<20)
	all := string(stacks[:goruntime.Stack(stacks, true)])
	for _, own := range []string{"(*httpCore).", "(*httpLink).", "(*sseLink).", "(*session)."} {
		if strings.Contains(all, "transport."+own) {
			return all
		}
	}
	return ""
}

func TestAThousandCallsLeaveNothingBehind(t *testing.T) {
	server := onCall(func(_ http.ResponseWriter, r *http.Request, _ frame) { <-r.Context().Done() })
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	l := s.link.(*httpLink)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var calls sync.WaitGroup
	slots := make(chan struct{}, 32)
	for i := range 1000 {
		calls.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			ctx, tool := t.Context(), fine
			if i%2 == 0 {
				short, cancel := context.WithTimeout(ctx, time.Millisecond)
				defer cancel()
				ctx, tool = short, "tool"
			}
			if i%10 == 0 {
				ctx = gone
			}
			if _, err := s.Call(ctx, Call{Tool: tool}); (err == nil) != (tool == fine) {
				t.Errorf("%s: %v", tool, err)
			}
		})
	}
	calls.Wait()
	l.mu.Lock()
	pending := len(l.pending)
	l.mu.Unlock()
	l.lane.mu.Lock()
	waiting := len(l.lane.pending)
	l.lane.mu.Unlock()
	if pending+waiting != 0 {
		t.Errorf("%d requests pending, %d awaited", pending, waiting)
	}
}
