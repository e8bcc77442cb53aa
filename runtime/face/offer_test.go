package face

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestServersAreOfferedByGlobs(t *testing.T) {
	for _, tt := range []struct {
		only, except []string
		want         string
	}{
		{nil, nil, "db fs fs-2"},
		{[]string{"fs"}, nil, "fs"},
		{[]string{"fs*", "web*"}, nil, "fs fs-2"},
		{nil, []string{"fs*"}, "db"},
		{[]string{"fs*"}, []string{"fs-2"}, "fs"},
		{[]string{"gone"}, nil, ""},
	} {
		f := &face{opt: Options{Only: tt.only, Except: tt.except}}
		var got []string
		for _, tool := range f.offeredTools(tools("db/x", "fs/x", "fs-2/x")) {
			got = append(got, tool.Server)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("only %q except %q: %q, want %s", tt.only, tt.except, got, tt.want)
		}
	}
}

// Of a server that is not offered the client hears nothing, whatever becomes of it.
func TestAServerThatIsNotOfferedDoesNotExist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impl := &scripted{
			hits: []rpc.SearchHit{{Name: "mcp_b_y", Server: "b"}, {Name: "mcp_a_x", Server: "a"}},
			call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) {
				t.Error("the session is asked for a call")
				return &rpc.CallResult{Result: json.RawMessage(`{}`)}, nil
			},
		}
		// b starts, and nothing is remembered of it: no list waits for it.
		servers := []rpc.Server{
			server("a", rpc.StatusConnected, rpc.ToolsFromLive, 1),
			server("b", rpc.StatusConnecting, rpc.ToolsFromNone, 0),
			{Name: "c", Status: rpc.StatusDisconnected, Phase: rpc.PhaseFailed, Error: &rpc.ServerError{Message: "c is broken"}, Instructions: "Use c."},
		}
		w := begin(t, impl, view(1, servers, tools("a/x")...), func(o *Options) { o.Except = []string{"b", "c"} })
		w.say(initialize(`{}`), initialized)
		got := strings.Join(w.all(), "\n")
		if !strings.Contains(got, "The tools of the MCP servers that the user has chosen for this client.") ||
			strings.Contains(got, "is broken") || strings.Contains(got, "Use c") || strings.Contains(got, "missing") {
			t.Errorf("initialize is answered with %s", got)
		}
		w.say(list)
		w.hears(listed("1", "a_x"))
		w.session.Publish(rpc.Update{View: view(2, servers, tools("a/x", "b/y")...)})
		time.Sleep(time.Second)
		w.hears()
		w.session.Publish(rpc.Update{View: view(3, servers, tools("a/x")...)})
		time.Sleep(time.Second)
		w.hears()
		for _, name := range []string{"b_y", "c_z", "mcp_b_y"} {
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + name + `"}}`)
			w.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"unknown tool \"` + name + `\"; did you mean a_x?"}}`)
		}
		w.session.Publish(rpc.Update{View: view(4, servers, tools("a/x", "a/z", "b/y")...)})
		time.Sleep(time.Second)
		w.hears(changed)
		w.say(list)
		w.hears(listed("1", "a_x a_z"))
		if time.Since(w.begun) != 3*time.Second {
			t.Errorf("it took %v", time.Since(w.begun))
		}
		_ = w.end()
	})
}

func TestNobodyIsAskedAboutAServerThatIsNotOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPerson(Options{Except: []string{"b"}})
		p.introduced(nil)
		approved, err := p.approve(t.Context(), &rpc.ApproveParams{Servers: []rpc.ProjectServer{{Name: "b"}}})
		if err != nil || len(approved.Decisions) != 0 {
			t.Errorf("approve gives %+v, %v", approved, err)
		}
		given, err := p.input(t.Context(), &rpc.InputParams{Server: "b", ID: "i"})
		if err != nil || given.Value != nil {
			t.Errorf("input gives %+v, %v", given, err)
		}
	})
}

func TestANameThatNoServerHasIsSaid(t *testing.T) {
	for _, tt := range []struct {
		only         []string
		instructions string
		logged       []string
	}{
		{[]string{"a"}, "", nil},
		{[]string{"a", "fs*"}, "", []string{"--only=fs*"}},
		{[]string{"gone"}, "of the servers that are configured, none is chosen for this client", []string{"--only=gone"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			servers := []rpc.Server{server("a", rpc.StatusConnected, rpc.ToolsFromLive, 1)}
			w := begin(t, &scripted{}, view(1, servers, tools("a/x")...), func(o *Options) { o.Only, o.Guest = tt.only, true })
			w.say(initialize(`{}`))
			if got := w.all(); len(got) != 1 || !strings.Contains(got[0], tt.instructions) {
				t.Errorf("%q: initialize is answered with %s", tt.only, got)
			}
			var logged []string
			for word := range strings.FieldsSeq(w.log.String()) {
				if strings.HasPrefix(word, "--only=") {
					logged = append(logged, word)
				}
			}
			if !slices.Equal(logged, tt.logged) {
				t.Errorf("%q: logged %q", tt.only, logged)
			}
			_ = w.end()
		})
	}
}
