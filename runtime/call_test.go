package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// quick are settings under which initialize waits for nobody.
func quick() rpc.Settings {
	return rpc.Settings{Startup: &rpc.StartupSettings{GateMs: new(0), Uncached: rpc.UncachedBackground}}
}

// called notes how a call ended.
func (w *world) called(p *rpc.CallParams) {
	r, err := w.c.Call(w.t.Context(), p)
	switch {
	case err != nil:
		w.note("call: %v", err)
	case r.Details.Error != nil:
		w.note("call failed: %s", r.Details.Error.Message)
		if !strings.Contains(string(r.Result), "MCP error: ") || !strings.Contains(string(r.Result), `"isError":true`) {
			w.broken("the result %s does not tell the failure", r.Result)
		}
	default:
		w.note("called %s, deferred %v, waited %d ms, took %d ms", r.Details.Tool, r.Details.Deferred, r.Details.WaitedMs, r.Details.DurationMs)
	}
}

func TestL22DeferredToolWaitsForTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{after: 2 * time.Second, tools: []string{"x"}})}})
		w.warm()
		w.open()
		defer w.close()
		w.initialize(quick())
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		w.expect(w.take("call"), "2s called x, deferred true, waited 2000 ms, took 0 ms")
	})
}

func TestL22DeferredToolStartsAnAttemptButNeverWaitsForTheLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: func(n int) plan {
			if n < 3 {
				return plan{after: 100 * time.Millisecond, err: errRefused, tools: []string{"x"}}
			}
			return plan{after: 100 * time.Millisecond, tools: []string{"x"}}
		}}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.warm()
		w.open()
		defer w.close()
		w.initialize(quick())
		w.called(&rpc.CallParams{Name: "mcp_a_x"}) // fails with the first attempt
		w.called(&rpc.CallParams{Name: "mcp_a_x"}) // starts the second, in backoff
		w.called(&rpc.CallParams{Name: "mcp_a_x"}) // and the third
		w.expect(w.take("call"),
			`100ms call failed: server "a": connect: nobody listens`,
			`200ms call failed: server "a": connect: nobody listens`,
			"300ms called x, deferred true, waited 100 ms, took 0 ms",
		)
	})
}

func TestL22TheCallsTimeoutBoundsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{after: 20 * time.Second, tools: []string{"x"}})}})
		w.warm()
		w.open()
		defer w.close()
		w.initialize(quick())
		w.called(&rpc.CallParams{Name: "mcp_a_x", TimeoutMs: 1500})
		w.expect(w.take("call"), `1.5s call failed: server "a": tool "x" was not called: the server was not connected within 1.500 s`)
	})
}

func TestL23ToolThatTheLiveListLacksIsNotCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"search_issues"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.warm()
		a.dial = always(plan{after: time.Second, tools: []string{"search_issue", "other"}})
		w.open()
		defer w.close()
		w.initialize(quick())
		w.called(&rpc.CallParams{Name: "mcp_a_search_issues"})
		w.expect(w.take("call"), `1s call failed: server "a" has no tool "search_issues" any more; it has search_issue`)
	})
}

// The cache is of an earlier version of the server, perhaps.
func TestAServerThatConnectsMayHaveMoreThanIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: 2 * time.Second, tools: []string{"read"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.warm()
		a.dial = always(plan{after: 2 * time.Second, tools: []string{"read", "list_everything"}})
		w.open()
		defer w.close()
		w.initialize(quick())
		// Whether it is told before or after the new tool is listed, that is not near.
		go w.called(&rpc.CallParams{Server: "a", Tool: "reed"})
		w.called(&rpc.CallParams{Server: "a", Tool: "list_everything"})
		w.expectAll(w.take("call"),
			"2s called list_everything, deferred true, waited 2000 ms, took 0 ms",
			`2s call: unknown tool "a/reed"; did you mean mcp_a_read?`)
	})
}

func TestL25FailuresOfTheServerAreResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			tools: []string{"x"},
			call: func(context.Context, transport.Call) (json.RawMessage, error) {
				return nil, &transport.Error{
					Code: transport.CodeProtocol, Stage: transport.StageCall, Message: "call: no such file",
					Err: &transport.RPCError{Code: -32000, Message: "no such file"},
				}
			},
		})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		w.expect(w.take("call"), `0s call failed: server "a": call: no such file`)
	})
}

func TestL26TimeoutIsContentAndSaysTheOutcomeIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			tools: []string{"x"},
			call:  unanswered,
		})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.called(&rpc.CallParams{Name: "mcp_a_x", TimeoutMs: 300})
		w.expect(w.take("call"), `300ms call failed: server "a": tool "x": no answer and no progress within 0.300 s; its outcome is unknown`)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := w.c.Call(ctx, &rpc.CallParams{Name: "mcp_a_x"}); !errors.Is(err, context.Canceled) {
			t.Errorf("an abort ended as %v", err)
		}
	})
}

func TestL27ProgressKeepsACallAliveUpToTheLimitInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			tools: []string{"x"},
			call: func(ctx context.Context, c transport.Call) (json.RawMessage, error) {
				for {
					select {
					case <-time.After(100 * time.Millisecond):
						c.Progress(transport.Progress{Progress: json.RawMessage("1")})
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
			},
		})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Timeouts: &rpc.TimeoutSettings{CallMs: 300, CallMaxMs: 2000}})
		w.called(&rpc.CallParams{Name: "mcp_a_x", ProgressToken: json.RawMessage("7")})
		lines := w.take("call", "progress")
		if n := len(lines); n < 19 || n > 21 {
			t.Errorf("%d lines: %v", n, lines)
		}
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "2s call failed") {
			t.Errorf("it ended with %q", last)
		}
	})
}

func TestL28CallThatDidNotReachTheServerIsSentAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		notSent bool
		sends   int
	}{{"provably not sent", true, 2}, {"perhaps sent", false, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a *scripted
				sends := 0
				a = &scripted{dial: always(plan{
					tools: []string{"x"},
					call: func(context.Context, transport.Call) (json.RawMessage, error) {
						if sends++; sends == 1 {
							a.session().die()
							return nil, &transport.Error{Code: transport.CodeExited, Stage: transport.StageCall, Message: "call: the process ended", NotSent: tt.notSent}
						}
						return json.RawMessage(`{}`), nil
					},
				})}
				w := newWorld(t, map[string]*scripted{"a": a})
				w.open()
				defer w.close()
				w.initialize(rpc.Settings{})
				w.called(&rpc.CallParams{Name: "mcp_a_x"})
				if sends != tt.sends {
					t.Errorf("it was sent %d times", sends)
				}
			})
		})
	}
}

func TestCallersMistakesAreErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{tools: []string{"search", "both"}})},
			"b": {dial: always(plan{tools: []string{"both"}})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Disabled: []string{"b/none"}})
		for _, tt := range []struct {
			p    rpc.CallParams
			code int
		}{
			{rpc.CallParams{Name: "mcp_a_serch"}, rpc.CodeUnknownTool},
			{rpc.CallParams{Server: "a", Tool: "nothing"}, rpc.CodeUnknownTool},
			{rpc.CallParams{Server: "c", Tool: "x"}, rpc.CodeUnknownServer},
			{rpc.CallParams{Tool: "both"}, rpc.CodeAmbiguousTool},
			{rpc.CallParams{}, rpc.CodeInvalidParams},
			{rpc.CallParams{Name: "mcp_a_search", Server: "a"}, rpc.CodeInvalidParams},
			{rpc.CallParams{Name: "mcp_a_search", Arguments: json.RawMessage("[]")}, rpc.CodeInvalidParams},
			{rpc.CallParams{Name: "mcp_a_search", ProgressToken: json.RawMessage("1.5")}, rpc.CodeInvalidParams},
		} {
			_, err := w.c.Call(t.Context(), &tt.p)
			var e *rpc.Error
			if !errors.As(err, &e) || e.Code != tt.code {
				t.Errorf("%+v: %v, want code %d", tt.p, err, tt.code)
			}
		}
		if _, err := w.c.Call(t.Context(), &rpc.CallParams{Tool: "search"}); err != nil {
			t.Errorf("the only tool of that name: %v", err)
		}
	})
}

func TestOneServerNeverRunsMoreCallsThanItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		release := make(chan struct{})
		enter := make(chan int)
		go func() {
			for d := range enter {
				running += d
				most = max(most, running)
			}
		}()
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			tools: []string{"x"},
			call: func(context.Context, transport.Call) (json.RawMessage, error) {
				enter <- 1
				<-release
				enter <- -1
				return json.RawMessage(`{}`), nil
			},
		})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for range 500 {
			go w.called(&rpc.CallParams{Name: "mcp_a_x"})
		}
		synctest.Wait()
		close(release)
		if got := len(w.take("called")); got != 500 {
			t.Errorf("%d calls were answered", got)
		}
		close(enter)
		if most != callsRunning {
			t.Errorf("%d ran at once", most)
		}
	})
}

func TestCallThatTimesOutInTheQueueSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			tools: []string{"x"},
			call:  unanswered,
		})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for range callsRunning {
			go w.called(&rpc.CallParams{Name: "mcp_a_x", TimeoutMs: 60_000})
		}
		synctest.Wait()
		w.called(&rpc.CallParams{Name: "mcp_a_x", TimeoutMs: 300})
		w.expect(w.take("call"), `300ms call failed: server "a": tool "x" was not called: 64 other calls of the server left it no turn within 0.300 s`)
		time.Sleep(time.Minute)
		if n := len(w.take("call failed")); n != callsRunning {
			t.Errorf("%d of the others ended", n)
		}
	})
}
