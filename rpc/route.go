package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
)

// route is how one method is reached. Either call or accept is set.
type route struct {
	decode func(params json.RawMessage) (any, error)
	// What decode returned is what these two are given.
	//
	// call runs an ordinary request from beginning to end.
	call func(ctx context.Context, params any) (reply, error)
	// accept is the first half of an ordered one; what it returns is the second.
	accept func(ctx context.Context, params any) (wait, error)
	// tells says that the answer tells the whole tool set.
	tells bool
}

// wait is the second half of an ordered request.
type wait func(ctx context.Context) (reply, error)

// result is a pointer to a wire type.
type result[T any] interface {
	*T
	body
}

// fixed makes a route of a method whose result does not depend on the view.
func fixed[P, T any, R result[T]](method func(context.Context, *P) (R, error)) route {
	return route{decode: decodeParams[P], call: func(ctx context.Context, params any) (reply, error) {
		value, err := method(ctx, params.(*P))
		return func(*Snapshot) body { return orNil(value) }, err
	}}
}

// viewed makes a route of a method whose result is finished from the view.
func viewed[P, T any, R result[T]](method func(context.Context, *P) (Answer[T], error)) route {
	return route{tells: tells[T, R](), decode: decodeParams[P], call: func(ctx context.Context, params any) (reply, error) {
		answer, err := method(ctx, params.(*P))
		return replyOf[T, R](answer), err
	}}
}

// ordered makes a route of an ordered method.
func ordered[P, T any, R result[T]](method func(context.Context, *P) (Pending[T], error)) route {
	return route{tells: tells[T, R](), decode: decodeParams[P], accept: func(ctx context.Context, params any) (wait, error) {
		pending, err := method(ctx, params.(*P))
		if err == nil && pending == nil {
			err = errors.New("the method was accepted without a second half")
		}
		return func(ctx context.Context) (reply, error) {
			answer, err := pending(ctx)
			return replyOf[T, R](answer), err
		}, err
	}}
}

func replyOf[T any, R result[T]](answer Answer[T]) reply {
	if answer == nil {
		return func(*Snapshot) body { return nil }
	}
	return func(view *Snapshot) body { return orNil(R(answer(view))) }
}

// orNil keeps a nil pointer from looking like a value.
func orNil[T any, R result[T]](value R) body {
	if value == nil {
		return nil
	}
	return value
}

func tells[T any, R result[T]]() bool {
	_, ok := any(R(nil)).(teller)
	return ok
}

// GuestMethods lists the requests that impl answers to a guest.
func GuestMethods(impl Sidecar) []string {
	return slices.DeleteFunc(Methods(impl), forOwners)
}

// decodeParams reads params; none are the same as {}.
func decodeParams[P any](raw json.RawMessage) (any, error) {
	params := new(P)
	return params, decodeInto(params, raw)
}

func decodeInto(params any, raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	if raw[0] == '[' {
		return ErrInvalidParams("params", "they are given by name, in an object")
	}
	var shape *shapeError
	switch err := decode("params", raw, params); {
	case errors.As(err, &shape):
		return ErrInvalidParams(shape.member, shape.reason())
	case err != nil:
		return ErrInvalidParams("params", err.Error())
	}
	return nil
}

// guard calls work and turns its panic into an error, with the stack in the
// log.
func guard[T any](log *slog.Logger, method string, work func() (T, error)) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recovered(log, method, p)
		}
	}()
	return work()
}

func recovered(log *slog.Logger, doing string, p any) *Error {
	log.Error("panic", "in", doing, "panic", p, "stack", string(debug.Stack()))
	return ErrInternal(fmt.Sprintf("%s: the sidecar failed: %v", doing, p))
}
