package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
)

// sseLink is HTTP+SSE (MCP 2024-11-05, basic/transports): one stream brings
// everything, and its first event names the URL that takes the POSTs. The
// stream is the session: its end is the end of the link.
type sseLink struct {
	httpCore
	// endpoint takes the POSTs. It is nil until the stream has named it, and
	// does not change afterwards.
	endpoint atomic.Pointer[url.URL]
}

// newSSELink prepares a link. Nothing is sent before the first handshake.
func newSSELink(spec Spec, hooks Hooks, log *slog.Logger) (*sseLink, error) {
	l := &sseLink{}
	if err := l.init(spec, hooks, log, l); err != nil {
		return nil, err
	}
	return l, nil
}

// greet opens the stream and makes the handshake. The probe for the stateless
// era, which is never found on SSE, would make some servers end the session.
func (l *sseLink) greet(ctx context.Context) (greeting, error) {
	if failure := l.open(ctx); failure != nil {
		if ctx.Err() != nil {
			return greeting{}, interrupted(ctx, StageConnect, "connect", failure.NotSent)
		}
		failure.Stage = StageConnect
		return greeting{}, failure
	}
	return l.httpCore.greet(ctx, EraStateful)
}

// open opens the stream and waits, no longer than ctx lasts, until it has named
// the endpoint. The stream itself lives as long as the link.
func (l *sseLink) open(ctx context.Context) *Error {
	streamCtx, cancel := context.WithCancel(l.ctx)
	stop := context.AfterFunc(ctx, cancel)
	resp, failure := l.send(streamCtx, outgoing{
		method: http.MethodGet, url: l.remote.url,
		// Compressors hold events back.
		header: http.Header{"Accept": {eventStream}, "Accept-Encoding": {"identity"}},
	})
	if failure != nil {
		cancel()
		return failure
	}
	events := newSSEReader(resp.Body, maxMessage)
	endpoint, failure := findEndpoint(resp, events, l.remote.redact)
	if failure == nil && !stop() {
		failure = interrupted(ctx, StageConnect, "connect", false)
	}
	if failure != nil {
		cancel()
		_ = resp.Body.Close()
		return failure
	}
	l.endpoint.Store(endpoint)
	l.spawn(func() {
		defer cancel()
		defer func() { _ = resp.Body.Close() }()
		for {
			event, err := events.next()
			if err != nil {
				break
			}
			l.takeEvent(&event)
		}
		l.fail(&Error{Code: CodeClosed, Message: "the server ended the event stream"})
	})
	return nil
}

// findEndpoint reads a stream up to its endpoint event. An endpoint elsewhere
// than the stream is refused: it would send the user's calls wherever a server
// likes.
func findEndpoint(resp *http.Response, events *sseReader, redact redactor) (*url.URL, *Error) {
	if !isEventStream(resp) {
		return nil, &Error{
			Code:    CodeProtocol,
			Message: fmt.Sprintf("no event stream here, but %q", resp.Header.Get("Content-Type")),
		}
	}
	for {
		event, err := events.next()
		if err != nil {
			return nil, &Error{
				Code: CodeProtocol, Err: err,
				Message: "the event stream ended before it named an endpoint: " + err.Error(),
			}
		}
		if event.name != "endpoint" {
			continue
		}
		target, err := resp.Request.URL.Parse(string(event.data))
		if err != nil || origin(target) != origin(resp.Request.URL) {
			return nil, &Error{
				Code: CodeProtocol, Err: err,
				Message: fmt.Sprintf("the server names an endpoint of another origin: %q", redact.excerpt(event.data)),
			}
		}
		return target, nil
	}
}

// negotiated implements httpWire: nothing depends on it.
func (l *sseLink) negotiated(greeting) {}

// compose implements httpWire.
func (l *sseLink) compose(e envelope) outgoing {
	return outgoing{
		method: http.MethodPost, url: l.endpoint.Load(), body: e.raw,
		header:     http.Header{"Content-Type": {"application/json"}},
		hadSession: true, // it is in the URL
	}
}

// exchange implements httpWire. The answer comes on the stream.
func (l *sseLink) exchange(ctx context.Context, p *posting) *Error {
	resp, failure := l.send(ctx, l.compose(p.frame))
	if failure == nil {
		discard(resp)
	}
	return failure
}

// learn implements httpWire.
func (l *sseLink) learn(*posting, json.RawMessage) {}

// cancels implements httpWire.
func (l *sseLink) cancels() bool { return false }

// leave implements httpWire. The answer to a POST is short, and comes at once.
func (l *sseLink) leave(p *posting) { p.release() }

// close implements link.
func (l *sseLink) close() { l.end(func(context.Context) {}) }
