package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// serve is one session over standard input and output.
func serve(ctx context.Context, f *flags, w *world, log *slog.Logger) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	m, closeAll := f.open(log, "", func() {
		log.Info("the host's process is gone")
		stop()
	})
	defer closeAll()
	s := rpc.NewSession(w.in, w.out, rpc.Options{
		Framing: rpc.Framing(f.framing), MaxMessage: f.maxMessage, Log: log,
		HostReads: func() bool { return hasReader(w.out) },
	})
	client := m.Join(s)
	out := s.Run(ctx, client)
	if out.Err != nil {
		log.Error("the session ended", "reason", string(out.End), "err", out.Err)
	}
	return out.Code
}

// surviveBrokenPipes makes writing to a reader that is gone an error: by default
// it kills a Go program when it happens on standard output. The signal is caught,
// not ignored, since what is ignored our children would ignore as well.
func surviveBrokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// untilSignal gives a context that ends with SIGTERM or SIGINT. A second signal
// exits at once; the guard then kills what is left.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() { // ends with the process
		<-signals
		cancel()
		<-signals
		os.Exit(exitFailed)
	}()
	return ctx, cancel
}
