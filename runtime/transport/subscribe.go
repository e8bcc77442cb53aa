package transport

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// firstPause and longestPause lie between the end of a subscription and the
	// next: doubled each time, and back to the first after one that has lasted
	// longer than the longest.
	firstPause   = 500 * time.Millisecond
	longestPause = time.Minute
)

// subscribe keeps a subscription to changes of the tool list open in the
// stateless era (MCP 2026-07-28: subscriptions/listen). While there is none,
// changes are not told: the list counts as changed when one has ended, and once
// more when the next is confirmed. It ends with the session, or when the server
// knows no subscriptions.
func (s *session) subscribe(changed func(), confirmed <-chan struct{}) {
	s.running.Go(func() { s.countConfirmations(changed, confirmed) })
	params := json.RawMessage(`{"notifications":{"toolsListChanged":true}}`)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		began := time.Now()
		_, err := s.link.request(s.closing, StageTransport, "subscriptions/listen", params)
		var refusal *RPCError
		if errors.As(err, &refusal) && refusal.Code == jsonrpc.CodeMethodNotFound {
			return
		}
		if time.Since(began) > longestPause {
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			changed()
		case <-s.closing.Done():
			timer.Stop()
			return
		case <-s.link.done():
			timer.Stop()
			return
		}
	}
}

// countConfirmations reports a change with every confirmed subscription but the
// first. It ends with the session.
func (s *session) countConfirmations(changed func(), confirmed <-chan struct{}) {
	for again := false; ; again = true {
		select {
		case <-confirmed:
			if again {
				changed()
			}
		case <-s.closing.Done():
			return
		case <-s.link.done():
			return
		}
	}
}
