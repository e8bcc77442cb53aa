package face

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// gate keeps a list of tools back until it is worth giving, for clients that ask for it
// once, or not again at once. It is open when every server of which nothing is
// remembered has been tried, and the client's roots are known, if it has any; or when
// patience is over.
type gate struct {
	mu      sync.Mutex      // guards what follows
	begun   time.Time       // when the servers were known; zero before
	listens bool            // the client wants to be told of changes (MCP 2026-07-28: subscriptions/listen)
	roots   bool            // the client's roots are being asked for
	untried map[string]bool // servers without tools that are connecting
	changed chan struct{}   // closed at the next change
}

func newGate() *gate {
	return &gate{untried: map[string]bool{}, changed: make(chan struct{})}
}

// opened says which servers there are, from now on.
func (g *gate) opened(servers []rpc.Server) {
	g.change(func() { g.begun = time.Now() }, servers)
}

// listening says that the client is told of what comes later.
func (g *gate) listening() {
	g.change(func() { g.listens = true }, nil)
}

// awaitRoots keeps the gate closed until located, or for rootsPatience: then tired is
// called.
func (g *gate) awaitRoots(tired func()) {
	g.change(func() { g.roots = true }, nil)
	time.AfterFunc(rootsPatience, func() {
		waited := false
		g.change(func() { waited, g.roots = g.roots, false }, nil)
		if waited {
			tired()
		}
	})
}

// located says that the client's roots are settled, and which servers there are now;
// none if that changed nothing.
func (g *gate) located(servers []rpc.Server) {
	g.change(func() { g.roots = false }, servers)
}

// tried says that servers are not waited for any more.
func (g *gate) tried(servers ...string) {
	g.change(func() {
		for _, name := range servers {
			delete(g.untried, name)
		}
	}, nil)
}

// awaits says whether a server is waited for.
func (g *gate) awaits(server string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.untried[server]
}

// change makes one change of what is waited for, and adds servers to it.
func (g *gate) change(apply func(), servers []rpc.Server) {
	g.mu.Lock()
	defer g.mu.Unlock()
	apply()
	for _, s := range servers {
		if isUntried(s) {
			g.untried[s.Name] = true
		}
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// isUntried says of a server that its tools are not known yet, but may be soon. One
// that is tried again has been tried: that its first attempt failed may never have
// been told, since only the latest status is.
func isUntried(s rpc.Server) bool {
	return s.Status == rpc.StatusConnecting && s.Tools.From == rpc.ToolsFromNone && s.Attempt <= 1
}

// pass waits until the gate is open. The servers are known.
func (g *gate) pass(ctx context.Context) error {
	for {
		left, changed := g.state()
		if left <= 0 {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(left):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// state is how long the gate stays closed if nothing changes.
func (g *gate) state() (left time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.roots && len(g.untried) == 0:
	case g.listens:
		left = time.Until(g.begun.Add(listenerPatience))
	default:
		left = time.Until(g.begun.Add(patience))
	}
	return left, g.changed
}
