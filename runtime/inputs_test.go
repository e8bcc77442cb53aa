package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

const userVSCode = "~/.config/Code/User/mcp.json"

// inputWorld has servers a and b, which share an input, and c with another.
func inputWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, map[string]*scripted{
		"a": {dial: always(plan{tools: []string{"x"}})}, "b": {dial: always(plan{tools: []string{"y"}})},
		"c": {dial: always(plan{tools: []string{"z"}})},
	})
	w.write(userVSCode, `{
	"inputs": [
		{"id": "one", "type": "promptString", "description": "The first", "password": true},
		{"id": "two", "type": "pickString", "options": ["p", "q"], "default": "q"}
	],
	"servers": {
		"a": {"command": "a", "args": ["${input:one}"]},
		"b": {"command": "b", "args": ["${input:one}/${input:two}"]}
	}
}`)
	return w
}

func (w *world) arguments(name string) string {
	s := w.servers[name]
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.spec.Args, " ")
}

func TestInputsAreAskedForOnceAndOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inputWorld(t)
		var asked []rpc.InputParams
		w.input = func(_ context.Context, p *rpc.InputParams) (*rpc.InputResult, error) {
			asked = append(asked, *p)
			time.Sleep(time.Second)
			return &rpc.InputResult{Value: new("value-of-" + p.ID)}, nil
		}
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		time.Sleep(time.Minute)
		w.expectAll(w.take("s input", "changed"),
			"0s input one of a?",
			"1s changed by reload: a/x live", "1s input two of b?",
			"2s changed by reload: a/x live, b/y live",
		)
		if len(asked) != 2 || !asked[0].Password || asked[0].Description != "The first" ||
			asked[1].Type != "pickString" || asked[1].Default != "q" || strings.Join(asked[1].Options, "") != "pq" {
			t.Errorf("asked %+v", asked)
		}
		if a, b := w.arguments("a"), w.arguments("b"); a != "value-of-one" || b != "value-of-one/value-of-two" {
			t.Errorf("the arguments are %q and %q", a, b)
		}
		w.reloaded(rpc.ReloadFull)
		w.expect(w.take("s input", "reloaded"), "1m0s reloaded revision 3: a/x live, b/y live")
	})
}

func TestAnInputThatIsNotGivenIsAskedForAgainByConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inputWorld(t)
		answers := map[string]*string{"two": new("q")}
		fails := true
		w.input = func(_ context.Context, p *rpc.InputParams) (*rpc.InputResult, error) {
			if fails {
				return nil, errors.New("no screen")
			}
			return &rpc.InputResult{Value: answers[p.ID]}, nil
		}
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.expect(w.take("s input"), "0s input one of a?", "0s input: no screen")
		r, _ := record(w.m.Snapshot(), "b")
		if r.Phase != rpc.PhaseNeedsInput || !strings.Contains(r.Error.Message, "${input:one}, ${input:two}") {
			t.Errorf("b is %+v", r.Error)
		}
		fails = false
		connect := func(name string) {
			if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: name}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		connect("b")
		w.expect(w.take("s input"), "0s input one of a?")
		answers["one"] = new("first-value")
		connect("a")
		w.expectAll(w.take("s input"), "0s input one of a?", "0s input two of b?")
		if b := w.arguments("b"); b != "first-value/q" {
			t.Errorf("b has %q", b)
		}
	})
}

func TestAHostThatCannotAskIsToldWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inputWorld(t)
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		r, _ := record(w.m.Snapshot(), "a")
		if r.Phase != rpc.PhaseNeedsInput || !strings.Contains(r.Error.Message, "${input:one}") || !strings.Contains(r.Error.Hint, "nobody can be asked") {
			t.Errorf("a is %+v", r)
		}
	})
}

func TestAHostWhoseQuestionsPanicIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inputWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"c": {"command": "c"}}}`)
		asked := 0
		w.approve = func(context.Context, *rpc.ApproveParams) (*rpc.ApproveResult, error) {
			if asked++; asked > 9 {
				return nil, errors.New("it does not end")
			}
			panic("approve")
		}
		w.input = func(context.Context, *rpc.InputParams) (*rpc.InputResult, error) {
			if asked++; asked > 9 {
				return nil, errors.New("it does not end")
			}
			panic("input")
		}
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		synctest.Wait()
		if asked != 2 { // about c and one
			t.Errorf("asked %d times", asked)
		}
	})
}

// One that is switched off and connected all the same is asked about as any other.
func TestADisabledServerThatIsConnectedIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inputWorld(t)
		w.input = func(_ context.Context, p *rpc.InputParams) (*rpc.InputResult, error) {
			return &rpc.InputResult{Value: new("value-of-" + p.ID)}, nil
		}
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{Disabled: []string{"a", "b"}})
		w.take()
		answer, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if r := answer(w.m.Snapshot()); r.Phase == rpc.PhaseDisabled {
			t.Errorf("a is %s", r.Phase)
		}
		time.Sleep(time.Second)
		w.expectAll(w.take("s input", "changed", "ready"), "0s input one of a?", "0s a ready 0 live", "0s a ready 1 live", "0s changed by reload: a/x live")
		if got := w.arguments("a"); got != "value-of-one" {
			t.Errorf("a runs with %q", got)
		}
	})
}
