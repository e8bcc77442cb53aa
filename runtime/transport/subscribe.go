package transport

import (
	"context"
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
// more when the next is confirmed (inbound). A server that always ends them is
// so asked for its list once in longestPause. It ends with ctx, or when the
// server knows no subscriptions.
func (s *session) subscribe(ctx context.Context, changed func()) {
	params := json.RawMessage(`{"notifications":{"toolsListChanged":true}}`)
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		began := time.Now()
		_, err := s.link.request(ctx, StageTransport, "subscriptions/listen", params)
		var refusal *RPCError
		if errors.As(err, &refusal) && refusal.Code == jsonrpc.CodeMethodNotFound {
			return
		}
		if time.Since(began) > longestPause {
			wait = firstPause
		}
		if !pause(ctx, wait) {
			return
		}
		changed()
	}
}
