package share

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAStrangersTimeIsForTheWholeLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Endpoint{token: "T", strangers: &lobby{}}
		ours, theirs := net.Pipe()
		var peer sync.WaitGroup
		peer.Go(func() { drip(theirs) }) // a byte at a time is no way to stay
		began := time.Now()
		err := e.hear(ours)
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != introduction {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if len(e.strangers.all) != 0 {
			t.Error("it is still in the lobby")
		}
		ours.Close()
		peer.Wait()
	})
}

func TestWhoIsInHasAllTheTimeInTheWorld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Endpoint{token: "T", strangers: &lobby{}, guests: make(chan struct{}, 1)}
		ours, theirs := net.Pipe()
		var peer sync.WaitGroup
		peer.Go(func() {
			if err := introduce(t.Context(), theirs, "T"); err != nil {
				t.Error(err)
			}
			time.Sleep(24 * time.Hour)
			_, _ = io.WriteString(theirs, "still here\n")
		})
		if err := errors.Join(e.hear(ours), e.receive(ours)); err != nil {
			t.Fatal(err)
		}
		if line, err := readLine(ours); line != "still here" {
			t.Errorf("%q, %v", line, err)
		}
		peer.Wait()
		ours.Close()
		theirs.Close()
	})
}

func TestWhoHasLeftBeforeTheWelcomeTakesNoPlace(t *testing.T) {
	e := &Endpoint{guests: make(chan struct{}, 1)}
	ours, theirs := net.Pipe()
	defer ours.Close()
	theirs.Close()
	if err := e.receive(ours); err == nil || len(e.guests) != 0 {
		t.Errorf("%v, and %d guests", err, len(e.guests))
	}
}

func TestAGuestDoesNotWaitForWhoSaysNothing(t *testing.T) {
	for what, say := range map[string]func(net.Conn){
		"it reads":           func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"it does not read":   func(net.Conn) {},
		"it begins a line":   func(c net.Conn) { _, _ = readLine(c); _, _ = io.WriteString(c, "welcom") },
		"a byte in a second": func(c net.Conn) { _, _ = readLine(c); drip(c) },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				var peer sync.WaitGroup
				peer.Go(func() { say(theirs) })
				began := time.Now()
				err := introduce(t.Context(), ours, "T")
				if !errors.Is(err, errSilent) || time.Since(began) != introduction {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
				ours.Close()
				theirs.Close()
				peer.Wait()
			})
		})
	}
}

// drip writes a byte each second until nobody reads.
func drip(c net.Conn) {
	for {
		if _, err := io.WriteString(c, "x"); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func TestAGuestsContextEndsItsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		began := time.Now()
		if err := introduce(ctx, ours, "T"); !errors.Is(err, why) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ours.Close()
		theirs.Close()
	})
}

func TestWhoHasWaitedForLongestMakesRoom(t *testing.T) {
	var l lobby
	var ours, theirs []net.Conn
	for range strangerLimit + 2 {
		a, b := net.Pipe()
		ours, theirs = append(ours, a), append(theirs, b)
	}
	for _, conn := range ours[:strangerLimit] {
		l.enter(conn)
	}
	if !l.leave(ours[1]) {
		t.Error("one had to make room though there was some")
	}
	for _, conn := range ours[strangerLimit:] { // the first has room
		l.enter(conn)
	}
	if _, err := ours[0].Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it still reads: %v", err)
	}
	for i, conn := range ours {
		if stayed := l.leave(conn); stayed != (i > 1) {
			t.Errorf("%d: stayed %t", i, stayed)
		}
		conn.Close()
		theirs[i].Close()
	}
	if len(l.all) != 0 {
		t.Errorf("%d are left", len(l.all))
	}
}
