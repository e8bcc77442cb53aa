package face

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// question is what a line of the face asks, or "".
func question(line string) string {
	_, rest, ok := strings.Cut(line, `"method":"elicitation/create","params":`)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(rest, "}")
}

func approval(names ...string) *rpc.ApproveParams {
	p := &rpc.ApproveParams{}
	for _, n := range names {
		p.Servers = append(p.Servers, rpc.ProjectServer{Name: n, Path: "/p/.mcp.json", Project: "/p", Command: "run-" + n})
	}
	return p
}

func TestAPersonIsAskedWhetherTheProjectsServersMayRun(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{`{"action":"accept","content":{"a":"allow","b":"deny"}}`, "map[a:allow b:deny]"},
		{`{"action":"accept","content":{"a":"allow"}}`, "map[a:allow]"}, // b is "later", the default of the form
		{`{"action":"decline"}`, "map[]"},
		{`{"action":"cancel"}`, "map[]"},
		{`{"action":"accept","content":{"a":"yes"}}`, "map[]"}, // not what was asked
	} {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{}, view(1, nil), nil)
			answered := make(chan string, 1)
			w.shake(`{"elicitation":{}}`)
			go func() {
				r, err := w.session.Approve(t.Context(), approval("a", "b"))
				if err != nil {
					t.Error(err)
					return
				}
				answered <- fmt.Sprint(r.Decisions)
			}()
			asked := w.all()
			if len(asked) != 1 || !strings.Contains(question(asked[0]), `"message":"a, from /p/.mcp.json\n\nb, from /p/.mcp.json\n\nMay they be started?`) ||
				!strings.Contains(question(asked[0]), `"enum":["allow","deny","later"],"default":"later"`) {
				t.Fatalf("asked %s", asked)
			}
			w.say(`{"jsonrpc":"2.0","id":1,"result":` + tt.answer + `}`)
			if got := <-answered; got != tt.want {
				t.Errorf("%s is %s, want %s", tt.answer, got, tt.want)
			}
			_ = w.end()
		})
	}
}

func TestTheNameOfAServerCannotMendTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil), nil)
		w.shake(`{"elicitation":{}}`)
		go func() {
			r, err := w.session.Approve(t.Context(), approval("a\nb"))
			if err != nil || r.Decisions["a\nb"] != rpc.DecideDeny {
				t.Errorf("got %v, %v", r, err)
			}
		}()
		if asked := w.all(); len(asked) != 1 || !strings.Contains(asked[0], `"title":"a(line)b"`) {
			t.Errorf("asked %s", asked)
		}
		w.say(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"a\nb":"deny"}}}`)
		synctest.Wait()
		_ = w.end()
	})
}

func TestAQuestionWaitsForTheClientAndIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil), nil)
		w.say(initialize(`{"elicitation":{"form":{}}}`))
		w.all()
		answered := make(chan error, 1)
		go func() {
			_, err := w.session.Input(t.Context(), &rpc.InputParams{Server: "s", ID: "key", Description: "the key", Options: []string{"x", "y"}, Default: "y"})
			answered <- err
		}()
		w.hears() // nothing is asked of a client that has not said that it is there
		w.say(initialized)
		asked := w.all()
		if len(asked) != 1 || !strings.Contains(question(asked[0]), `"message":"s needs: the key"`) ||
			!strings.Contains(question(asked[0]), `{"value":{"type":"string","title":"key","description":"the key","enum":["x","y"],"default":"y"}}`) {
			t.Fatalf("asked %s", asked)
		}
		w.say(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"value":"x"}}}`)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		w.wire.Close() // the session ends, and with it what it asks
		<-w.ended
		w.in.Close()
	})
}

func TestWithNobodyToAskAServerStaysUntrustedAndTheLogSaysHowToAllowIt(t *testing.T) {
	for what, hello := range map[string][]string{
		"no elicitation":   {initialize(`{}`), initialized},
		"no forms":         {initialize(`{"elicitation":{"url":{}}}`), initialized},
		"a stateless one":  {`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + stateless + `}}`},
		"one that is dull": {`{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{` + stateless + `}}`},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t, &scripted{}, view(1, nil), nil)
				w.say(hello...)
				w.all()
				r, err := w.session.Approve(t.Context(), approval("a"))
				if err != nil || len(r.Decisions) != 0 {
					t.Errorf("got %v, %v", r, err)
				}
				if log := w.log.String(); !strings.Contains(log, `allow="trust a"`) || !strings.Contains(log, "server=a") || !strings.Contains(log, "file=/p/.mcp.json") {
					t.Errorf("the log says %s", log)
				}
				in, err := w.session.Input(t.Context(), &rpc.InputParams{Server: "s", ID: "key"})
				if err != nil || in.Value != nil || !strings.Contains(w.log.String(), "input=key") {
					t.Errorf("got %v, %v", in, err)
				}
				_ = w.end()
			})
		})
	}
}

func TestNoSecretIsAskedForByAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil), nil)
		w.shake(`{"elicitation":{}}`)
		in, err := w.session.Input(t.Context(), &rpc.InputParams{Server: "s", ID: "key", Password: true})
		if err != nil || in.Value != nil || !strings.Contains(w.log.String(), "input=key") {
			t.Errorf("got %v, %v", in, err)
		}
		w.hears()
		_ = w.end()
	})
}

func TestTheClientsRootsAreTheProject(t *testing.T) {
	roots := func(id int, uris ...string) string {
		var all []string
		for _, u := range uris {
			all = append(all, fmt.Sprintf(`{"uri":%q}`, u))
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[%s]}}`, id, strings.Join(all, ","))
	}
	synctest.Test(t, func(t *testing.T) {
		var moved []string
		var w *world
		impl := &scripted{moved: func(p *rpc.ConfigureParams) {
			moved = append(moved, fmt.Sprint(p.WorkspaceFolders))
			w.session.Publish(rpc.Update{View: view(1+len(moved), nil, tools(fmt.Sprintf("a/x%d", len(moved)))...)})
		}}
		w = begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{"roots":{"listChanged":true}}`)
		w.say(list)
		w.hears() // the roots come first
		w.say(roots(1, "file:///p/a%20b/", "https://x.test"))
		w.hears(listed("1", "a_x1"))
		w.say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		w.hears(`{"jsonrpc":"2.0","id":2,"method":"roots/list"}`)
		w.say(roots(2, "file:///p/a%20b/"))
		w.hears() // they are the same
		w.say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		w.all()
		w.say(roots(3, "file:///q"))
		time.Sleep(time.Second)
		w.hears(changed)
		if got := strings.Join(moved, " "); got != "[{file:///p/a%20b/ a b}] [{file:///q q}]" {
			t.Errorf("the folders are %s", got)
		}
		_ = w.end()
	})
	synctest.Test(t, func(t *testing.T) { // what is none
		w := begin(t, &scripted{moved: func(*rpc.ConfigureParams) { t.Error("the session is moved") }}, view(1, nil, tools("a/x")...), nil)
		w.shake(`{"roots":{}}`)
		w.say(`{"jsonrpc":"2.0","id":1,"result":{"roots":[null,{},{"uri":"file:"},{"uri":"file:here"},{"uri":"file://elsewhere/p"},{"uri":"%zz"}]}}`, list)
		w.hears(listed("1", "a_x"))
		_ = w.end()
	})
	synctest.Test(t, func(t *testing.T) { // a guest's session is where its owner is
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), func(o *Options) { o.Guest = true })
		w.shake(`{"roots":{}}`)
		w.say(list)
		w.hears(listed("1", "a_x"))
		_ = w.end()
	})
	synctest.Test(t, func(t *testing.T) { // a client that does not answer
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), nil)
		w.shake(`{"roots":{}}`)
		w.say(list)
		if got := <-w.lines; got != listed("1", "a_x") || time.Since(w.begun) != rootsPatience {
			t.Errorf("after %v: %s", time.Since(w.begun), got)
		}
		_ = w.end()
	})
}

func TestAModelIsToldWhatIsMissingAndWhatTheServersSay(t *testing.T) {
	servers := []rpc.Server{
		{Name: "asks", Status: rpc.StatusDisconnected, Phase: rpc.PhaseUntrusted, Error: &rpc.ServerError{Message: "not trusted", Hint: "mcp-sidecar trust allow asks"}},
		{Name: "fails", Status: rpc.StatusDisconnected, Phase: rpc.PhaseFailed, Error: &rpc.ServerError{Message: strings.Repeat("é", 400)}},
		{Name: "off", Status: rpc.StatusDisconnected, Phase: rpc.PhaseDisabled},
		{Name: "ready", Status: rpc.StatusConnected, Tools: rpc.ServerTools{Count: 1, From: rpc.ToolsFromLive}, Instructions: strings.Repeat("é", introLimit)},
		{Name: "starts", Status: rpc.StatusConnecting, Tools: rpc.ServerTools{From: rpc.ToolsFromNone}},
	}
	f := &face{opt: Options{Note: "A note."}, opening: &opening{first: view(1, servers)}}
	want := "The tools of all MCP servers that the user has configured. Each is named after its server: <server>_<tool>.\n" +
		"\nA note.\n\nServers whose tools are missing:\n" +
		"- fails: " + strings.Repeat("é", whyLimit/2) + "\n" +
		"\nServers that files of the project name, and the user has not allowed: 1. Only the user may allow them, and you must " +
		"not do it for them. They see them with: mcp-sidecar trust list\n" +
		"\nWhat the servers say about themselves:\n\n## ready\n" + strings.Repeat("é", introLimit/2)
	if got := f.instructions(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
