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
			name: "a", log: slog.New(slog.DiscardHandler), secrets: &redactor{}, logSeq: new(atomic.Int64),
			pol: policy{auto: true, jitter: func() float64 { return 0 }},
			connect: func(_ context.Context, h transport.Hooks, _ func([]string)) (*connection, error) {
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
