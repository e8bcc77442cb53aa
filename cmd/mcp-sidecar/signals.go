package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruption is a signal that ended a context.
type interruption struct{ by os.Signal }

// Error implements error.
func (i *interruption) Error() string { return "interrupted" }

// code is what a shell says of a command that a signal has ended.
func (i *interruption) code() int {
	if number, ok := i.by.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return exitFailed
}

// untilSignal gives a context that ends with SIGTERM or SIGINT, with an
// *interruption as its cause. A second signal exits at once; the guard then
// kills what is left.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() { // ends with the process
		cancel(&interruption{<-signals})
		os.Exit((&interruption{<-signals}).code())
	}()
	return ctx, func() { cancel(nil) }
}

// surviveBrokenPipes makes writing to a reader that is gone an error: by default
// it kills a Go program when it happens on standard output. The signal is caught,
// not ignored, since what is ignored our children would ignore as well.
func surviveBrokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
