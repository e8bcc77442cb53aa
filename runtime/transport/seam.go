package transport

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is one way to reach a server, as the session sees it: what the SDK
// speaks through, and the lane for what goes past the SDK. stdio.go, http.go
// and sse.go each make one. It reports list changes and log messages to the
// hooks itself, in wire order (Hooks.notice); other notifications and requests
// of the server go to the SDK.
//
// The lane itself (lane.go) is shared by stdio and SSE, which carry frames in
// both directions. A link that has one gives it a function that writes a frame,
// shows it every envelope that arrives (lane.take), and ends it with lane.fail.
type link interface {
	// transport is what one handshake of the SDK speaks through. Every call
	// gives a fresh one on the same link: a handshake may be repeated with
	// another protocol version.
	transport() mcp.Transport
	// call is Session.Call once the handshake is done.
	call(ctx context.Context, c Call) (json.RawMessage, error)
	// request is any other request past the SDK once the handshake is done: it
	// returns the result's own bytes. params is an object or nil; the link adds
	// the era's _meta. The end of ctx ends it at once. An error answer is an
	// *Error of this stage wrapping an *RPCError.
	//
	// For "subscriptions/listen" it returns when the subscription has ended;
	// what arrives on it reaches the hooks like any other notification.
	request(ctx context.Context, stage Stage, method string, params json.RawMessage) (json.RawMessage, error)
	// negotiated tells the lane what the handshake decided.
	negotiated(Info)
	// pid is the process, 0 for remote servers.
	pid() int
	// done is closed when the link is unusable, and err says why.
	done() <-chan struct{}
	err() error
	// close ends the link and all it started; calls in flight fail. It may be
	// called more than once; all wait.
	close()
}

// sink takes the raw result of an SDK request that is made with its context,
// before the SDK decodes it: of several, the last one's. The session connects
// with one, so a link puts the results of server/discover and initialize here.
type sink struct {
	mu     sync.Mutex
	result json.RawMessage // guarded by mu; nil until the answer came
}

type sinkKey struct{}

func withSink(ctx context.Context) (context.Context, *sink) {
	s := &sink{}
	return context.WithValue(ctx, sinkKey{}, s), s
}

// sinkOf is nil when the request is not to be captured.
func sinkOf(ctx context.Context) *sink {
	s, _ := ctx.Value(sinkKey{}).(*sink)
	return s
}

func (s *sink) put(result json.RawMessage) {
	s.mu.Lock()
	s.result = result
	s.mu.Unlock()
}

func (s *sink) take() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result
}
