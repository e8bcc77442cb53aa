package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// callers queue at a turnstile one after the other, and note who got through.
type callers struct {
	t     *testing.T
	at    *turnstile
	mu    sync.Mutex
	order []string
	gates map[string]func()
}

// call joins the line as client; it returns when the call runs or waits.
func (c *callers) call(ctx context.Context, client int, name string) {
	go func() {
		release, err := c.at.acquire(ctx, client)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil {
			c.order = append(c.order, name+": "+err.Error())
			return
		}
		c.order = append(c.order, name)
		c.gates[name] = release
	}()
	synctest.Wait()
}

// end ends a call that runs, and waits until the next has its turn.
func (c *callers) end(name string) {
	c.mu.Lock()
	release := c.gates[name]
	c.mu.Unlock()
	release()
	release() // once more does no harm
	synctest.Wait()
}

func (c *callers) expect(want ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.order, want) {
		c.t.Errorf("got  %q\nwant %q", c.order, want)
	}
	c.order = nil
}

func queueing(t *testing.T, limit, queue, assured int, test func(*callers)) {
	synctest.Test(t, func(t *testing.T) {
		test(&callers{t: t, at: newTurnstile(limit, queue, assured), gates: map[string]func(){}})
	})
}

func TestCallsWaitInOrder(t *testing.T) {
	queueing(t, 2, 10, 0, func(c *callers) {
		for i := range 5 {
			c.call(c.t.Context(), 1, fmt.Sprint("c", i))
		}
		c.expect("c0", "c1")
		c.end("c1")
		c.expect("c2")
		c.end("c0")
		c.end("c2")
		c.expect("c3", "c4")
		c.end("c3")
		c.end("c4")
		if c.at.running != 0 || len(c.at.clients) != 0 || len(c.at.turns) != 0 {
			t.Errorf("left behind: %+v", c.at)
		}
	})
}

func TestClientsTakeTurns(t *testing.T) {
	queueing(t, 1, 10, 0, func(c *callers) {
		for i := range 4 {
			c.call(c.t.Context(), 1, fmt.Sprint("a", i))
		}
		c.call(c.t.Context(), 2, "b0")
		c.call(c.t.Context(), 2, "b1")
		c.call(c.t.Context(), 3, "c0")
		for _, name := range []string{"a0", "a1", "b0", "c0", "a2", "b1", "a3"} {
			c.expect(name)
			c.end(name)
		}
	})
}

func TestOneClientsHangingCallsLeaveRoomForAnother(t *testing.T) {
	queueing(t, 4, 10, 2, func(c *callers) {
		for i := range 6 {
			c.call(c.t.Context(), 1, fmt.Sprint("hang", i))
		}
		c.expect("hang0", "hang1", "hang2", "hang3")
		for i := range 3 {
			c.call(c.t.Context(), 2, fmt.Sprint("b", i))
		}
		c.expect("b0", "b1")
		c.end("b0")
		c.expect("b2")
		c.end("hang0") // 3 and 2 run: over the limit still
		c.expect()
	})
}

func TestTooManyWaitingIsOverloadedForThatClientOnly(t *testing.T) {
	queueing(t, 1, 2, 0, func(c *callers) {
		for i := range 4 {
			c.call(c.t.Context(), 1, fmt.Sprint("a", i))
		}
		c.expect("a0", "a3: "+errOverloaded.Error())
		c.call(c.t.Context(), 2, "b0")
		c.end("a0")
		c.end("a1")
		c.expect("a1", "b0")
	})
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	queueing(t, 1, 10, 0, func(c *callers) {
		c.call(c.t.Context(), 1, "a0")
		ctx, cancel := context.WithCancelCause(c.t.Context())
		c.call(ctx, 1, "a1")
		late, done := context.WithTimeoutCause(c.t.Context(), time.Minute, errors.New("took too long"))
		defer done()
		c.call(late, 2, "b0")
		c.call(c.t.Context(), 3, "c0")
		cancel(errors.New("changed my mind"))
		synctest.Wait()
		c.call(ctx, 1, "a2")
		time.Sleep(time.Minute)
		synctest.Wait()
		c.expect("a0", "a1: changed my mind", "a2: changed my mind", "b0: took too long")
		c.end("a0")
		c.expect("c0")
	})
}

func TestCloseFailsWhoeverWaits(t *testing.T) {
	queueing(t, 1, 10, 0, func(c *callers) {
		c.call(c.t.Context(), 1, "a0")
		c.call(c.t.Context(), 1, "a1")
		c.call(c.t.Context(), 2, "b0")
		c.at.close(errTurnedAway)
		synctest.Wait()
		c.call(c.t.Context(), 3, "c0")
		no := ": " + errTurnedAway.Error()
		slices.Sort(c.order)
		c.expect("a0", "a1"+no, "b0"+no, "c0"+no)
		c.end("a0")
		if c.at.running != 0 || len(c.at.clients) != 0 {
			t.Errorf("left behind: %+v", c.at)
		}
	})
}

// TestNoTurnIsLost lets turns and cancellations race.
func TestNoTurnIsLost(t *testing.T) {
	const limit = 3
	at := newTurnstile(limit, 1000, 0)
	var mu sync.Mutex
	running := 0
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(2000))*time.Microsecond)
			defer cancel()
			release, err := at.acquire(ctx, i%5)
			if err != nil {
				return
			}
			defer release()
			mu.Lock()
			running++
			if running > limit {
				t.Error("too many at once")
			}
			mu.Unlock()
			defer func() { mu.Lock(); running--; mu.Unlock() }()
			for range rand.IntN(100) {
				goruntime.Gosched() // stay a while, in the way of others
			}
		})
	}
	wg.Wait()
	if at.running != 0 || len(at.clients) != 0 || len(at.turns) != 0 {
		t.Errorf("left behind: %d running, %d clients", at.running, len(at.clients))
	}
}

func BenchmarkTurnstile(b *testing.B) {
	at := newTurnstile(callsRunning, callsWaiting, callsAssured)
	b.ReportAllocs()
	for b.Loop() {
		release, err := at.acquire(b.Context(), 1)
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}
