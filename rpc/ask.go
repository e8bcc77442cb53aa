package rpc

import (
	"context"
	"encoding/json"
	"fmt"
)

// ask makes a request of the host and waits for its answer. When ctx ends, the
// request is withdrawn and ask returns at once; when the session ends, the
// error is ErrClosed; when the host refuses, it is a *HostError.
func ask[T any](ctx context.Context, s *Session, method string, params body) (*T, error) {
	var raw json.RawMessage
	err := s.stream.asked.ask(ctx, s.out, method, params, func(m *message) error {
		if m.fault != nil {
			return hostError(m.fault)
		}
		raw = m.result
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	answer := new(T)
	if err := decode("result", raw, answer); err != nil {
		return nil, fmt.Errorf("%s: the host's answer has the wrong shape: %w", method, err)
	}
	return answer, nil
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
