package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// ask makes a request of the host and waits for its answer. When ctx ends, the
// request is withdrawn and ask returns at once; when the session ends, the
// error is ErrClosed; when the host refuses, it is a *HostError.
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
	answer := make(chan *message, 1)
	id, ok := s.stream.asked.add(func(m *message) { answer <- m })
	if !ok {
		return nil, ErrClosed
	}
	rawID := strconv.AppendUint(nil, id, 10)
	if err := s.out.put(&frame{id: rawID, method: method, value: params}); err != nil {
		s.stream.asked.forget(id)
		return nil, err
	}
	select {
	case m := <-answer:
		switch {
		case m == nil:
			return nil, ErrClosed
		case m.fault != nil:
			return nil, hostError(m.fault)
		}
		return m.result, nil
	case <-ctx.Done():
		s.stream.asked.forget(id)
		_ = s.out.put(&frame{method: MethodCancelRequest, value: &CancelParams{ID: rawID}}) // a host that is gone needs none
		return nil, ctx.Err()
	}
}

// HostError is what the host answered instead of a result. It is not an *Error,
// so that one request's error is never taken for another's.
type HostError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"` // nil if there is none
}

func (e *HostError) Error() string { return e.Message }

func hostError(raw json.RawMessage) error {
	e := &HostError{}
	if err := decode("error", raw, e); err != nil {
		return fmt.Errorf("the host's error has the wrong shape: %w", err)
	}
	return e
}
