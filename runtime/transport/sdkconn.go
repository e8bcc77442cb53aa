package transport

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkConn is the SDK's side of a stdio link. The handshake has been made when
// the SDK connects: its own is answered from here, without the server, which
// sees notifications/initialized and then only what answers its requests.
type sdkConn struct {
	greeting greeting
	write    func(frame []byte) // never waits
	in       chan jsonrpc.Message
	closed   chan struct{}
	once     sync.Once
}

func newSDKConn(g greeting, write func([]byte)) *sdkConn {
	return &sdkConn{greeting: g, write: write, in: make(chan jsonrpc.Message, 16), closed: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (c *sdkConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// put gives the SDK a message of the server. It waits for the SDK, which reads
// without condition, and not beyond Close.
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
func (c *sdkConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && (r.Method == "initialize" || r.Method == "server/discover") {
		if s := sinkOf(ctx); s != nil {
			s.put(c.greeting.result)
		}
		c.put(&jsonrpc.Response{ID: r.ID, Result: c.greeting.forSDK()})
		return nil
	}
	frame, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	flatten(frame)
	c.write(frame)
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
