// Package timely waits for what cannot be interrupted, such as a read of a file
// system that does not answer: as long as a context lasts, and no longer.
package timely

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Do gives the outcome of f, or a *LeftError when ctx ends before f does. A panic
// of f is a *PanicError, and ends nobody. The goroutine ends with f, which is to
// touch nothing that its caller goes on to use.
func Do[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	said, ended := make(chan outcome, 1), make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if v := recover(); v != nil {
				said <- outcome{err: &PanicError{v, debug.Stack()}}
			}
		}()
		value, err := f()
		said <- outcome{value, err}
	}()
	select {
	case o := <-said:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, &LeftError{ended, context.Cause(ctx)}
	}
}

// Run is Do for what gives an error only.
func Run(ctx context.Context, f func() error) error {
	_, err := Do(ctx, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// LeftError says that something is not waited for any more. It is worded like the
// cause of the context's end, which it wraps.
type LeftError struct {
	// Ended is closed when it has ended all the same.
	Ended <-chan struct{}
	cause error
}

// Error implements error.
func (e *LeftError) Error() string { return e.cause.Error() }
func (e *LeftError) Unwrap() error { return e.cause }

// PanicError is what a function panicked with, and where.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("a bug in mcp-sidecar: %v", e.Value) }
