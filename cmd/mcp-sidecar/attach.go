package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
)

// attach joins the session of the endpoint and passes bytes on, both ways.
func attach(ctx context.Context, _ *flags, w *world, _ *slog.Logger, _ []string) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	conn, err := w.join(ctx)
	if err != nil {
		return failed(ctx, w, err)
	}
	defer conn.Close()
	leave := context.AfterFunc(ctx, func() { conn.Close() })
	defer leave()
	go w.passOn(conn) // ends with standard input, or with the process
	if _, err := io.Copy(w.out, conn); err != nil && ctx.Err() == nil {
		fmt.Fprintln(w.err, "mcp-sidecar: the session:", err)
	}
	return exitOK
}

// passOn gives what is typed to the session. At its end the session is told that
// no more comes, or that nobody is there, if nobody reads what it says.
func (w *world) passOn(conn *net.UnixConn) {
	_, _ = io.Copy(conn, w.in) // either end has ended
	if hasReader(w.out) {
		_ = conn.CloseWrite()
	} else {
		conn.Close()
	}
}
