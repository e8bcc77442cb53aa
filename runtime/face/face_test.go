package face

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

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
		if got := w.all(); len(got) != 1 || !strings.Contains(got[0], `"instructions":"The tools of all`) || !strings.Contains(got[0], `"2026-07-28"`) ||
			!strings.Contains(got[0], `"ttlMs":0,"cacheScope":"private"`) {
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
