package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpLink is streamable HTTP of both eras (MCP 2025-11-25 and 2026-07-28,
// basic/transports): an answer comes on its own POST, as a body or an event
// stream (http_answer.go). In the stateful era the server also has a stream of
// its own (http_listen.go).
type httpLink struct {
	httpCore

	// session is as the server named it, nil for none.
	session atomic.Pointer[string]
	// agreed is what the handshake decided, nil before.
	agreed atomic.Pointer[greeting]
	// headers are the arguments that tools want in headers too, never nil.
	headers atomic.Pointer[paramHeaders]
	// plainName: the server compares Mcp-Name undecoded.
	plainName atomic.Bool
	// listening: the server's own stream is open.
	listening atomic.Bool
}

// newHTTPLink prepares a link. Nothing is sent before greet.
func newHTTPLink(spec Spec, hooks Hooks, log *slog.Logger) (*httpLink, error) {
	l := &httpLink{}
	if err := l.init(spec, hooks, log, l); err != nil {
		return nil, err
	}
	l.headers.Store(&paramHeaders{})
	return l, nil
}

// greet makes the handshake, and begins to listen in the stateful era.
func (l *httpLink) greet(ctx context.Context, era Era) (greeting, error) {
	g, err := l.httpCore.greet(ctx, era)
	if err == nil && g.era == EraStateful {
		l.spawn(l.listen)
	}
	return g, err
}

// negotiated implements httpWire.
func (l *httpLink) negotiated(g greeting) {
	l.agreed.Store(&g)
	if g.era == EraStateless {
		l.session.Store(nil) // of an initialize that crossed a late discovery
	}
}

// cancels implements httpWire: in the stateless era a request lives as long as
// its POST.
func (l *httpLink) cancels() bool {
	g := l.agreed.Load()
	return g != nil && g.era == EraStateless
}

// leave implements httpWire. The POST would last as long as the request.
func (l *httpLink) leave(p *posting) { p.cancel() }

// compose implements httpWire.
func (l *httpLink) compose(e envelope) outgoing {
	out := l.outgoing(http.MethodPost)
	out.body = e.raw
	out.header["Content-Type"] = []string{"application/json"}
	out.header["Accept"] = []string{"application/json, text/event-stream"}
	version := l.versionOf(e)
	if version == "" {
		return out
	}
	out.header[headerVersion] = []string{version}
	if version >= string(EraStateless) && e.method != nil {
		own := statelessHeaders(e.name(), e.params, *l.headers.Load(), l.plainName.Load())
		maps.Copy(out.header, own)
	}
	return out
}

// outgoing is a request with the headers of the session.
func (l *httpLink) outgoing(method string) outgoing {
	header := http.Header{}
	session, g := l.session.Load(), l.agreed.Load()
	if session != nil {
		header[headerSession] = []string{*session}
	}
	if g != nil {
		header[headerVersion] = []string{g.version}
	}
	return outgoing{method: method, url: l.remote.url, header: header, hadSession: session != nil, greeted: g != nil}
}

// versionOf is the protocol version of a message. Before it is negotiated, only
// the probe names one.
func (l *httpLink) versionOf(e envelope) string {
	if g := l.agreed.Load(); g != nil {
		return g.version
	}
	var params struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(e.params, &params) // a version of another kind is none
	return params.Meta.Version
}

// exchange implements httpWire.
func (l *httpLink) exchange(ctx context.Context, p *posting) *Error {
	resp, failure := l.send(ctx, l.compose(p.frame))
	if failure != nil && l.refusesName(p, failure) {
		l.plainName.Store(true)
		resp, failure = l.send(ctx, l.compose(p.frame))
	}
	if failure != nil {
		return failure
	}
	p.accepted = true
	if id := resp.Header.Get(headerSession); id != "" && p.method == "initialize" {
		l.session.Store(&id)
	}
	if isEventStream(resp) {
		return l.readStreams(ctx, p, resp)
	}
	return l.readWhole(p, resp)
}

// refusesName: the server found that the header, in the encoded form the
// specification wants, contradicts the body. It has not looked at the request.
func (l *httpLink) refusesName(p *posting, failure *Error) bool {
	var refusal *RPCError
	if !errors.As(failure, &refusal) || refusal.Code != mcp.CodeHeaderMismatch || l.plainName.Load() {
		return false
	}
	name := headerNameOf(p.method, p.frame.params)
	return headerValue(name) != name && isFieldValue(name)
}

// learn implements httpWire: what tools want in headers.
func (l *httpLink) learn(p *posting, result json.RawMessage) {
	if p.method == "tools/list" && l.cancels() {
		learned := l.headers.Load().learn(result)
		l.headers.Store(&learned)
	}
}

// close implements link.
func (l *httpLink) close() {
	l.end(func(ctx context.Context) {
		out := l.outgoing(http.MethodDelete)
		if !out.hadSession {
			return
		}
		resp, failure := l.send(ctx, out)
		if failure != nil { // 405 from servers that do not care
			l.log.Debug("the session was not ended", "error", failure)
			return
		}
		discard(resp)
	})
}
