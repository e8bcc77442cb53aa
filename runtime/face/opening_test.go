package face

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

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

// Who listens is told of what comes later; who does not may list once and end.
func TestAStatelessClientThatListensWaitsLessForAList(t *testing.T) {
	const (
		list   = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + stateless + `}}`
		listen = `{"jsonrpc":"2.0","id":0,"method":"subscriptions/listen","params":{"notifications":{%s},` + stateless + `}}`
		tool   = `{"tools":[{"name":"a_x"}]`
	)
	starting := server("slow", rpc.StatusConnecting, rpc.ToolsFromNone, 0)
	for _, tt := range []struct {
		what  string
		lines []string
		waits time.Duration
	}{
		{"it lists", []string{list}, patience},
		{"it listens for something else", []string{fmt.Sprintf(listen, `"promptsListChanged":true`), list}, patience},
		{"it listens, and lists", []string{fmt.Sprintf(listen, `"toolsListChanged":true`), list}, listenerPatience},
		{"it lists, and listens", []string{list, fmt.Sprintf(listen, `"toolsListChanged":true`)}, listenerPatience},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t, &scripted{}, view(1, []rpc.Server{starting}, tools("a/x")...), nil)
				for _, line := range tt.lines {
					w.say(line)
				}
				for line := range w.lines {
					if strings.Contains(line, tool) {
						break
					}
				}
				if waited := time.Since(w.begun); waited != tt.waits {
					t.Errorf("listed after %v", waited)
				}
				_ = w.end()
			})
		})
	}
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
		{"until it is tried again", func(w *world) {
			again := starting
			again.Attempt = 2
			w.session.Publish(rpc.Update{View: view(1, nil), Statuses: []rpc.Server{again}})
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

func TestAListWaitsNoLongerThanIsWanted(t *testing.T) {
	const (
		statelessList = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + stateless + `}}`
		listen        = `{"jsonrpc":"2.0","id":0,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + stateless + `}}`
	)
	starting := server("slow", rpc.StatusConnecting, rpc.ToolsFromNone, 0)
	for _, tt := range []struct {
		what  string
		wait  time.Duration
		lines []string
		waits time.Duration
	}{
		{"not at all", 0, []string{initialize(`{}`), list}, 0},
		{"a while", time.Minute, []string{initialize(`{}`), list}, time.Minute},
		{"for roots all the same", 0, []string{initialize(`{"roots":{}}`), list}, rootsPatience},
		{"a listener less", time.Minute, []string{listen, statelessList}, listenerPatience},
		{"a listener not at all", 0, []string{listen, statelessList}, 0},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t, &scripted{}, view(1, []rpc.Server{starting}, tools("a/x")...), func(o *Options) { o.Wait = &tt.wait })
				w.say(tt.lines...)
				for line := range w.lines {
					if strings.Contains(line, `{"tools":[{"name":"a_x"}]`) {
						break
					}
				}
				if waited := time.Since(w.begun); waited != tt.waits {
					t.Errorf("listed after %v", waited)
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
		untrusted := rpc.Server{Name: "of.the project", Phase: rpc.PhaseUntrusted, Error: &rpc.ServerError{Message: "it is not trusted"}}
		w.session.Publish(rpc.Update{View: view(3, []rpc.Server{untrusted, {Name: "off", Phase: rpc.PhaseDisabled}, {Name: "of", Phase: rpc.PhaseFailed}}, tools("a/x")...)})
		w.say(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"of_the_project_z"}}`)
		w.hears(`{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"unknown tool \"of_the_project_z\": it is not trusted; did you mean a_x?"}}`)
		w.say(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"off_z"}}`)
		w.hears(`{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"unknown tool \"off_z\": server \"off\" is disabled; did you mean a_x?"}}`)
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
