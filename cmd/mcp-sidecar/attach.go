package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"syscall"
	"time"
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
	go w.leaveUnread(ctx, conn)
	// Not by splice, whose errors do not tell what is wrong with the output.
	_, err = io.Copy(struct{ io.Writer }{w.out}, conn)
	if ctx.Err() != nil || over(err) {
		return exitOK
	}
	return failed(ctx, w, err)
}

// over says that copying has ended because either end has: the session, or the
// program that it was for.
func over(err error) bool {
	return err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// passOn gives the session what the program says. At its end the session is told
// that no more comes, or that nobody is there, if nobody reads what it says.
func (w *world) passOn(conn *net.UnixConn) {
	_, _ = io.Copy(conn, w.in) // either end has ended
	if hasReader(w.out) {
		_ = conn.CloseWrite()
	} else {
		conn.Close()
	}
}

// leaveUnread leaves the session when nobody reads what it says any more, which
// otherwise shows only when it says something. It ends with the process.
func (w *world) leaveUnread(ctx context.Context, conn *net.UnixConn) {
	tick := time.NewTicker(readerPoll)
	defer tick.Stop()
	for hasReader(w.out) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
	conn.Close()
}

// readerPoll is how often it is looked whether somebody still reads.
const readerPoll = time.Second
