package runtime

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
)

// reloaded notes the answer to a reload.
func (w *world) reloaded(mode rpc.ReloadMode) {
	wait, err := w.c.Reload(w.t.Context(), &rpc.ReloadParams{Mode: mode})
	if err != nil {
		w.note("reload: %v", err)
		return
	}
	answer, err := wait(w.t.Context())
	if err != nil {
		w.note("reload: %v", err)
		return
	}
	w.noteSnapshot("reloaded", answer(w.m.Snapshot()).Snapshot)
}

// configured is the answer to a configure.
func (w *world) configured(s rpc.Settings) *rpc.Snapshot {
	w.t.Helper()
	wait, err := w.c.Configure(w.t.Context(), &rpc.ConfigureParams{Settings: &s})
	if err != nil {
		w.t.Fatal(err)
	}
	answer, err := wait(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return answer(w.m.Snapshot()).Snapshot
}

func TestL29FullReloadKeepsTheSetUntilItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: 100 * time.Millisecond, tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.take()
		a.dial = always(plan{after: 100 * time.Millisecond, tools: []string{"x", "y"}})
		done := make(chan struct{})
		go func() { defer close(done); w.reloaded(rpc.ReloadFull) }()
		time.Sleep(50 * time.Millisecond)
		w.noteSnapshot("meanwhile", w.m.Snapshot())
		<-done
		w.expect(w.take(),
			"100ms a starting 1 cache",
			"100ms a initializing 1 cache",
			"150ms meanwhile revision 1: a/x deferred",
			"200ms a listing 1 cache",
			"200ms a ready 1 live",
			"200ms a ready 2 live",
			"200ms changed by reload: a/x live, a/y live",
			"200ms reloaded revision 2: a/x live, a/y live",
		)
	})
}

// A configure that waits for a slow newcomer keeps nobody else's tools back;
// what it changes itself comes in one step, at its end.
func TestWhatAConfigureLeavesAloneGoesOnChanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		b := &scripted{dial: always(plan{tools: []string{"y", "z"}})}
		slow := &scripted{dial: always(plan{after: 10 * time.Second, tools: []string{"s"}})}
		w := newWorld(t, map[string]*scripted{"a": a, "b": b})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.servers["slow"] = slow
		wait, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{
			Servers:  map[string]json.RawMessage{"a": []byte(`{"command":"a"}`), "b": []byte(`{"command":"b"}`), "slow": []byte(`{"command":"slow"}`)},
			Disabled: []string{"b/z"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.take()
		a.session().mu.Lock()
		a.session().tools = []string{"x", "new"}
		a.session().mu.Unlock()
		a.session().hooks.ToolsChanged()
		time.Sleep(time.Second)
		w.expect(w.take("changed"), "1.1s changed by listChanged: a/new live, a/x live, b/y live, b/z live")
		if _, err := wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.expect(w.take("changed"), "10s changed by configure: a/new live, a/x live, b/y live, slow/s live")
	})
}

// What an earlier round has started comes with the answer of the one that takes
// it over.
func TestASecondRoundKeepsHoldOfWhatTheFirstHasStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		b := &scripted{dial: always(plan{tools: []string{"y"}})}
		w := newWorld(t, map[string]*scripted{"a": a, "b": b})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Startup: &rpc.StartupSettings{GateMs: new(60000)}})
		a.dial = always(plan{after: time.Second, tools: []string{"x", "new"}})
		b.dial = always(plan{after: 2 * time.Second, tools: []string{"y"}})
		go w.reloaded(rpc.ReloadFull)
		time.Sleep(100 * time.Millisecond)
		go w.reloaded(rpc.ReloadChanged)
		time.Sleep(time.Minute)
		w.expect(w.take("changed", "reloaded"),
			"2s changed by reload: a/new live, a/x live, b/y live",
			"2s reloaded revision 2: a/new live, a/x live, b/y live",
			"2s reloaded revision 2: a/new live, a/x live, b/y live",
		)
	})
}

func TestL29CallsInFlightFailAndLaterOnesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{
			tools: []string{"x"},
			call:  unanswered,
		})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		go w.called(&rpc.CallParams{Name: "mcp_a_x"})
		time.Sleep(time.Second)
		a.dial = always(plan{after: 100 * time.Millisecond, tools: []string{"x"}})
		go w.reloaded(rpc.ReloadFull)
		synctest.Wait()
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		w.expect(w.take("call"),
			`1s call failed: server "a": call: the process ended`,
			"1.1s called x, deferred true, waited 100 ms, took 0 ms",
		)
	})
}

func TestL12SecondReloadTakesOverTheFirstAndInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: 100 * time.Millisecond, tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		first := w.beginInitialize(rpc.Settings{})
		go w.initialized(first)
		time.Sleep(50 * time.Millisecond)
		go w.reloaded(rpc.ReloadFull)
		synctest.Wait()
		time.Sleep(50 * time.Millisecond)
		go w.reloaded(rpc.ReloadFull)
		synctest.Wait()
		time.Sleep(time.Second)
		lines := w.take("initialized", "reloaded")
		if len(lines) != 3 {
			t.Fatalf("answers: %v", lines)
		}
		for _, l := range lines {
			if l[:5] != "200ms" {
				t.Errorf("%s, not at 200ms", l)
			}
		}
		if a.dials != 3 {
			t.Errorf("%d attempts", a.dials)
		}
	})
}

func TestL12ConnectDuringStartupStartsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: 100 * time.Millisecond, tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(quick())
		for range 5 {
			if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"}); err != nil {
				t.Fatal(err)
			}
		}
		if a.dials != 1 {
			t.Errorf("%d attempts", a.dials)
		}
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a", Restart: true}); err != nil {
			t.Fatal(err)
		}
		if a.dials != 2 {
			t.Errorf("%d attempts after a restart", a.dials)
		}
	})
}

func TestL34DisconnectedServerStaysListedWithoutTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.take()
		answer, err := w.c.Disconnect(t.Context(), &rpc.DisconnectParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if r := answer(w.m.Snapshot()); r.Phase != rpc.PhaseStopped || a.open != 0 {
			t.Errorf("answered %s with %d sessions open", r.Phase, a.open)
		}
		w.noteSnapshot("then", w.m.Snapshot())
		w.reloaded(rpc.ReloadChanged)
		w.expect(w.take(), "0s a stopped", "0s changed by disconnected: no tools", "0s then revision 2: no tools", "0s reloaded revision 2: no tools")
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"}); err != nil {
			t.Fatal(err)
		}
		w.noteSnapshot("again", w.m.Snapshot())
		w.expect(w.take("again"), "0s again revision 3: a/x live")
	})
}

func TestConfigureSwitchesServersAndToolsOffAndOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{tools: []string{"x", "y"}})},
			"b": {dial: always(plan{tools: []string{"z"}})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for _, off := range [][]string{{"a/x", "b"}, {}} {
			wait, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Disabled: off}})
			if err != nil {
				t.Fatal(err)
			}
			if len(off) > 0 {
				w.called(&rpc.CallParams{Server: "a", Tool: "x"}) // accepted is in force
			}
			if _, err := wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.noteSnapshot("configured", w.m.Snapshot())
		}
		w.expect(w.take("call", "configured"),
			`0s call: unknown tool "a/x"; did you mean mcp_a_y?`,
			"0s configured revision 2: a/y live",
			"0s configured revision 3: a/x live, a/y live, b/z live",
		)
	})
}

func TestL33BurstsOfListChangedAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		s := a.session()
		s.mu.Lock()
		s.tools = []string{"x", "y"}
		s.mu.Unlock()
		for range 50 {
			s.hooks.ToolsChanged()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s.lists > 3 {
			t.Errorf("%d lists", s.lists)
		}
		w.noteSnapshot("then", w.m.Snapshot())
		s.fail = errRefused
		s.hooks.ToolsChanged()
		time.Sleep(time.Second)
		w.noteSnapshot("after a failed relist", w.m.Snapshot())
		w.expect(w.take("then", "after"),
			"1.05s then revision 2: a/x live, a/y live",
			"2.05s after a failed relist revision 2: a/x live, a/y live",
		)
	})
}

func TestWaitSortsServersByHowTheyEndedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{after: time.Second, tools: []string{"x"}})},
			"b": {dial: always(plan{err: errRefused})},
			"c": {dial: always(plan{after: time.Hour})},
		})
		w.open()
		defer w.close()
		w.initialize(quick())
		for _, tt := range []struct {
			servers []string
			limit   int
			want    string
		}{
			{[]string{"a", "b"}, 30_000, `{"connected":["a"],"pending":[],"failed":["b"]}`},
			{nil, 500, `{"connected":["a"],"pending":["c"],"failed":["b"]}`},
		} {
			answer, err := w.c.Wait(t.Context(), &rpc.WaitParams{Servers: tt.servers, TimeoutMs: &tt.limit})
			if err != nil {
				t.Fatal(err)
			}
			r := answer(w.m.Snapshot())
			failed := []string{}
			for _, f := range r.Failed {
				failed = append(failed, f.Server)
			}
			got, _ := json.Marshal(struct {
				Connected []string `json:"connected"`
				Pending   []string `json:"pending"`
				Failed    []string `json:"failed"`
			}{r.Connected, r.Pending, failed})
			if string(got) != tt.want {
				t.Errorf("%v: %s, want %s", tt.servers, got, tt.want)
			}
		}
		if n := len(w.m.watchers); n != 0 {
			t.Errorf("%d watchers are left", n)
		}
	})
}

// The push that a disconnect causes precedes its answer, also while a round keeps
// the set as it was.
func TestL34DisconnectDuringAReloadTakesTheToolsOutAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		b := &scripted{dial: always(plan{tools: []string{"y"}})}
		w := newWorld(t, map[string]*scripted{"a": a, "b": b})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Startup: &rpc.StartupSettings{GateMs: new(60000)}})
		w.take()
		b.dial = always(plan{after: 10 * time.Second, tools: []string{"y"}})
		ack := make(chan struct{})
		_ = w.m.do(func() { // before it is known what the reload finds
			w.m.reload(rpc.ReloadFull)
			w.m.members["a"].tell(msgStop{ack})
		})
		<-ack
		w.noteSnapshot("disconnected", w.m.Snapshot())
		time.Sleep(time.Minute)
		w.expect(w.take("changed", "disconnected", "b ready"),
			"0s changed by disconnected: b/y deferred",
			"0s disconnected revision 2: b/y deferred",
			"10s b ready 1 live",
		)
	})
}

// The cache is switched off and on for what runs, too.
func TestConfigureSwitchesTheCacheOfServersThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for _, step := range []struct {
			on   bool
			tool string
			want int // tools that are cached then
		}{{false, "y", 1}, {true, "z", 3}} {
			w.configured(rpc.Settings{Cache: &rpc.CacheSettings{Enabled: &step.on}})
			s := a.session()
			s.mu.Lock()
			s.tools = append(slices.Clone(s.tools), step.tool)
			s.mu.Unlock()
			s.hooks.ToolsChanged()
			time.Sleep(time.Second)
			synctest.Wait()
			var key toolcache.Key
			_ = w.m.do(func() { key = w.m.members["a"].key })
			if l, _ := w.cache.Load(key, time.Hour, time.Now()); len(l.Tools) != step.want {
				t.Errorf("with the cache on %v it has %d tools, not %d", step.on, len(l.Tools), step.want)
			}
		}
		if a.dials != 1 {
			t.Errorf("%d attempts", a.dials)
		}
	})
}

func TestWhatAServerWroteIsKeptThroughAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: func(n int) plan {
			return plan{stderr: []string{fmt.Sprint("start ", n)}, tools: []string{"x"}}
		}}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.reloaded(rpc.ReloadFull)
		logs, err := w.c.Logs(t.Context(), &rpc.LogsParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range logs.Lines {
			got = append(got, fmt.Sprint(l.Seq, " ", l.Text))
		}
		w.expectAll(got, "1 start 1", "2 start 2")
	})
}
