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
	wait time.Duration // patience with servers; less for who listens

	mu      sync.Mutex      // guards what follows
	begun   time.Time       // when the servers were known; zero before
	listens bool            // the client wants to be told of changes (MCP 2026-07-28: subscriptions/listen)
	roots   bool            // the client's roots are being asked for
	untried map[string]bool // servers without tools that are connecting
	changed chan struct{}   // closed at the next change
}

func newGate(wait time.Duration) *gate {
	return &gate{wait: wait, untried: map[string]bool{}, changed: make(chan struct{})}
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

// pass waits until the gate is open for a list. The servers are known.
func (g *gate) pass(ctx context.Context) error { return g.await(ctx, g.wait) }

// passCall is pass for a call of a tool that is not known: who does not want to wait
// for a list may remember a name from before all the same.
func (g *gate) passCall(ctx context.Context) error { return g.await(ctx, patience) }

func (g *gate) await(ctx context.Context, wait time.Duration) error {
	for {
		left, changed := g.state(wait)
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

// state is how long the gate stays closed if nothing changes, for who has so much
// patience with servers.
func (g *gate) state(wait time.Duration) (left time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listens {
		wait = min(wait, listenerPatience)
	}
	if g.roots { // until they are given, or not waited for any more
		wait = max(wait, rootsPatience)
	}
	if g.roots || len(g.untried) > 0 {
		left = time.Until(g.begun.Add(wait))
	}
	return left, g.changed
}
