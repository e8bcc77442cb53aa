package transport

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestHeaderValuesAreEncodedWhereTheyMustBe(t *testing.T) {
	for plain, want := range map[string]string{
		"read_file":     "read_file",
		"two words":     "two words",
		"":              "",
		" outer":        "=?base64?IG91dGVy?=",
		"größe":         "=?base64?Z3LDtsOfZQ==?=",
		"line\nbreak":   "=?base64?bGluZQpicmVhaw==?=",
		"=?base64?eA?=": "=?base64?PT9iYXNlNjQ/ZUE/PQ==?=",
	} {
		if got := headerValue(plain); got != want {
			t.Errorf("%q: %q, want %q", plain, got, want)
		}
	}
}

func TestToolsPutTheirArgumentsIntoHeaders(t *testing.T) {
	bound := paramHeaders{}.learn(json.RawMessage(`{"tools":[
		{"name":"query","inputSchema":{"type":"object","properties":{
			"region":{"type":"string","x-mcp-header":"Region"},
			"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
			"flag":{"type":"boolean","x-mcp-header":"Flag"},
			"bad":{"type":"string","x-mcp-header":"not a token"},
			"odd":true}}},
		{"name":"plain","inputSchema":{"type":"object"}},
		{"name":"strange","inputSchema":true},
		null]}`))
	for arguments, want := range map[string]string{
		`{"region":"eu","deep":{"n":42},"flag":true}`: "Flag:true N:42 Region:eu",
		`{"region":"ü","deep":{},"flag":null}`:        "Region:=?base64?w7w=?=",
		`{"region":["eu"],"deep":{"n":1.5}}`:          "",
		`{"deep":{"n":9007199254740993}}`:             "",
		`{"deep":7,"bad":"x"}`:                        "",
		`{}`:                                          "",
	} {
		params := json.RawMessage(`{"name":"query","arguments":` + arguments + `}`)
		header := statelessHeaders("tools/call", params, bound, false)
		if header.Get("Mcp-Method") != "tools/call" || header.Get("Mcp-Name") != "query" {
			t.Errorf("%s: %v", arguments, header)
		}
		var got []string
		for _, name := range []string{"Flag", "N", "Region"} {
			if value := header.Get("Mcp-Param-" + name); value != "" {
				got = append(got, name+":"+value)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", arguments, got, want)
		}
	}
	if relearned := bound.learn(json.RawMessage(`{"tools":[{"name":"query","inputSchema":{}}]}`)); len(relearned["query"]) != 0 {
		t.Errorf("still %v after the tool gave it up", relearned)
	}
}

// modern is a server of the stateless era with one tool of the given name.
func modern(name string, answer answering) *fake {
	return &fake{methods: map[string]answering{
		"server/discover": func(w http.ResponseWriter, _ *http.Request, f frame) {
			f.result(w, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern","version":"3"}}}`)
		},
		"tools/list": func(w http.ResponseWriter, _ *http.Request, f frame) {
			f.result(w, fmt.Sprintf(`{"tools":[{"name":%q,"inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`, name))
		},
		"tools/call": answer,
	}}
}

func TestRequestsOfTheStatelessEraRepeatThemselvesInHeaders(t *testing.T) {
	var list, call http.Header
	server := modern("größe", func(w http.ResponseWriter, r *http.Request, f frame) {
		call = r.Header
		f.result(w, `{"content":[]}`)
	})
	plain := server.methods["tools/list"]
	server.methods["tools/list"] = func(w http.ResponseWriter, r *http.Request, f frame) {
		list = r.Header
		plain(w, r, f)
	}
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	if info := s.Info(); info.Era != EraStateless || !strings.Contains(string(info.ServerInfo), "modern") || info.Kind != HTTP {
		t.Errorf("info %+v", info)
	}
	if _, err := s.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(t.Context(), Call{Tool: "größe", Arguments: json.RawMessage(`{"region":"eu"}`)}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{
		"Mcp-Protocol-Version": {"2026-07-28", "2026-07-28"},
		"Mcp-Method":           {"tools/list", "tools/call"},
		"Mcp-Name":             {"", "=?base64?Z3LDtsOfZQ==?="},
		"Mcp-Param-Region":     {"", "eu"},
		"Mcp-Session-Id":       {"", ""},
	} {
		if got := [2]string{list.Get(name), call.Get(name)}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	s.Close()
	if server.count("GET")+server.count("DELETE") != 0 {
		t.Errorf("a stateless server saw %s", server.log())
	}
}

func TestAServerThatReadsNamesUndecodedGetsThemSo(t *testing.T) {
	var names []string
	server := modern("größe", func(w http.ResponseWriter, r *http.Request, f frame) {
		name := r.Header.Get("Mcp-Name")
		names = append(names, name)
		if name != "größe" {
			f.refuse(w, http.StatusBadRequest, mcp.CodeHeaderMismatch, "header mismatch")
			return
		}
		f.result(w, `{"content":[]}`)
	})
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	for range 2 {
		if _, err := s.Call(t.Context(), Call{Tool: "größe"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(names); got != "[=?base64?Z3LDtsOfZQ==?= größe größe]" {
		t.Errorf("names %s", got)
	}
}

func TestInTheStatelessEraTheEndOfTheRequestIsTheCancellation(t *testing.T) {
	arrived, ended := make(chan struct{}), make(chan struct{})
	server := modern("tool", func(w http.ResponseWriter, r *http.Request, _ frame) {
		streaming(w)
		_, _ = io.WriteString(w, "id: 1\ndata:\n\n")
		flush(w)
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	ctx, cancel := newCancelled(t, arrived)
	defer cancel()
	if _, err := s.Call(ctx, Call{Tool: "tool"}); err == nil {
		t.Fatal("a cancelled call succeeded")
	}
	<-ended
	s.Close()
	if n := server.count("POST notifications/cancelled"); n != 0 {
		t.Errorf("%d notifications", n)
	}
}
