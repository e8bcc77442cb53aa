package runtime

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

func TestL32FailedFirstStartClimbsTheLadderAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{err: errRefused})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		time.Sleep(time.Minute)
		w.expect(w.take("a starting", "a backoff", "a failed"),
			"0s a starting",
			"0s a backoff retry in 500 ms",
			"500ms a starting",
			"500ms a backoff retry in 1000 ms",
			"1.5s a starting",
			"1.5s a backoff retry in 2000 ms",
			"3.5s a starting",
			"3.5s a backoff retry in 4000 ms",
			"7.5s a starting",
			"7.5s a failed",
		)
	})
}

func TestL32LostServerIsConnectedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: func(n int) plan {
			if n == 2 {
				return plan{err: errRefused}
			}
			return plan{tools: []string{"x"}}
		}}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		time.Sleep(time.Second)
		w.take()
		a.session().die()
		time.Sleep(time.Minute)
		w.expect(w.take("a starting", "a backoff", "a ready"),
			"1s a starting 1 cache",
			"1s a backoff 1 cache retry in 500 ms",
			"1.5s a starting 1 cache",
			"1.5s a ready 1 live",
		)
		if r := w.m.Snapshot().Revision; r != 1 {
			t.Errorf("revision %d: the tools stayed, so the set did", r)
		}
	})
}

func TestL32CommandNotFoundIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{err: &transport.Error{
			Code: transport.CodeNotFound, Stage: transport.StageSpawn, Lasting: true, Message: `spawn: "a" not found`,
		}})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		time.Sleep(time.Hour)
		w.expect(w.take("a starting", "a backoff", "a failed"), "0s a starting", "0s a failed")
	})
}

func TestL32TheBreakerSuspendsAServerLostMoreThanFiveTimesInThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: time.Second, tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		w.take()
		for range 6 {
			time.Sleep(time.Second)
			synctest.Wait()
			a.session().die()
			synctest.Wait()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		w.expect(w.take("a ready", "a suspended"),
			"3s a ready 1 live", "5s a ready 1 live", "7s a ready 1 live", "9s a ready 1 live", "11s a ready 1 live",
			"12s a suspended 1 cache",
		)
		time.Sleep(time.Hour)
		w.expect(w.take())
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "a"}); err != nil {
			t.Fatal(err)
		}
		w.expect(w.take("a ready"), "1h0m14s a ready 1 live")
	})
}

func TestL32FiveLossesSpreadOutSuspendNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for range 20 {
			time.Sleep(7 * time.Second)
			synctest.Wait()
			a.session().die()
			synctest.Wait()
		}
		if s := w.m.Snapshot().Servers[0]; s.Phase != rpc.PhaseReady {
			t.Errorf("phase %s", s.Phase)
		}
	})
}

func TestL31ManualRetriesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		b := &scripted{dial: always(plan{err: errRefused})}
		w := newWorld(t, map[string]*scripted{"a": a, "b": b})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Reconnect: rpc.ReconnectManual})
		w.take()
		a.session().die()
		time.Sleep(time.Hour)
		w.expect(w.take(), "0s a failed 1 cache")
		if a.dials != 1 || b.dials != 1 {
			t.Errorf("dials: a %d, b %d", a.dials, b.dials)
		}
		r, err := w.c.Call(t.Context(), &rpc.CallParams{Server: "a", Tool: "x"})
		if err != nil || r.Details.Error == nil || r.Details.Error.Code != "exited" {
			t.Errorf("a call answered %+v, %v", r, err)
		}
	})
}

func TestLadderForRemoteServersGoesOnForEver(t *testing.T) {
	var got []time.Duration
	for rung := range 14 {
		d, ok := ladder(rung, true)
		if !ok {
			t.Fatalf("rung %d: there is none", rung)
		}
		got = append(got, d)
	}
	want := []time.Duration{
		500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
		15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute,
		5 * time.Minute, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute,
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("rung %d: %v, want %v", i, got[i], want[i])
		}
	}
	if _, ok := ladder(1<<20, true); !ok {
		t.Error("it ends")
	}
	if _, ok := ladder(4, false); ok {
		t.Error("a local server is tried after the quick rungs")
	}
}

func TestJitterIsAtMostTwentyPercent(t *testing.T) {
	for _, j := range []float64{-1, -0.5, 0, 0.5, 0.999} {
		d := spread(time.Second, j)
		if d < 800*time.Millisecond || d > 1200*time.Millisecond {
			t.Errorf("jitter %v gives %v", j, d)
		}
	}
	if spread(time.Second, -1) != 800*time.Millisecond {
		t.Error("the whole spread is not used")
	}
}
