package rpc

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// documented is one frame of the worked session in PROTOCOL.md.
type documented struct{ from, frame, body string }

func workedSession(t *testing.T) []documented {
	t.Helper()
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## A session, byte by byte\n")
	section, _, ok2 := strings.Cut(section, "\n## ")
	if !ok || !ok2 {
		t.Fatal("PROTOCOL.md has no worked session")
	}
	var frames []documented
	for i, block := range strings.Split(section, "```") {
		if i%2 == 0 {
			continue
		}
		from, content, _ := strings.Cut(block, "\n")
		content = strings.TrimSuffix(content, "\n")
		frame := strings.ReplaceAll(content, `\r\n`+"\n", "\r\n")
		_, body, _ := strings.Cut(frame, "\r\n\r\n")
		frames = append(frames, documented{from, frame, body})
	}
	return frames
}

// wireTypeOf is what a message of the worked session decodes into.
func wireTypeOf(t *testing.T, method string, isResult bool) body {
	t.Helper()
	switch {
	case method == MethodInitialize && isResult:
		return &InitializeResult{}
	case method == MethodInitialize:
		return &InitializeParams{}
	case method == MethodCall && isResult:
		return &CallResult{}
	case method == MethodCall:
		return &CallParams{}
	case method == MethodStatus:
		return &Server{}
	case method == MethodToolsChanged:
		return &ToolsChanged{}
	case method == MethodProgress:
		return &ProgressParams{}
	case method == MethodCancelRequest:
		return &CancelParams{}
	case method == MethodShutdown && isResult:
		return &ShutdownResult{}
	case method == MethodShutdown:
		return &ShutdownParams{}
	case method == MethodExit:
		return &ExitParams{}
	}
	t.Fatalf("the worked session has a %s", method)
	return nil
}

func TestTheWorkedSessionIsTrueToTheByte(t *testing.T) {
	asked := map[string]string{} // id → method
	host := &modelHost{t: t, tools: map[string]string{}}
	frames := workedSession(t)
	if len(frames) != 14 {
		t.Fatalf("%d frames", len(frames))
	}
	for _, f := range frames {
		length, err := strconv.Atoi(strings.TrimPrefix(strings.SplitN(f.frame, "\r\n", 2)[0], "Content-Length: "))
		if err != nil || length != len(f.body) {
			t.Errorf("Content-Length is %d, the body has %d bytes: %s", length, len(f.body), f.frame)
		}
		read, err := NewFrameReader(strings.NewReader(f.frame), FramingAuto, DefaultMaxMessage).Next()
		if err != nil || string(read) != f.body {
			t.Fatalf("%s does not read as it is: %v", f.frame, err)
		}
		m, fault := parseMessage(read)
		if fault != nil {
			t.Fatalf("%s: %s", f.body, fault.Message)
		}
		if m.fault != nil {
			continue
		}
		method, raw := m.method, m.params
		if m.isResponse() {
			method, raw = asked[string(m.id)], m.result
		} else if m.id != nil {
			asked[string(m.id)] = method
		}
		value := wireTypeOf(t, method, m.isResponse())
		if err := jsonv2.Unmarshal(orEmpty(raw), value, jsonv2.RejectUnknownMembers(true)); err != nil {
			t.Errorf("%s: %v", f.body, err)
		}
		if unknown := FindUnknown("params", value); unknown != nil {
			t.Errorf("%s: %v", f.body, unknown)
		}
		if f.from == "sidecar" { // what the sidecar says is encoded as it would encode it
			if got := string(value.AppendJSON(nil)); got != string(raw) {
				t.Errorf("documented %s\nencoded    %s", raw, got)
			}
			host.receive(f.body)
		}
	}
	if host.revision != 2 || len(host.tools) != 2 {
		t.Errorf("a host that follows the rule is at revision %d with %d tools", host.revision, len(host.tools))
	}
}

func TestTheSchemaSaysHowEveryMethodIsUsed(t *testing.T) {
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Methods map[string]struct {
			Kind, Direction string
			Errors          []int
			Answered        *bool
			Params, Result  struct {
				Ref string `json:"$ref"`
			}
		}
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for name, m := range schema.Methods {
		for _, ref := range []string{m.Params.Ref, m.Result.Ref} {
			if _, ok := schema.Defs[strings.TrimPrefix(ref, "#/$defs/")]; !ok && ref != "" {
				t.Errorf("%s: %s leads nowhere", name, ref)
			}
		}
		if (m.Kind == "request") != (m.Result.Ref != "") || m.Params.Ref == "" {
			t.Errorf("%s: a %s with result %q", name, m.Kind, m.Result.Ref)
		}
	}
	for _, method := range Methods(&scripted{}) {
		if m := schema.Methods[method]; m.Kind != "request" || m.Direction != "hostToSidecar" || m.Answered != nil {
			t.Errorf("%s: %+v", method, m)
		}
	}
	if got := schema.Methods[MethodConnect].Errors; !slices.Equal(got, []int{CodeUnknownServer, CodeUntrusted, CodeNotPermitted}) {
		t.Errorf("mcp/connect may end with %d", got)
	}
	if m := schema.Methods[MethodListPrompts]; m.Answered == nil || *m.Answered {
		t.Errorf("prompts/list is said to be answered: %+v", m)
	}
}

// TestARealSessionProducesTheWorkedSession feeds the host's side of the worked
// session to a session and compares every byte that comes back.
func TestARealSessionProducesTheWorkedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first InitializeResult
		var statuses []Server
		var push ToolsChanged
		var progress ProgressParams
		var called CallResult
		var want strings.Builder
		var fromHost []string
		for _, f := range workedSession(t) {
			if f.from == "host" {
				fromHost = append(fromHost, f.frame)
				continue
			}
			want.WriteString(f.frame)
			m, _ := parseMessage([]byte(f.body))
			var into body
			switch {
			case m.method == MethodStatus:
				statuses = append(statuses, Server{})
				into = &statuses[len(statuses)-1]
			case m.method == MethodToolsChanged:
				into = &push
			case m.method == MethodProgress:
				into = &progress
			case string(m.id) == "1":
				into = &first
			case string(m.id) == "2":
				into = &called
			default:
				continue
			}
			raw := m.params
			if m.isResponse() {
				raw = m.result
			}
			if err := decode("x", raw, into); err != nil {
				t.Fatal(err)
			}
		}
		var p *peer
		impl := &scripted{
			initialize: func(context.Context, *InitializeParams) (Pending[InitializeResult], error) {
				p.session.Publish(Update{View: first.Snapshot, Statuses: statuses[:1]})
				return at(func(*Snapshot) *InitializeResult { return &first }), nil
			},
			call: func(ctx context.Context, c *CallParams) (*CallResult, error) {
				if c.ProgressToken == nil {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return &called, p.session.Progress(ctx, &progress)
			},
		}
		p = deaf(t, impl, Options{})
		received := make(chan string, 1)
		go func() {
			text, _ := io.ReadAll(p.out)
			received <- string(text)
		}()
		p.raw(fromHost[0])
		synctest.Wait()
		next := *first.Snapshot
		next.Revision, next.Hash, next.Tools = push.Revision, push.Hash, append(slices.Clone(next.Tools), push.Added...)
		p.session.Publish(Update{View: &next, Statuses: statuses[1:], Reason: push.Reason})
		for _, frame := range fromHost[1:] {
			p.raw(frame)
			synctest.Wait()
		}
		if o := <-p.outcome; o.Code != 0 {
			t.Errorf("%+v", o)
		}
		if diff := cmp.Diff(want.String(), <-received); diff != "" {
			t.Error(diff)
		}
	})
}
