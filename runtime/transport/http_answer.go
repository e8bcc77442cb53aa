package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// streamDrain is how long the rest of a stream is read after the answer, in
	// the hope that it ends and the connection can be used again.
	streamDrain = 500 * time.Millisecond
	// maxResumes is how often in a row a broken answer stream is resumed without
	// anything new on it.
	maxResumes = 5
)

// readWhole reads an answer that is one body.
func (l *httpLink) readWhole(p *posting, resp *http.Response) *Error {
	body, failure := readBody(resp, maxMessage)
	if failure != nil {
		return failure
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	switch {
	case len(body) == 0 && l.listening.Load():
		return nil // it was accepted, and the answer comes on the server's own stream
	case len(body) == 0:
		return unanswered(p, fmt.Sprintf("%s and no answer", resp.Status))
	case !l.dispatch(body, p):
		return unanswered(p, fmt.Sprintf("%s and %q, which is no JSON-RPC message: %s",
			resp.Status, resp.Header.Get("Content-Type"), l.remote.redact.excerpt(body)))
	case !p.answered.Load():
		return unanswered(p, "a message that is not the answer")
	}
	return nil
}

// readStreams reads the event stream that answers a request and, where it
// breaks before the answer, its continuations (MCP 2025-11-25, basic/transports,
// resumability).
func (l *httpLink) readStreams(ctx context.Context, p *posting, resp *http.Response) *Error {
	var at streamPosition
	idle := 0 // continuations in a row that brought nothing
	for {
		reached := at.lastID
		failure := l.readStream(p, resp, &at)
		if p.answered.Load() || failure != nil {
			return failure
		}
		if at.lastID == "" || l.cancels() {
			return broken(p)
		}
		if at.lastID != reached {
			idle = 0
		}
		for resp = nil; resp == nil; idle++ {
			if idle == maxResumes || !pause(ctx, at.delay(idle)) {
				return broken(p)
			}
			resp, failure = l.openStream(ctx, at.lastID)
			if failure != nil && isStatus(failure) {
				return failure
			}
		}
	}
}

// readStream reads one event stream to its end, or shortly past the answer.
func (l *httpLink) readStream(p *posting, resp *http.Response, at *streamPosition) *Error {
	defer func() { _ = resp.Body.Close() }()
	events := newSSEReader(resp.Body, maxMessage)
	for {
		event, err := events.next()
		if err != nil {
			return nil // what matters is whether the answer was there
		}
		at.note(&event)
		switch {
		case event.tooLarge():
			l.takeTooLarge(&event, p)
		case event.isMessage() && !l.dispatch(event.data, p):
			l.inbound.noise("", event.data)
		}
		if p.answered.Load() {
			l.drain(p, resp)
			return nil
		}
	}
}

// drain reads what follows the answer, so that the connection can be used
// again, but not for long.
func (l *httpLink) drain(p *posting, resp *http.Response) {
	timer := time.AfterFunc(streamDrain, p.cancel)
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, resp.Body)
}

// openStream asks for the server's own stream, or for what followed an event of
// a broken one. A success that is no stream is a failure.
func (l *httpLink) openStream(ctx context.Context, lastID string) (*http.Response, *Error) {
	out := l.outgoing(http.MethodGet)
	out.header["Accept"] = []string{eventStream}
	out.header["Accept-Encoding"] = []string{"identity"} // compressors hold events back
	if lastID != "" {
		out.header[headerLastEvent] = []string{lastID}
	}
	resp, failure := l.send(ctx, out)
	if failure == nil && !isEventStream(resp) {
		_ = resp.Body.Close()
		return nil, &Error{
			Code: CodeHTTP, Message: "the server has no event stream here",
			Err: &HTTPError{Status: http.StatusMethodNotAllowed},
		}
	}
	return resp, failure
}

// streamPosition is where a stream is to be resumed, and when. It belongs to the
// goroutine that reads the stream.
type streamPosition struct {
	lastID string
	retry  time.Duration // as the server asked, or 0
}

// maxEventID bounds an id, which goes back in a header, in bytes.
const maxEventID = 4 << 10

// note takes no id that cannot be sent back: what was noted before it is a
// position too.
func (s *streamPosition) note(e *sseEvent) {
	if e.id != "" && len(e.id) <= maxEventID && isFieldValue(e.id) {
		s.lastID = e.id
	}
	if e.retry > 0 {
		s.retry = e.retry
	}
}

// The delays between attempts to open a stream again.
const (
	firstDelay = time.Second
	minDelay   = 250 * time.Millisecond // whatever the server asks for
	maxDelay   = 30 * time.Second
)

// delay is how long to wait before attempt n, from 0: what the server asks for,
// and longer while nothing comes of it.
func (s *streamPosition) delay(n int) time.Duration {
	first := firstDelay
	if s.retry > 0 {
		first = max(s.retry, minDelay)
	}
	return max(first, min(first<<min(n, 10), maxDelay))
}

// discard closes an answer nobody needs. A small rest is read first, so that
// the connection can be used again; a rest of unknown length may never end.
func discard(resp *http.Response) {
	if resp.ContentLength > 0 && resp.ContentLength <= 4<<10 {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	_ = resp.Body.Close()
}

// pause is false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
