package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// When the host is gone everything has to be gone soon, whatever the settings
// say about stopping servers: stopLimit is for the servers, the guard kills the
// rest; goneFlush is for what is left to be said on standard error.
const (
	stopLimit = 1500 * time.Millisecond
	goneFlush = 100 * time.Millisecond
)

// serve is one session over standard input and output.
func serve(ctx context.Context, f *flags, w *world, log *logs) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	hostGone := make(chan struct{})
	joined := &guests{maxMessage: f.maxMessage, log: log.Logger}
	m, closeAll := f.open(log.Logger, runtime.Options{HostGone: func() { close(hostGone) }, Share: joined.share})
	joined.m = m
	end := func(servers, guests time.Duration) {
		await := joined.end()
		closeAll(servers)
		await(guests)
	}
	s := rpc.NewSession(w.in, w.out, rpc.Options{
		Framing: rpc.Framing(f.framing), MaxMessage: f.maxMessage, Log: log.Logger,
		HostReads: func() bool { return hasReader(w.out) },
	})
	client := m.Join(s)
	ended := make(chan rpc.Outcome, 1)
	// It ends with the session. When the host is gone nobody waits for that:
	// the session may still be trying to say something.
	go func() { ended <- s.Run(ctx, client) }()
	select {
	case <-hostGone:
		log.Info("the session ends: the host's process is gone")
	case out := <-ended:
		log.tellEnd(w, out)
		if out.End != rpc.EndGone {
			end(0, stopLimit)
			return out.Code
		}
	}
	end(stopLimit, goneFlush)
	w.err.close(goneFlush)
	return exitOK
}

// tellEnd says why a session ended, if there is something to say. An input that
// cannot be read is said on standard error wherever the log goes.
func (l *logs) tellEnd(w *world, out rpc.Outcome) {
	if out.Err == nil {
		return
	}
	l.Error("the session ends", "why", string(out.End), "err", out.Err)
	var header *rpc.HeaderError
	if l.file && errors.As(out.Err, &header) {
		fmt.Fprintln(w.err, "mcp-sidecar: the session ends:", header)
	}
}
