package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestAnswersThatCannotBeTakenFailTheirCallOnEveryStream(t *testing.T) {
	deep := strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting)
	for name, test := range map[string]struct{ rest, text string }{
		"empty":    {``, "neither a result nor an error"},
		"too deep": {`,"result":` + deep, "nested 1001 levels deep"},
		"no JSON":  {`,"result":NaN`, "not valid JSON"},
	} {
		answer := func(f frame) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s%s}`, f.ID, test.rest) }
		t.Run(name, func(t *testing.T) {
			check := func(t *testing.T, spec Spec) {
				t.Helper()
				s := dialed(t, spec, Hooks{Noise: func(text string) { t.Errorf("noise: %s", text) }})
				_, err := s.Call(t.Context(), Call{Tool: "tool"})
				var failure *Error
				if !errors.As(err, &failure) || failure.Code != CodeProtocol || failure.Stage != StageCall || !strings.Contains(failure.Message, test.text) {
					t.Errorf("got %v", err)
				}
			}
			t.Run("SSE", func(t *testing.T) {
				server := newSSEFake()
				server.methods = map[string]answering{"tools/call": func(w http.ResponseWriter, _ *http.Request, f frame) {
					server.emit("data: " + answer(f) + "\n\n")
					w.WriteHeader(http.StatusAccepted)
				}}
				check(t, Spec{URL: serve(t, server), Kind: SSE})
			})
			t.Run("HTTP stream", func(t *testing.T) {
				check(t, Spec{URL: serve(t, onCall(func(w http.ResponseWriter, r *http.Request, f frame) {
					streaming(w)
					_, _ = io.WriteString(w, "data: "+answer(f)+"\n\n")
					flush(w)
					<-r.Context().Done()
				}))})
			})
			t.Run("HTTP body", func(t *testing.T) {
				check(t, Spec{URL: serve(t, onCall(func(w http.ResponseWriter, _ *http.Request, f frame) {
					_, _ = io.WriteString(w, answer(f))
				}))})
			})
		})
	}
}

func TestAnOversizedEventThatIsNoAnswerLeavesTheCallOnWhoseStreamItCame(t *testing.T) {
	for name, test := range map[string]struct {
		text  string // ID stands for the id
		fails bool
	}{
		"the answer":       {`{"jsonrpc":"2.0","id":ID,"result":"xxxxxxxxxxxxxxxx"}`, true},
		"an unknown one":   {`[{"jsonrpc":"2.0","id":ID,"result":"xxxxxxxxxxxxxxxx"}]`, true},
		"a notification":   {`{"jsonrpc":"2.0","method":"notifications/x","params":"xxxx"}`, false},
		"an old one's":     {`{"jsonrpc":"2.0","id":7,"result":"xxxxxxxxxxxxxxxx"}`, false},
		"a server's quest": {`{"jsonrpc":"2.0","id":ID,"method":"ping","params":"xxxxxxx"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := newHTTPLink(Spec{URL: "http://server.invalid"}, Hooks{}, (&Dialer{}).logger())
			if err != nil {
				t.Fatal(err)
			}
			l.remote.client.Transport = direct{http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}
			defer l.close()
			x, err := l.lane.start(t.Context(), question{stage: StageCall, method: "tools/call"})
			if err != nil {
				t.Fatal(err)
			}
			p := x.ticket.(*posting)
			var event sseEvent
			event.add([]byte(strings.ReplaceAll(test.text, "ID", string(p.frame.id))), 20)
			l.takeTooLarge(&event, p)
			var failure *Error
			select {
			case a := <-x.answer:
				if !test.fails || !errors.As(a.err, &failure) || failure.Code != CodeTooLarge {
					t.Errorf("answered with %v", a.err)
				}
			default:
				if test.fails {
					t.Error("the call waits on")
				}
			}
		})
	}
}

func TestABatchWithinABatchIsNoise(t *testing.T) {
	const change = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	var got []string
	l, err := newHTTPLink(Spec{URL: "http://server.invalid"}, Hooks{
		ToolsChanged: func() { got = append(got, "changed") },
		Noise:        func(text string) { got = append(got, text) },
	}, (&Dialer{}).logger())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if !l.dispatch([]byte(`[[`+change+`], `+change+`, [[]]]`), nil) {
		t.Error("the batch is no message")
	}
	if want := []string{"[" + change + "]", "changed", "[[]]"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
