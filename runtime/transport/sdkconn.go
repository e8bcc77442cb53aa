package transport

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkConn is the SDK's side of a link. The handshake has been made when the SDK
// connects: its own is answered from here, without the server, which sees only
// what answers its requests.
type sdkConn struct {
	greeting greeting
	post     func(frame []byte) // never waits
	in       chan jsonrpc.Message
	closed   chan struct{}
	once     sync.Once
}

func newSDKConn(g greeting, post func([]byte)) *sdkConn {
	return &sdkConn{greeting: g, post: post, in: make(chan jsonrpc.Message, 16), closed: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (c *sdkConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// put gives the SDK a message of the server. It waits for the SDK, which reads
// without condition once it has connected, and not beyond Close.
func (c *sdkConn) put(m jsonrpc.Message) {
	select {
	case c.in <- m:
	case <-c.closed:
	}
}

// isClosed: nobody reads any more.
func (c *sdkConn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// Read implements mcp.Connection.
func (c *sdkConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection. It never waits: what a server that does not
// read would have been told is lost on it anyway.
func (c *sdkConn) Write(_ context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok {
		switch r.Method {
		case "initialize", "server/discover":
			c.put(&jsonrpc.Response{ID: r.ID, Result: c.greeting.forSDK()})
			return nil
		case "notifications/initialized": // is part of the handshake
			return nil
		}
	}
	frame, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	flatten(frame)
	c.post(frame)
	return nil
}

// Close implements mcp.Connection. The link stays.
func (c *sdkConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements mcp.Connection.
func (c *sdkConn) SessionID() string { return "" }

// forSDK is the least the SDK needs to know. It refuses versions it has not
// heard of, and would subscribe to what we subscribe to ourselves.
func (g *greeting) forSDK() json.RawMessage {
	if g.era == EraStateless {
		return json.RawMessage(`{"supportedVersions":["` + string(EraStateless) + `"],"capabilities":{}}`)
	}
	version := g.version
	if !isKnown(version) || version >= string(EraStateless) {
		version = string(EraStateful)
	}
	return json.RawMessage(`{"protocolVersion":"` + version + `","capabilities":{},"serverInfo":{"name":"","version":""}}`)
}
