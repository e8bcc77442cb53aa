package transport

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is one way to reach a server, as the session sees it once the handshake
// is made: what the SDK speaks through, and the lane for what goes past the SDK.
// stdioLink, httpLink and sseLink are the three.
//
// A link shows every answer and every progress report that arrives to its lane
// (lane.take) and everything else to its inbound (inbound.take), in wire order,
// and ends both when it ends.
type link interface {
	// transport is what the SDK speaks through.
	transport() mcp.Transport
	// call is Session.Call.
	call(ctx context.Context, c Call) (json.RawMessage, error)
	// request is any other request past the SDK: it returns the result's own
	// bytes. params is an object or nil; the era's _meta is added. The end of ctx
	// ends it at once. An error answer is an *Error of this stage wrapping an
	// *RPCError.
	//
	// For "subscriptions/listen" it returns when the subscription has ended;
	// what arrives on it reaches the hooks like any other notification.
	request(ctx context.Context, stage Stage, method string, params json.RawMessage) (json.RawMessage, error)
	// pid is the process, 0 for remote servers.
	pid() int
	// done is closed when the link is unusable, and err says why.
	done() <-chan struct{}
	err() error
	// close ends the link and all it started; calls in flight fail. It may be
	// called more than once; all wait.
	close()
}
