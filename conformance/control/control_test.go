package control

import (
	"context"
	"path/filepath"
	"testing"
)

func dialed(t *testing.T) (*Hub, *Client) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	h, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	c, err := Dial(path, "fake")
	if err != nil {
		t.Fatal(err)
	}
	return h, c
}

func TestAReportHasArrivedWhenItReturns(t *testing.T) {
	h, c := dialed(t)
	c.Report("got tools/call echo")
	for event, want := range map[string]int{"got tools/call": 1, "got tools/call echo": 1, "got tools": 0, "started": 1} {
		if got := h.Count(Event{"fake", event}); got != want {
			t.Errorf("%q happened %d times, want %d", event, got, want)
		}
	}
}

func TestAReleaseFreesTheHoldThatWaitsOrTheNextOne(t *testing.T) {
	h, c := dialed(t)
	waiting := c.Hold("go")
	if err := h.Await(t.Context(), Event{"fake", "holding go"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-waiting:
		t.Fatal("a hold ended before it was released")
	default:
	}
	h.Release("fake", "go")
	<-waiting
	h.Release("fake", "go")
	<-c.Hold("go")
}

func TestTheEndOfAProcessIsSeenAndEndsItsHolds(t *testing.T) {
	h, c := dialed(t)
	c.Hold("go")
	c.conn.Close()
	if err := h.Await(t.Context(), Event{"fake", Gone}); err != nil {
		t.Fatal(err)
	}
	if err := h.AwaitEnd(t.Context(), "fake"); err != nil {
		t.Fatal(err)
	}
	h.Release("fake", "go")
	if h.released[Event{"fake", "go"}] != 1 {
		t.Error("a release went to a process that is gone")
	}
}

func TestEachAwaitNeedsAnEventOfItsOwn(t *testing.T) {
	h, c := dialed(t)
	c.Report("got ping")
	if err := h.Await(t.Context(), Event{"fake", "got ping"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Await(ctx, Event{"fake", "got ping"}); err == nil {
		t.Error("one event was awaited twice")
	}
}

func TestAFakeWithoutAHubReportsToNobody(t *testing.T) {
	var c *Client
	c.Report("got ping")
	select {
	case <-c.Hold("go"):
		t.Error("a hold without a hub ended")
	default:
	}
}
