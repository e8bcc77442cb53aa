package rpc

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

// handler is what the library calls, one message after the other. It takes the
// message from the stream, not what the library made of it.
type handler struct{ s *Session }

// Handle implements jsonrpc2.Handler.
func (h handler) Handle(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) {
	m := h.s.stream.request
	switch {
	case h.s.exiting:
	case m.id != nil:
		h.s.handleRequest(m)
	default:
		h.s.handleNotification(m)
	}
}

func (s *Session) handleNotification(m *message) {
	switch m.method {
	case MethodCancelRequest:
		var p CancelParams
		if err := decode("params", orEmpty(m.params), &p); err != nil || p.ID == nil {
			s.log.Warn("cancel without an id", "params", brief(m.params))
			return
		}
		if e := s.requests.takeID(p.ID); e != nil {
			s.feed.refuse(e.id, errCancelled(), false)
			e.cancel(errCancelled()) // last: conclude relies on it
		}
	case MethodExit:
		s.exiting = true
		o := Outcome{Code: 1, End: EndExit}
		if s.shuttingDown {
			o.Code = 0
		}
		s.exit <- o
	default:
		if !strings.HasPrefix(m.method, "$/") {
			s.log.Warn("notification ignored", "method", brief(m.method))
		}
	}
}

func orEmpty(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	return params
}

// handleRequest runs in the reader: what it does is seen by every later
// message.
func (s *Session) handleRequest(m *message) {
	ctx, cancel := s.begin()
	r, known := s.routes[m.method]
	e := &entry{id: m.id, cancel: cancel, lane: laneOf(m.method, r)}
	if fault := s.requests.add(e); fault != nil {
		s.stream.refuse(m.id, fault)
		cancel(nil)
		return
	}
	fault := s.admit(m.method)
	if fault == nil && !known {
		fault = errMethodNotFound(m.method)
	}
	if fault == nil && s.opts.Guest && forOwners(m.method) {
		fault = ErrNotPermitted(m.method)
	}
	switch {
	case fault != nil:
		s.conclude(ctx, e, nil, fault)
		s.leave(e)
	case r.accept != nil:
		s.accept(ctx, e, r, m)
	default:
		s.lobby.pass(func() { go s.serve(ctx, e, r, m) }) // ends with the request: finish waits for it
	}
}

// laneOf chooses the limit a request counts against. Shutdown has one of its
// own, lest anything keep a host from ending in good order.
func laneOf(method string, r route) lane {
	switch {
	case method == MethodShutdown:
		return laneShutdown
	case r.accept != nil:
		return laneOrdered
	}
	return laneOrdinary
}

// admit says which methods are open in which part of a session's life.
func (s *Session) admit(method string) *Error {
	switch {
	case s.shuttingDown:
		return ErrShuttingDown()
	case method == MethodInitialize && s.initialized:
		return errInvalidRequest(MethodInitialize + " was accepted already")
	case method != MethodInitialize && !s.initialized:
		return errNotInitialized(method)
	case method == MethodExit || method == MethodCancelRequest:
		return errInvalidRequest(method + " is a notification: it has no id")
	}
	return nil
}

// accept runs the first half of an ordered request and starts the second.
func (s *Session) accept(ctx context.Context, e *entry, r route, m *message) {
	// The hold comes before the work begins, lest its first push gets ahead.
	// The one of initialize has been there from the start, and stays if it is
	// refused.
	if r.tells && m.method != MethodInitialize {
		s.feed.hold()
		e.held = true
	}
	second, err := guard(s.log, m.method, func() (wait, error) {
		if m.method == MethodInitialize {
			if err := checkVersion(m.params); err != nil {
				return nil, err
			}
		}
		params, err := r.decode(m.params)
		if err != nil {
			return nil, err
		}
		return r.accept(ctx, params)
	})
	if err != nil {
		s.conclude(ctx, e, nil, err)
		s.leave(e)
		return
	}
	switch m.method {
	case MethodInitialize:
		s.initialized, e.held, e.then = true, true, s.lobby.open
	case MethodShutdown:
		s.shuttingDown, e.then = true, func() { close(s.shutdown) }
	}
	go func() { // ends with the wait: finish waits for it
		defer s.leave(e)
		answer, err := guard(s.log, m.method, func() (reply, error) { return second(ctx) })
		s.conclude(ctx, e, answer, err)
	}()
}

// checkVersion comes before the rest of initialize is decoded: what another
// version calls by the same names may have another shape.
func checkVersion(params json.RawMessage) error {
	var p struct {
		ProtocolVersion int `json:"protocolVersion"`
	}
	if err := decodeInto(&p, params); err != nil {
		return err
	}
	if p.ProtocolVersion != ProtocolVersion {
		return errVersion(p.ProtocolVersion)
	}
	return nil
}

// serve runs an ordinary request.
func (s *Session) serve(ctx context.Context, e *entry, r route, m *message) {
	defer s.leave(e)
	if err := ctx.Err(); err != nil { // cancelled while it waited for initialize
		s.conclude(ctx, e, nil, err)
		return
	}
	answer, err := guard(s.log, m.method, func() (reply, error) {
		params, err := r.decode(m.params)
		if err != nil {
			return nil, err
		}
		if p, ok := params.(*CallParams); ok {
			s.requests.expect(e, p.ProgressToken)
		}
		return r.call(ctx, params)
	})
	s.conclude(ctx, e, answer, err)
}

// conclude ends e with what its work came to: the answer, unless e was
// cancelled meanwhile. The hold of a cancelled one ends here as well, and not
// when it is cancelled: until its work has stopped waiting, the implementer may
// take the set for one that an answer will tell.
func (s *Session) conclude(ctx context.Context, e *entry, answer reply, err error) {
	switch {
	case !s.requests.take(e):
		<-ctx.Done() // by then the reader has queued the answer, which no push may overtake
		if e.held {
			s.feed.release()
		}
	case err != nil:
		s.feed.refuse(e.id, toWire(ctx, err), e.held)
	default:
		s.feed.answer(e.id, answer, e.held)
	}
	if e.then != nil {
		e.then()
	}
}

// leave ends the work on e.
func (s *Session) leave(e *entry) {
	e.cancel(nil)
	s.requests.leave(e)
}
