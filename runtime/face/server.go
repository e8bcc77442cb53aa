package face

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods after which a client may be gone.
const (
	methodDiscover = "server/discover"
	methodPing     = "ping"
)

// newServer makes the SDK's server.
func (f *face) newServer() *mcp.Server {
	s := mcp.NewServer(f.implementation(), &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		// What is discovered is about one user.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		// It logs a client's mistakes, of which the client is told.
		Logger: slog.New(slog.DiscardHandler),
		InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
			f.person.introduced(r.Session)
			f.move()
		},
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { f.move() }, //nolint:staticcheck // as in hasRoots
	})
	s.AddReceivingMiddleware(f.receive)
	return s
}

func (f *face) implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: f.opt.Name, Version: f.opt.Version}
}

// receive is the middleware through which every request of the client comes.
func (f *face) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil { // one request may fail, and nothing else
				f.log.Error("panic", "in", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, internal(fmt.Errorf("%s: the sidecar failed: %v", method, p))
			}
		}()
		if isStateless(r) {
			f.person.introduced(nil) // such a client is asked nothing unasked
		}
		if method != methodPing {
			f.opening.ask(method != methodDiscover)
		}
		switch p := r.GetParams().(type) {
		case *mcp.InitializeParams:
			return f.initialize(ctx, p, func() (mcp.Result, error) { return next(ctx, method, r) })
		case *mcp.ListToolsParams:
			return f.list(ctx, p, isStateless(r))
		case *mcp.SubscriptionsListenParams:
			if isStateless(r) && asksForTools(p) {
				f.gate.listening()
				return f.listeners.listen(ctx, r)
			}
		case *mcp.CallToolParamsRaw:
			session, _ := r.GetSession().(*mcp.ServerSession)
			return f.call(ctx, p, session, isStateless(r))
		}
		result, err = next(ctx, method, r)
		if d, ok := result.(*mcp.DiscoverResult); ok && err == nil {
			if err := f.opening.await(ctx, f.opening.opened); err != nil {
				return nil, err
			}
			d.Instructions = f.instructions()
		}
		return result, err
	}
}

// initialize answers when the session has, whose servers may have something to say to
// a model.
func (f *face) initialize(ctx context.Context, p *mcp.InitializeParams, next func() (mcp.Result, error)) (mcp.Result, error) {
	if p.ProtocolVersion >= statelessVersion {
		p.ProtocolVersion = lastStateful // who initializes a session has one
	}
	if hasRoots(p) && !f.opt.Guest {
		f.gate.awaitRoots(func() { f.log.Warn("the client has not said where its project is", "after", rootsPatience) })
	}
	if err := f.opening.await(ctx, f.opening.opened); err != nil {
		return nil, err
	}
	result, err := next()
	if r, ok := result.(*mcp.InitializeResult); ok && err == nil {
		r.Instructions = f.instructions()
	}
	return result, err
}

// list gives the tools.
func (f *face) list(ctx context.Context, p *mcp.ListToolsParams, stateless bool) (mcp.Result, error) {
	if p != nil && p.Cursor != "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: cursor: the list has one page"}
	}
	if err := f.opening.await(ctx, f.opening.awake); err != nil {
		return nil, err
	}
	if err := f.gate.pass(ctx); err != nil {
		return nil, err
	}
	set := f.tools.list()
	end := []byte{'}'}
	if stateless {
		end = append(f.hints(), end...)
	}
	return &parcel{by: f.conn.parcels, head: []byte(`{"tools":`), raw: set.listed(), tail: end, sent: func() {
		if f.tools.current() != set { // a word that came before the list may have been taken for one about it
			f.announce()
		}
	}}, nil
}

// hints are the members that the stateless era demands of a list (MCP 2026-07-28:
// server/utilities/caching): it is not to be kept, since it changes at any time.
func (f *face) hints() []byte {
	about, err := json.Marshal(map[string]any{mcp.MetaKeyServerInfo: f.implementation()})
	if err != nil {
		about = []byte("{}")
	}
	return append([]byte(`,"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":`), about...)
}

// announce tells the client that the list has changed, as its era wants it, and once
// for changes that follow on each other: there is one that lists again at most once a
// second. In the stateful eras the SDK says so when its own list changes: of a tool that
// nobody sees.
func (f *face) announce() {
	if f.announcing.CompareAndSwap(false, true) {
		time.AfterFunc(announceDelay, func() {
			f.announcing.Store(false) // before: what changes from here on is told once more
			f.listeners.tell()
			f.server.AddTool(&mcp.Tool{Name: "tools-have-changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
		})
	}
}
