package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheHostsAnswerReachesWhoAsked(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"result", `"result":{"value":"v"}`, "v"},
		{"null error", `"result":{"value":"v"},"error":null`, "v"},
		{"error", `"error":{"code":-32800,"message":"no","data":{"a":1}}`, "input/request: no"},
		{"wrong shape", `"result":{"value":7}`, "input/request: the host's answer has the wrong shape: value: want a string, got a number"},
		{"no object", `"result":[]`, "input/request: the host's answer has the wrong shape: result: want an object, got an array"},
		{"odd error", `"error":"no"`, "input/request: the host's error has the wrong shape: error: want an object, got a string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := start(t, &scripted{}, Options{})
				got := make(chan string, 1)
				go func() {
					answer, err := p.session.Input(t.Context(), &InputParams{ID: "x"})
					if err != nil {
						got <- err.Error()
						return
					}
					got <- *answer.Value
				}()
				p.initialize()
				p.all() // the question is out
				p.send(`{"jsonrpc":"2.0","id":1,` + tt.answer + `}`)
				if g := <-got; !strings.HasPrefix(g, tt.want) {
					t.Errorf("got %s, want %s", g, tt.want)
				}
			})
		})
	}
}

func TestRelayedParamsReachTheHostByteForByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{Framing: FramingHeaders})
		const params = `{"z":"<&>", "a":1.0}`
		answer := make(chan json.RawMessage, 1)
		go func() {
			r, err := p.session.Elicit(t.Context(), &RelayParams{Server: "s", Params: json.RawMessage(params)})
			if err != nil {
				t.Error(err)
			}
			answer <- r.Result
		}()
		if got := p.all(); len(got) != 1 || !strings.Contains(got[0], `"params":`+params) {
			t.Fatalf("got %s", got)
		}
		const result = `{"action":"accept",  "content":{"b":1,"a":"<"}}`
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"result":` + result + `}}`)
		if got := string(<-answer); got != result {
			t.Errorf("got %s", got)
		}
	})
}

func TestARequestToTheHostIsWithdrawnWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := deaf(t, &scripted{}, Options{})
		p.initialize()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		if _, err := p.session.OpenURL(ctx, &OpenURLParams{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if waited := time.Since(begun); waited != time.Second {
			t.Errorf("a host that does not read held it up: %s", waited)
		}
		p.listen()
		if got := p.all(); len(got) != 3 || got[2] != `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}` {
			t.Errorf("got %s", got)
		}
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"opened":true}}`, request(1, MethodSearch, `{"query":"x"}`))
		p.expect("1=ok") // the late answer disturbs nobody
	})
}

func TestAbandonedRequestsToTheHostLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{Framing: FramingHeaders})
		for range 1000 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				synctest.Wait()
				cancel()
			}()
			if _, err := p.session.Approve(ctx, &ApproveParams{}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		p.all()
		if n := len(p.session.stream.asked.waiting); n != 0 {
			t.Errorf("%d are still waited for", n)
		}
		// A late answer is no mistake of the host's, one to a question never asked is.
		p.send(`{"jsonrpc":"2.0","id":1000,"result":{}}`)
		p.all()
		if log := p.logs.String(); log != "" {
			t.Errorf("a late answer: %s", log)
		}
		p.send(`{"jsonrpc":"2.0","id":1001,"result":{}}`)
		p.all()
		if log := p.logs.String(); !strings.Contains(log, "never made") {
			t.Errorf("an answer to nothing: %s", log)
		}
	})
}

// What a decoder cannot hold (1e999 is JSON) must not end the connection.
func TestNoAnswerOfTheHostEndsTheConnection(t *testing.T) {
	for _, answer := range []string{
		`"result":1e999`, `"error":{"code":1,"message":"m","data":1e999}`, `"error":{"code":1e999}`, `"error":1e999`,
		`"result":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
	} {
		synctest.Test(t, func(t *testing.T) {
			p := start(t, &scripted{}, Options{})
			p.initialize()
			p.send(`{"jsonrpc":"2.0","id":1,` + answer + `}`) // nobody asked
			asked := make(chan error, 1)
			go func() {
				_, err := p.session.Input(t.Context(), &InputParams{ID: "x"})
				asked <- err
			}()
			p.all() // the question is out
			p.send(`{"jsonrpc":"2.0","id":1,`+answer+`}`, request(1, MethodSearch, `{"query":"x"}`))
			if err := <-asked; err == nil {
				t.Errorf("%.40s was taken for an answer", answer)
			}
			p.expect("1=ok")
			p.in.Close()
			if o := <-p.outcome; o.End != EndInput {
				t.Errorf("%.40s: %+v", answer, o)
			}
		})
	}
}

func TestTheHostsErrorIsNotTakenForOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		p = start(t, &scripted{call: func(ctx context.Context, _ *CallParams) (*CallResult, error) {
			_, err := p.session.Elicit(ctx, &RelayParams{Server: "s"})
			var host *HostError
			if !errors.As(err, &host) || host.Code != CodeAuthNeeded || string(host.Data) != `{"a":1}` {
				t.Errorf("got %v", err)
			}
			return nil, err
		}}, Options{})
		p.initialize()
		p.send(request(1, MethodCall, `{}`))
		p.expect("0=ok | elicitation/create")
		p.send(`{"jsonrpc":"2.0","id":1,"error":{"code":1005,"message":"no","data":{"a":1}}}`)
		p.expect("1!-32603")
	})
}

func TestAHandlerMayAskTheHostWhileItAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		p = start(t, &scripted{call: func(ctx context.Context, _ *CallParams) (*CallResult, error) {
			r, err := p.session.Input(ctx, &InputParams{ID: "x"})
			if err != nil {
				return nil, err
			}
			return &CallResult{Result: json.RawMessage(`"` + *r.Value + `"`)}, nil
		}}, Options{})
		p.initialize()
		p.send(request(1, MethodCall, `{}`))
		p.expect("0=ok | input/request")
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"value":"v"}}`)
		p.expect("1=ok")
	})
}
