package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// What was accepted is in force for whatever comes after it.

func TestCallAfterAnAcceptedReloadNeverRunsOnTheDyingSession(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			session := func(n int) plan {
				return plan{tools: []string{"x"}, call: func(context.Context, transport.Call) (json.RawMessage, error) {
					return json.RawMessage(fmt.Sprint(n)), nil
				}}
			}
			w := newWorld(t, map[string]*scripted{"a": {dial: session}})
			w.open()
			defer w.close()
			w.initialize(rpc.Settings{})
			wait, err := w.c.Reload(t.Context(), &rpc.ReloadParams{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.c.Call(t.Context(), &rpc.CallParams{Name: "mcp_a_x"})
			if err != nil || string(r.Result) != "2" {
				t.Errorf("it ran in session %s: %v", r.Result, err)
			}
			if _, err := wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestCallDuringAReloadEndsWithItsOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		a.dial = always(plan{after: time.Minute / 3, tools: []string{"x"}})
		go w.reloaded(rpc.ReloadFull)
		synctest.Wait()
		w.called(&rpc.CallParams{Name: "mcp_a_x", TimeoutMs: 100})
		w.expect(w.take("call"), `100ms call failed: server "a": tool "x" was not called: the server was not connected within 0.100 s`)
	})
}

func TestConnectAndDisconnectDuringAFullReloadReachTheServerThatFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{after: time.Second, tools: []string{"x"}})},
			"b": {dial: always(plan{after: time.Second, tools: []string{"y"}})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		wait, err := w.c.Reload(t.Context(), &rpc.ReloadParams{})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = wait(t.Context()) }()
		answer, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if r := answer(w.m.Snapshot()); r.Phase != rpc.PhaseReady {
			t.Errorf("connect answered in phase %s", r.Phase)
		}
		if _, err = w.c.Reload(t.Context(), &rpc.ReloadParams{}); err != nil {
			t.Fatal(err)
		}
		answer, err = w.c.Disconnect(t.Context(), &rpc.DisconnectParams{Server: "b"})
		if err != nil {
			t.Fatal(err)
		}
		if r := answer(w.m.Snapshot()); r.Phase != rpc.PhaseStopped {
			t.Errorf("disconnect answered in phase %s", r.Phase)
		}
		time.Sleep(time.Minute)
		if r, _ := record(w.m.Snapshot(), "b"); r.Phase != rpc.PhaseStopped {
			t.Errorf("then it came up: %s", r.Phase)
		}
	})
}

func TestConnectThatAConfigureOvertakesWaitsForTheServerThatFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{after: time.Second, tools: []string{"x"}})}})
		w.open()
		defer w.close()
		w.initialize(quick())
		asked := make(chan rpc.Phase, 1)
		go func() {
			answer, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"})
			if err != nil {
				t.Error(err)
				asked <- ""
				return
			}
			asked <- answer(w.m.Snapshot()).Phase
		}()
		synctest.Wait()
		if _, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Servers: map[string]json.RawMessage{
			"a": json.RawMessage(`{"command":"a","args":["changed"]}`),
		}}}); err != nil {
			t.Fatal(err)
		}
		if phase := <-asked; phase != rpc.PhaseReady {
			t.Errorf("it answered in phase %s", phase)
		}
	})
}

func TestDisabledServerThatWasConnectedByHandCanBeCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Disabled: []string{"a"}})
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"}); err != nil {
			t.Fatal(err)
		}
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		w.reloaded(rpc.ReloadFull)
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		wait, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Disabled: []string{"a"}}})
		if err != nil {
			t.Fatal(err)
		}
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		if _, err := wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.expect(w.take("call"),
			"0s called x, deferred false, waited 0 ms, took 0 ms",
			"0s called x, deferred false, waited 0 ms, took 0 ms",
			`0s call: unknown tool "mcp_a_x": server "a" is disabled`,
		)
	})
}

func TestServerOfAnAcceptedConfigureIsKnownToWhatFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.servers["n"] = &scripted{dial: always(plan{after: 50 * time.Millisecond, tools: []string{"y"}})}
		if _, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Servers: map[string]json.RawMessage{
			"a": json.RawMessage(`{"command":"a"}`), "n": json.RawMessage(`{"command":"n"}`),
		}}}); err != nil {
			t.Fatal(err)
		}
		w.called(&rpc.CallParams{Server: "n", Tool: "y"})
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "n"}); err != nil {
			t.Error(err)
		}
		if _, err := w.c.Logs(t.Context(), &rpc.LogsParams{Server: "n"}); err != nil {
			t.Error(err)
		}
		w.expect(w.take("call"), "50ms called y, deferred true, waited 50 ms, took 0 ms")
	})
}

func TestConfigureOfTimeoutsHoldsForServersThatGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: time.Second, tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Timeouts: &rpc.TimeoutSettings{ConnectMs: 500}, Reconnect: rpc.ReconnectManual})
		w.configured(rpc.Settings{Timeouts: &rpc.TimeoutSettings{ConnectMs: 10_000}})
		answer, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if r := answer(w.m.Snapshot()); r.Phase != rpc.PhaseReady {
			t.Errorf("%s: %+v", r.Phase, r.Error)
		}
	})
}

func TestConfigureOfReconnectStartsWhatHadGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: func(n int) plan {
			if n == 1 {
				return plan{err: errRefused}
			}
			return plan{tools: []string{"x"}}
		}}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Reconnect: rpc.ReconnectManual})
		if _, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Reconnect: rpc.ReconnectAuto}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if r := w.m.Snapshot().Servers[0]; r.Phase != rpc.PhaseReady {
			t.Errorf("phase %s", r.Phase)
		}
	})
}

func TestDisconnectTakesTheToolsAwayAlsoWhileAConfigureWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.servers["slow"] = &scripted{dial: always(plan{after: 20 * time.Second, tools: []string{"y"}})}
		if _, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Servers: map[string]json.RawMessage{
			"a": json.RawMessage(`{"command":"a"}`), "slow": json.RawMessage(`{"command":"slow"}`),
		}}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		answer, err := w.c.Disconnect(t.Context(), &rpc.DisconnectParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		r := answer(w.m.Snapshot())
		if r.Phase != rpc.PhaseStopped || r.Tools.Count != 0 || r.Tools.From != rpc.ToolsFromNone || len(w.m.Snapshot().Tools) != 0 {
			t.Errorf("%s %+v, and the set has %s", r.Phase, r.Tools, describeTools(w.m.Snapshot().Tools))
		}
	})
}

func TestEveryChangeOfTheSetSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: time.Second, tools: []string{"x"}})}
		b := &scripted{dial: always(plan{tools: []string{"y"}})}
		w := newWorld(t, map[string]*scripted{"a": a, "b": b})
		w.warm()
		a.dial = always(plan{after: time.Second, err: errRefused})
		w.open()
		defer w.close()
		s := quick()
		s.Reconnect = rpc.ReconnectManual
		w.initialize(s)
		time.Sleep(2 * time.Second) // a fails late: its cached tools go
		b.session().mu.Lock()
		b.session().tools = []string{"y", "z"}
		b.session().mu.Unlock()
		b.session().hooks.ToolsChanged()
		time.Sleep(time.Second)
		if _, err := w.c.Disconnect(t.Context(), &rpc.DisconnectParams{Server: "b"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "b"}); err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for _, l := range w.take("changed by") {
			reasons = append(reasons, strings.SplitN(strings.SplitN(l, "changed by ", 2)[1], ":", 2)[0])
		}
		w.expect(reasons, "disconnected", "listChanged", "disconnected", "connected", "connected")
	})
}

func TestReloadPrefersTheLastGoodListToAnOlderCachedOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"old"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.warm()
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		key := w.m.members["a"].key
		old, ok := w.cache.Load(key, time.Hour, time.Now())
		if !ok {
			t.Fatal("nothing was cached")
		}
		a.session().mu.Lock()
		a.session().tools = []string{"old", "new"}
		a.session().mu.Unlock()
		a.session().hooks.ToolsChanged()
		time.Sleep(time.Second)
		synctest.Wait()
		old.Time = old.Time.Add(-time.Minute)
		if err := w.cache.Save(key, old); err != nil { // as if the newer list could not be written
			t.Fatal(err)
		}
		a.dial = always(plan{after: time.Hour})
		w.take()
		go w.reloaded(rpc.ReloadFull)
		time.Sleep(time.Second)
		w.expect(w.take("reloaded"), "1.25s reloaded revision 2: a/new deferred, a/old deferred")
	})
}

func TestCallThatGoesOnTooLongSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			tools: []string{"x"},
			call: func(ctx context.Context, c transport.Call) (json.RawMessage, error) {
				for ctx.Err() == nil {
					time.Sleep(70 * time.Millisecond)
					c.Progress(transport.Progress{Progress: json.RawMessage("1")})
				}
				return nil, ctx.Err()
			},
		})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Timeouts: &rpc.TimeoutSettings{CallMs: 300, CallMaxMs: 1000}})
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		w.expect(w.take("call"), `1.05s call failed: server "a": tool "x": it had not ended after 1 s, in spite of its progress; its outcome is unknown`)
	})
}

func TestPanicInAnAttemptIsAnErrorOfThatServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: func(int) plan { panic("a bug") }},
			"b": {dial: always(plan{tools: []string{"y"}})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Reconnect: rpc.ReconnectManual})
		a, _ := record(w.m.Snapshot(), "a")
		if a.Phase != rpc.PhaseFailed || a.Error.Code != "internal" {
			t.Errorf("%s: %+v", a.Phase, a.Error)
		}
		w.called(&rpc.CallParams{Name: "mcp_b_y"})
		w.expect(w.take("call"), "0s called y, deferred false, waited 0 ms, took 0 ms")
	})
}

func TestHugeTimesMeanForEver(t *testing.T) {
	if milliseconds(1<<62) < time.Hour*24*365*200 {
		t.Error("milliseconds overflow")
	}
	if s := effective(&rpc.Settings{Cache: &rpc.CacheSettings{MaxAgeDays: new(1 << 60)}}, false); s.maxAge < 0 {
		t.Error("days overflow")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Timeouts: &rpc.TimeoutSettings{ConnectMs: 1 << 62, CallMs: 1 << 62, CallMaxMs: 1 << 62}})
		w.called(&rpc.CallParams{Name: "mcp_a_x", TimeoutMs: 9223372036855})
		w.expect(w.take("call"), "0s called x, deferred false, waited 0 ms, took 0 ms")
	})
}

func TestClientThatAsksBeforeInitializeIsToldSo(t *testing.T) {
	w := newWorld(t, nil)
	w.open()
	defer w.m.Close()
	_, err := w.c.Reload(t.Context(), &rpc.ReloadParams{})
	if !errors.Is(err, &rpc.Error{Code: rpc.CodeNotInitialized}) {
		t.Errorf("%v", err)
	}
}

func TestHostsAreNotFloodedWithAServersLog(t *testing.T) {
	b := &lineBudget{}
	taken := 0
	for range logBacklog + 100 {
		if b.take() {
			taken++
		}
	}
	if n := b.give(); taken != logBacklog || n != 100 {
		t.Errorf("%d taken, %d dropped", taken, n)
	}
	if !b.take() || b.give() != 0 {
		t.Error("it does not recover")
	}
}
