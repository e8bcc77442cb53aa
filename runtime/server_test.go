package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// TestPanicInTheLoopOfAServerCostsWhatItWasAbout has what a server makes known
// go wrong whatever the cause: a message, the ladder's timer, the others.
func TestPanicInTheLoopOfAServerCostsWhatItWasAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, bugs := time.Now(), 4
		var told []string
		s := newServer(serverStart{
			name: "a", log: slog.New(slog.DiscardHandler), secrets: &redactor{},
			ring: newLogRing(nil, new(atomic.Int64)),
			pol:  policy{auto: true, jitter: func() float64 { return 0 }},
			connect: func(_ context.Context, _ <-chan struct{}, h transport.Hooks, _ func([]string)) (*connection, error) {
				h.Stderr("about to fail")
				time.Sleep(time.Second)
				return nil, errRefused
			},
			publish: func(e serverEvent) {
				if bugs > 0 {
					bugs--
					panic("a bug")
				}
				told = append(told, fmt.Sprint(time.Since(begun), " ", e.rec.Phase))
			},
		})
		// Lost are: the activity, the first failure, the second attempt, its activity.
		time.Sleep(3 * time.Second)
		s.inbox.post(msgEnd{})
		<-s.done
		want := []string{"2.5s " + string(rpc.PhaseBackoff), "3s " + string(rpc.PhaseStopped)}
		if !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}

func TestFloodOfListChangedIsOneMessageUntilTheToolsAreListed(t *testing.T) {
	s := &server{inbox: newMailbox[any]()}
	h := s.hooks(&attempt{n: 3})
	flood := func() {
		for range 1000 {
			h.ToolsChanged()
		}
	}
	flood()
	h.Stage(transport.StageList)
	flood() // news: the list that is asked for now may not have it
	want := []any{msgListChanged{3}, msgStage{3, rpc.PhaseListing}, msgListChanged{3}}
	if got := s.inbox.take(); !slices.Equal(got, want) {
		t.Errorf("%d messages, want %v", len(got), want)
	}
}

func TestListChangedIsHeardAfterEveryList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{tools: []string{"x"}})}
		w := newWorld(t, map[string]*scripted{"a": a})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for i := range 3 {
			s := a.session()
			s.mu.Lock()
			s.tools = append(s.tools, fmt.Sprint("y", i))
			s.mu.Unlock()
			s.hooks.ToolsChanged()
			time.Sleep(time.Second)
		}
		w.expect(w.take("changed by"),
			"100ms changed by listChanged: a/x live, a/y0 live",
			"1.1s changed by listChanged: a/x live, a/y0 live, a/y1 live",
			"2.1s changed by listChanged: a/x live, a/y0 live, a/y1 live, a/y2 live",
		)
	})
}
