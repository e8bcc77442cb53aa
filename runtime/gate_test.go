package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

var errRefused = &transport.Error{
	Code: transport.CodeRefused, Stage: transport.StageConnect,
	Message: "connect: nobody listens", Err: errors.New("refused"),
}

func TestL13GateOpensWhenEveryFirstAttemptHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{after: 30 * time.Millisecond, tools: []string{"x"}})},
			"b": {dial: always(plan{after: 60 * time.Millisecond, err: errRefused})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.expect(w.take("a ready", "b backoff", "initialized"),
			"30ms a ready 1 live",
			"60ms b backoff retry in 500 ms",
			"60ms initialized revision 1: a/x live",
		)
	})
}

func TestL14CachedToolsAreDeferredAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{after: 30 * time.Millisecond, tools: []string{"x"}})},
			"b": {dial: always(plan{after: 2 * time.Second, tools: []string{"y"}})},
		})
		w.warm()
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		time.Sleep(3 * time.Second)
		w.expect(w.take("ready", "initialized"),
			"30ms a ready 1 live",
			"250ms initialized revision 1: a/x live, b/y deferred",
			"2s b ready 1 live",
		)
		if r := w.m.Snapshot().Revision; r != 1 {
			t.Errorf("revision %d: a change of state alone is not a change of the set", r)
		}
	})
}

func TestL15UncachedServersAreWaitedForOrCome(t *testing.T) {
	for _, tt := range []struct {
		uncached rpc.Uncached
		want     []string
	}{
		{rpc.UncachedWait, []string{
			"2s a ready 1 live",
			"2s initialized revision 1: a/x live",
		}},
		{rpc.UncachedBackground, []string{
			"250ms initialized revision 1: no tools",
			"2s a ready 1 live",
		}},
	} {
		t.Run(string(tt.uncached), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, map[string]*scripted{
					"a": {dial: always(plan{after: 2 * time.Second, tools: []string{"x"}})},
				})
				w.open()
				defer w.close()
				w.initialize(rpc.Settings{Startup: &rpc.StartupSettings{Uncached: tt.uncached}})
				time.Sleep(3 * time.Second)
				w.expect(w.take("ready", "initialized"), tt.want...)
			})
		})
	}
}

func TestL16EverythingCachedAnswersAtTheGateThoughAllHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := map[string]*scripted{}
		for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			servers[n] = &scripted{dial: always(plan{after: time.Hour, tools: []string{"x"}})}
		}
		w := newWorld(t, servers)
		w.warm()
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.expect(w.take("initialized"), "250ms initialized revision 1: "+
			"a/x deferred, b/x deferred, c/x deferred, d/x deferred, e/x deferred, f/x deferred, g/x deferred, h/x deferred")
	})
}

func TestL41GateZeroWaitsForNoCachedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{after: time.Hour, tools: []string{"x"}})},
		})
		w.warm()
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Startup: &rpc.StartupSettings{GateMs: new(0)}})
		w.expect(w.take("initialized"), "0s initialized revision 1: a/x deferred")
	})
}

func TestL18LateServersChangeTheSetOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{after: time.Second, tools: []string{"x"}})},
			"b": {dial: always(plan{after: 2 * time.Second, err: errRefused})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Startup: &rpc.StartupSettings{Uncached: rpc.UncachedBackground}})
		time.Sleep(10 * time.Second)
		if v := w.m.Snapshot(); v.Revision != 2 || describeTools(v.Tools) != "a/x live" {
			t.Errorf("revision %d: %s", v.Revision, describeTools(v.Tools))
		}
	})
}

func TestStatusOfASlowStartSaysWhatItIsDoing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{
			stderr: []string{"fetch 1", "fetch 2", "fetch 3", "fetch 4", "fetch 5"}, after: time.Second, tools: []string{"x"},
		})}})
		w.open()
		defer w.close()
		w.initialize(quick())
		time.Sleep(2 * time.Second)
		w.expect(w.take("a "),
			"0s a starting",
			"0s a initializing",
			"250ms a initializing (fetch 3)",
			"550ms a initializing (fetch 5)",
			"1.5s a listing (fetch 5)",
			"1.5s a ready 1 live",
		)
	})
}

func TestActivityIsWhatTheAttemptThatRunsHasWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: func(n int) plan {
			switch n {
			case 1:
				return plan{stderr: []string{"dying words"}, after: time.Hour}
			case 2:
				return plan{after: 3 * time.Second, err: errRefused}
			}
			return plan{stderr: []string{"fetch 1"}, after: time.Second, tools: []string{"x"}}
		}}})
		w.open()
		defer w.close()
		w.initialize(quick())
		time.Sleep(120 * time.Millisecond)
		go func() { _, _ = w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a", Restart: true}) }()
		time.Sleep(time.Minute)
		w.expect(w.take("a "),
			"0s a starting",
			"0s a initializing",
			"120ms a starting",
			"120ms a initializing",
			"3.12s a backoff retry in 500 ms",
			"3.62s a starting",
			"3.62s a initializing",
			"3.87s a initializing (fetch 1)",
			"4.72s a listing (fetch 1)",
			"4.72s a ready 1 live",
		)
	})
}

// A hundred processes that start at once would keep the sidecar itself from its
// work.
func TestServersWithCachedToolsTakeTurnsToStartUnlessNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func() *scripted { return &scripted{dial: always(plan{after: time.Minute, tools: []string{"x"}})} }
		servers := map[string]*scripted{}
		turns := cap(newStarting())
		for i := range 3 * turns {
			servers[fmt.Sprintf("s%03d", i)] = slow()
		}
		w := newWorld(t, servers)
		w.warm()
		servers["new"] = slow() // nothing is offered of it yet
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Startup: &rpc.StartupSettings{GateMs: new(0), Uncached: rpc.UncachedBackground}})
		started := func() int {
			synctest.Wait()
			n := 0
			for _, s := range servers {
				s.mu.Lock()
				n += s.dials
				s.mu.Unlock()
			}
			return n
		}
		if got := started(); got != turns+1 || servers["new"].dials != 1 {
			t.Errorf("%d started at once, want %d", got, turns+1)
		}
		for name, s := range servers {
			if s.dials == 0 {
				go w.called(&rpc.CallParams{Server: name, Tool: "x"})
				break
			}
		}
		if got := started(); got != turns+2 {
			t.Errorf("%d started after a call", got)
		}
		time.Sleep(startTurn)
		if got := started(); got != 2*turns+2 {
			t.Errorf("%d started in the second turn", got)
		}
		time.Sleep(startTurn)
		if got := started(); got != 3*turns+1 {
			t.Errorf("%d started in the end", got)
		}
	})
}

// The old lists in the cache go also when nobody has waited for the start.
func TestASessionWhoseInitializeWasCancelledSweepsTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{after: time.Second, tools: []string{"x"}})}})
		dir := t.TempDir()
		w.cache = toolcache.Open(dir, slog.New(slog.DiscardHandler))
		if err := w.cache.Save(toolcache.NewKey("gone"), toolcache.List{}); err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(files) != 1 {
			t.Fatal(files)
		}
		longAgo := time.Now().AddDate(-1, 0, 0)
		if err := os.Chtimes(files[0], longAgo, longAgo); err != nil {
			t.Fatal(err)
		}
		w.open()
		wait := w.beginInitialize(rpc.Settings{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := wait(ctx); err == nil {
			t.Error("initialize was not cancelled")
		}
		time.Sleep(time.Minute)
		w.close()
		if _, err := os.Stat(files[0]); err == nil {
			t.Error("a list of long ago is still there")
		}
	})
}
