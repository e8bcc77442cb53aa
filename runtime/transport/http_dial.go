package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// dialHTTP connects by streamable HTTP, and by SSE where the endpoint turns out
// to be of that kind or the spec says so.
func (d *Dialer) dialHTTP(ctx context.Context, spec Spec, hooks Hooks) (Session, error) {
	if spec.Kind == SSE {
		s, _, err := d.dialSSE(ctx, spec, hooks)
		return s, err
	}
	l, err := newHTTPLink(spec, hooks, d.logger().With("server", spec.Name))
	if err != nil {
		return nil, err
	}
	g, err := l.greet(ctx, spec.Era)
	if err == nil {
		return connect(ctx, spec, hooks, l, g)
	}
	l.close()
	if ctx.Err() != nil || !notStreamable(err) {
		return nil, err
	}
	hooks.Stage = nil // the URL has answered, and that has been told
	older, opened, sseErr := d.dialSSE(ctx, spec, hooks)
	switch {
	case sseErr == nil:
		return older, nil
	case opened:
		return nil, sseErr
	}
	return nil, neither(err, sseErr)
}

// dialSSE also tells whether there was a stream that named an endpoint.
func (d *Dialer) dialSSE(ctx context.Context, spec Spec, hooks Hooks) (Session, bool, error) {
	spec.Kind = SSE
	l, err := newSSELink(spec, hooks, d.logger().With("server", spec.Name))
	if err != nil {
		return nil, false, err
	}
	g, err := l.greet(ctx)
	if err != nil {
		l.close()
		return nil, l.endpoint.Load() != nil, err
	}
	s, err := connect(ctx, spec, hooks, l, g)
	return s, true, err
}

// notStreamable: these are what endpoints of the older kind answer to the first
// POST (MCP 2025-11-25, basic/transports, backwards compatibility).
func notStreamable(err error) bool {
	var status *HTTPError
	if !errors.As(err, &status) {
		return false
	}
	switch status.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// neither is the error of an endpoint that is neither kind: the first one's,
// which says more.
func neither(err, sseErr error) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	both := *failure
	both.Message = fmt.Sprintf("%s (and it is no SSE endpoint: %v)", failure.Message, sseErr)
	both.Hint = "check the path of the URL: many servers listen on /mcp or /sse"
	return &both
}
