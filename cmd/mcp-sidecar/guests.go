package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/share"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/timely"
)

// guests are the connections that join the session which is served.
type guests struct {
	maxMessage int64
	log        *slog.Logger
	m          *runtime.Manager // set before anybody can ask for the endpoint

	mu       sync.Mutex
	endpoint *share.Endpoint // nil until the session is shared
	over     bool
}

// doorPatience is how long the disk may take to have a socket made.
const doorPatience = 5 * time.Second

var errNoDoor = fmt.Errorf("no answer from the disk within %v", doorPatience)

// share is runtime.Options.Share.
func (g *guests) share(ctx context.Context) (endpoint, secret string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, doorPatience, errNoDoor)
	defer cancel()
	door, err := timely.Do(ctx, g.open)
	if err != nil {
		return "", "", err
	}
	return door.Invitation(), door.Token(), nil
}

// open gives the endpoint, which there is once.
func (g *guests) open() (door *share.Endpoint, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return nil, rpc.ErrShuttingDown()
	}
	if g.endpoint == nil {
		g.endpoint, err = share.Open(share.Options{
			Places: share.Places(os.LookupEnv), Serve: g.serve, Log: g.log,
		})
	}
	return g.endpoint, err
}

// serve is one guest, from its first message on.
func (g *guests) serve(ctx context.Context, conn *net.UnixConn) {
	s := rpc.NewSession(incoming{conn}, conn, rpc.Options{
		MaxMessage: g.maxMessage, Log: g.log, Guest: true,
		HostReads: func() bool { return hasReader(conn) },
	})
	guest := g.m.Guest(s)
	defer guest.Leave()
	g.log.Info("a guest has joined")
	out := s.Run(ctx, guest)
	g.log.Info("a guest has left", "why", string(out.End), "err", out.Err)
}

// incoming is what a connection brings: closing it leaves the other direction as
// it is.
type incoming struct{ conn *net.UnixConn }

func (in incoming) Read(p []byte) (int, error) { return in.conn.Read(p) }
func (in incoming) Close() error               { return in.conn.CloseRead() }

// end lets nobody in any more, and tells those there are to end. The function
// waits until they have, but no longer than limit: opening the endpoint may be
// waiting for a disk that does not answer.
func (g *guests) end() (await func(limit time.Duration)) {
	ended := make(chan struct{})
	go func() { // ends with the guests' sessions, or with the process
		defer close(ended)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.over = true
		if g.endpoint != nil {
			g.endpoint.Close()
		}
	}()
	return func(limit time.Duration) {
		select {
		case <-ended:
		case <-time.After(limit):
		}
	}
}
