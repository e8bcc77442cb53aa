package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sseFake is a server of HTTP+SSE with one tool, as a test bends it.
type sseFake struct {
	methods map[string]answering // answer on the stream, through emit; w is the POST's
	// endpoint is what the endpoint event says; "" means /messages.
	endpoint string
	// open is called with the stream, before the endpoint event; it may be nil.
	open func(w http.ResponseWriter, r *http.Request)

	mu     sync.Mutex
	stream http.ResponseWriter // guarded by mu; nil while there is none
	end    chan struct{}       // closed by cut
}

func newSSEFake() *sseFake { return &sseFake{end: make(chan struct{})} }

func (s *sseFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if s.open != nil {
			s.open(w, r)
		}
		streaming(w)
		endpoint := s.endpoint
		if endpoint == "" {
			endpoint = "/messages?session=1"
		}
		s.mu.Lock()
		fmt.Fprintf(w, ": hello\r\n\r\nevent: endpoint\r\ndata: %s\r\n\r\n", endpoint)
		flush(w)
		s.stream = w
		s.mu.Unlock()
		select {
		case <-r.Context().Done():
		case <-s.end:
		}
		s.mu.Lock() // no writes after the handler
		s.stream = nil
		s.mu.Unlock()
		return
	}
	if r.URL.Path != "/messages" {
		http.Error(w, "sessionid must be provided", http.StatusBadRequest)
		return
	}
	var f frame
	if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var call struct{ Name string }
	_ = json.Unmarshal(f.Params, &call) // not every request names something
	if bent := s.methods[f.Method]; bent != nil && call.Name != fine {
		bent(w, r, f)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	switch f.Method {
	case "initialize":
		s.emit(f.event(fakeInitialize))
	case "tools/call":
		s.emit(f.event(`{"content":[]}`))
	case "tools/list":
		s.emit(f.event(`{"tools":[]}`))
	}
}

// emit writes to the stream.
func (s *sseFake) emit(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		return
	}
	_, _ = io.WriteString(s.stream, text)
	flush(s.stream)
}

// cut ends the stream.
func (s *sseFake) cut() { close(s.end) }

func TestSSEIsUsedWhereTheEndpointIsOfThatKind(t *testing.T) {
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil)
	for name, test := range map[string]struct {
		handler http.Handler
		kind    Kind
	}{
		"the SDK's, said to be SSE":     {handler, SSE},
		"the SDK's, said to be HTTP":    {handler, HTTP},
		"another, said to be SSE":       {newSSEFake(), SSE},
		"400 to the first POST":         {newSSEFake(), HTTP},
		"404 to the first POST":         {refusing(http.StatusNotFound), HTTP},
		"405 to the first POST":         {refusing(http.StatusMethodNotAllowed), HTTP},
		"another endpoint in full form": {absolute(), HTTP},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialed(t, Spec{URL: serve(t, test.handler), Kind: test.kind}, Hooks{})
			if info := s.Info(); info.Kind != SSE || info.Era != EraStateful || info.ServerInfo == nil {
				t.Errorf("info %+v", info)
			}
			if _, err := s.Call(t.Context(), Call{Tool: "echo"}); err != nil {
				t.Error(err)
			}
			if _, err := s.ListTools(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// refusing answers POSTs to the stream's own URL with a status.
func refusing(status int) http.Handler {
	server := newSSEFake()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/" {
			w.WriteHeader(status)
			return
		}
		server.ServeHTTP(w, r)
	})
}

// absolute names its endpoint by a whole URL.
func absolute() http.Handler {
	server := newSSEFake()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			server.endpoint = "http://" + r.Host + "/messages"
		}
		server.ServeHTTP(w, r)
	})
}

func TestCallsOverSSEKeepTheirBytesAndTheirOrder(t *testing.T) {
	const want = `{"b": 1.0, "a":[12345678901234567890]}`
	server := newSSEFake()
	server.methods = map[string]answering{"tools/call": func(w http.ResponseWriter, _ *http.Request, f frame) {
		var params struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(f.Params, &params); err != nil {
			t.Error(err)
		}
		for i := range 3 {
			server.emit(fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d}}\n\n", params.Meta.Token, i))
		}
		server.emit("event: ping\ndata: x\n\ndata: noise\n\n" + f.event(want))
		w.WriteHeader(http.StatusAccepted)
	}}
	s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{})
	var steps []string
	got, err := s.Call(t.Context(), Call{Tool: "tool", Progress: func(p Progress) { steps = append(steps, string(p.Progress)) }})
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want || fmt.Sprint(steps) != "[0 1 2]" {
		t.Errorf("result %s after %v", got, steps)
	}
}

func TestARefusedPOSTOverSSEFailsItsCallOnly(t *testing.T) {
	server := newSSEFake()
	server.methods = map[string]answering{"tools/call": func(w http.ResponseWriter, _ *http.Request, _ frame) {
		http.Error(w, "busy", http.StatusServiceUnavailable)
	}}
	s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{})
	_, err := s.Call(t.Context(), Call{Tool: "tool"})
	var status *HTTPError
	if !errors.As(err, &status) || status.Status != http.StatusServiceUnavailable {
		t.Errorf("got %v", err)
	}
	if _, err := s.Call(t.Context(), Call{Tool: fine}); err != nil {
		t.Errorf("the next call failed: %v", err)
	}
}

func TestAnOversizedEventFailsTheRequestItAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		text  string // ID stands for the id
		fails bool
	}{
		"the id first":         {`{"jsonrpc":"2.0","id":ID,"result":{"text":"xxxx"}}`, true},
		"the id last":          {`{"result":{"text":"xxxx"},"jsonrpc":"2.0","id":ID}`, true},
		"the id in the middle": {`{"result":{"text":"xxxx"},"jsonrpc":"2.0","id":ID,"more":"xxxx"}`, true},
		"another id":           {`{"jsonrpc":"2.0","id":7,"result":{"text":"xxxx"}}`, false},
		"a notification":       {`{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"xxxx"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := newSSEFake()
			arrived, noise := make(chan frame, 1), make(chan string, 1)
			server.methods = map[string]answering{"tools/call": func(w http.ResponseWriter, _ *http.Request, f frame) {
				w.WriteHeader(http.StatusAccepted)
				arrived <- f
			}}
			s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{Noise: func(text string) { noise <- text }})
			go func() { // ends when it has shown the event
				id := string((<-arrived).ID)
				var event sseEvent
				event.add([]byte(strings.ReplaceAll(test.text, "ID", id)), 20)
				s.link.(*sseLink).takeEvent(&event)
				if !test.fails {
					<-noise
					server.cut()
				}
			}()
			_, err := s.Call(t.Context(), Call{Tool: "tool"})
			var failure *Error
			if !errors.As(err, &failure) || (failure.Code == CodeTooLarge) != test.fails {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheEndOfTheStreamIsTheEndOfTheSession(t *testing.T) {
	arrived := make(chan struct{})
	server := newSSEFake()
	server.methods = map[string]answering{"tools/call": func(w http.ResponseWriter, _ *http.Request, _ frame) {
		w.WriteHeader(http.StatusAccepted)
		close(arrived)
	}}
	s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{})
	go func() {
		<-arrived
		server.cut()
	}()
	_, err := s.Call(t.Context(), Call{Tool: "tool"})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != CodeClosed || failure.Stage != StageCall {
		t.Errorf("the call ended with %v", err)
	}
	<-s.Done()
	if !errors.As(s.Err(), &failure) || !strings.Contains(failure.Message, "ended the event stream") {
		t.Errorf("the session ended with %v", s.Err())
	}
}

func TestAnSSEEndpointMustBeOfItsOrigin(t *testing.T) {
	server := newSSEFake()
	server.endpoint = "http://elsewhere.test/messages"
	_, err := dial(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{})
	if err == nil || !strings.Contains(err.Error(), "another origin") {
		t.Errorf("got %v", err)
	}
}

func TestAnSSEStreamThatNamesNoEndpointIsGivenUp(t *testing.T) {
	for name, test := range map[string]struct {
		open func(w http.ResponseWriter, r *http.Request)
		text string
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			flush(w)
			panic(http.ErrAbortHandler)
		}, "no event stream here"},
		"its end": {func(w http.ResponseWriter, _ *http.Request) { streaming(w); panic(http.ErrAbortHandler) }, "ended before it named an endpoint"},
		"silence": {func(w http.ResponseWriter, r *http.Request) {
			streaming(w)
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}, "given up"},
		"nothing": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "given up"},
		"a status": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			flush(w)
			panic(http.ErrAbortHandler)
		}, "HTTP 404"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newSSEFake()
			opened := make(chan struct{})
			server.open = func(w http.ResponseWriter, r *http.Request) {
				if name == "silence" || name == "nothing" {
					close(opened)
				}
				test.open(w, r)
			}
			ctx, cancel := newCancelled(t, opened)
			defer cancel()
			d := &Dialer{}
			_, err := d.Dial(ctx, Spec{Name: "test", URL: serve(t, server), Kind: SSE}, Hooks{})
			var failure *Error
			if !errors.As(err, &failure) || !strings.Contains(failure.Message, test.text) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestASessionOverSSEHearsOfChanges(t *testing.T) {
	changed := make(chan struct{}, 1)
	server := newSSEFake()
	dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{ToolsChanged: func() { changed <- struct{}{} }})
	server.emit(listChanged)
	<-changed
}

func TestTheEndOfACallOverSSEIsTold(t *testing.T) {
	arrived, cancelled := make(chan struct{}), make(chan frame, 1)
	server := newSSEFake()
	server.methods = map[string]answering{
		"tools/call": func(w http.ResponseWriter, _ *http.Request, _ frame) {
			w.WriteHeader(http.StatusAccepted)
			close(arrived)
		},
		"notifications/cancelled": func(_ http.ResponseWriter, _ *http.Request, f frame) { cancelled <- f },
	}
	s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{})
	ctx, cancel := newCancelled(t, arrived)
	defer cancel()
	if _, err := s.Call(ctx, Call{Tool: "tool"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if f := <-cancelled; !strings.Contains(string(f.Params), "context canceled") {
		t.Errorf("told %s", f.Params)
	}
}

// What ends while its POST is being answered must not take another's connection
// along.
func TestACallThatEndsEarlyOverSSEDisturbsNoOther(t *testing.T) {
	for name, early := range map[string]func(server *sseFake, f frame, cancel func()){
		"answered":  func(server *sseFake, f frame, _ func()) { server.emit(f.event(`{"content":[]}`)) },
		"cancelled": func(_ *sseFake, _ frame, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			const calls = 100
			var cancels [8][calls]context.CancelFunc
			server := newSSEFake()
			server.methods = map[string]answering{"tools/call": func(w http.ResponseWriter, _ *http.Request, f frame) {
				var params struct{ Arguments [2]int }
				if err := json.Unmarshal(f.Params, &params); err != nil {
					t.Error(err)
				}
				early(server, f, cancels[params.Arguments[0]][params.Arguments[1]])
				w.WriteHeader(http.StatusAccepted)
			}}
			s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{})
			var running sync.WaitGroup
			for i := range cancels {
				running.Go(func() {
					for j := range cancels[i] {
						ctx, cancel := context.WithCancel(t.Context())
						cancels[i][j] = cancel
						_, err := s.Call(ctx, Call{Tool: "tool", Arguments: fmt.Appendf(nil, "[%d,%d]", i, j)})
						if err != nil && ctx.Err() == nil {
							t.Error(err)
						}
						if _, err := s.Call(t.Context(), Call{Tool: fine}); err != nil {
							t.Error(err)
						}
						cancel()
					}
				})
			}
			running.Wait()
		})
	}
}

func TestALateAnswerOverSSEIsNobodyElses(t *testing.T) {
	arrived := make(chan frame, 1)
	server := newSSEFake()
	server.methods = map[string]answering{
		"tools/call": func(w http.ResponseWriter, _ *http.Request, f frame) {
			w.WriteHeader(http.StatusAccepted)
			arrived <- f
		},
	}
	changes := 0 // not guarded: the result comes after them
	s := dialed(t, Spec{URL: serve(t, server), Kind: SSE}, Hooks{ToolsChanged: func() { changes++ }})
	ctx, cancel := context.WithCancel(t.Context())
	call := make(chan frame, 1)
	go func() { // ends with the call
		call <- <-arrived
		cancel()
	}()
	if _, err := s.Call(ctx, Call{Tool: "tool"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	late := <-call
	server.emit(late.event(`"late"`) + listChanged + listChanged)
	if got, err := s.Call(t.Context(), Call{Tool: fine}); err != nil || string(got) != `{"content":[]}` || changes != 2 {
		t.Errorf("the next call = %s, %v, after %d changes", got, err, changes)
	}
}
