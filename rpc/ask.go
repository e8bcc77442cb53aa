package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/sourcegraph/jsonrpc2"
)

// ask makes a request of the host and waits for its answer. When ctx ends, the
// request is withdrawn and ask returns at once; when the session ends, the
// error is ErrClosed.
func ask[T any](ctx context.Context, s *Session, method string, params body) (*T, error) {
	raw, err := s.roundTrip(ctx, method, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	answer := new(T)
	if err := decode("result", raw, answer); err != nil {
		return nil, fmt.Errorf("%s: the host's answer has the wrong shape: %w", method, err)
	}
	return answer, nil
}

func (s *Session) roundTrip(ctx context.Context, method string, params body) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-s.began:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	id := s.seq.Add(1)
	// The library enters the request in its table and "writes" it; our own
	// frame follows, which has the params as they are.
	pending, err := s.conn.DispatchCall(ctx, method, nil, jsonrpc2.PickID(jsonrpc2.ID{Num: id}))
	if err != nil {
		return nil, closedOr(err)
	}
	rawID := strconv.AppendUint(nil, id, 10)
	if err := s.out.put(&frame{id: rawID, method: method, value: params}); err != nil {
		s.stream.forget(id)
		return nil, err
	}
	var answer json.RawMessage
	err = pending.Wait(ctx, &answer)
	var fault *jsonrpc2.Error
	switch {
	case err == nil:
		return answer, nil
	case errors.As(err, &fault):
		return nil, fromLibrary(fault)
	case ctx.Err() != nil && !errors.Is(err, jsonrpc2.ErrClosed):
		_ = s.out.put(&frame{method: MethodCancelRequest, value: &CancelParams{ID: rawID}}) // a host that is gone needs none
		s.stream.forget(id)
		return nil, ctx.Err()
	}
	return nil, closedOr(err)
}

func closedOr(err error) error {
	if errors.Is(err, jsonrpc2.ErrClosed) {
		return ErrClosed
	}
	return err
}

func fromLibrary(e *jsonrpc2.Error) *Error {
	fault := &Error{Code: int(e.Code), Message: e.Message}
	if e.Data != nil {
		fault.Data = *e.Data
	}
	return fault
}
