package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// maxRedirects bounds a chain of redirections.
const maxRedirects = 10

// remote is the way to one URL: a client of its own, so that closing it closes
// every connection it made and nobody else's.
type remote struct {
	url    *url.URL
	client *http.Client
	base   *http.Transport
	agent  string // the User-Agent
	redact redactor
}

// newRemote checks the URL of a spec and prepares a client for it. Nothing is
// sent.
func newRemote(spec Spec) (*remote, error) {
	target, err := url.Parse(spec.URL)
	if err != nil {
		return nil, &Error{Code: CodeProtocol, Stage: StageConnect, Message: "invalid URL: " + err.Error(), NotSent: true, Err: err}
	}
	switch {
	case target.Scheme == "unix":
		return nil, &Error{
			Code: CodeProtocol, Stage: StageConnect, NotSent: true,
			Message: "unix:// URLs are not supported",
			Hint:    "let the server listen on http://127.0.0.1:<port>, or start it as a command",
		}
	case target.Scheme != "http" && target.Scheme != "https":
		return nil, &Error{
			Code: CodeProtocol, Stage: StageConnect, NotSent: true,
			Message: fmt.Sprintf("URL scheme %q is not supported", target.Scheme),
			Hint:    "use an http:// or https:// URL",
		}
	case target.Host == "":
		return nil, &Error{Code: CodeProtocol, Stage: StageConnect, Message: "the URL names no host", NotSent: true}
	}
	base := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 15 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64, // as many as calls run at once
		IdleConnTimeout:     90 * time.Second,
		// A connection on which a stream waits for hours must notice that the
		// other side is gone.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		// No ResponseHeaderTimeout: a tool may work for an hour before its answer
		// begins.
	}
	client := &http.Client{
		Transport:     &originHeaders{next: base, origin: origin(target), headers: spec.Headers.Clone()},
		CheckRedirect: checkRedirect,
	}
	me := spec.identity()
	return &remote{url: target, client: client, base: base, agent: me.name + "/" + me.version, redact: spec.Redact}, nil
}

// close closes the connections that carry no request. Those that do are closed
// with their request.
func (r *remote) close() { r.base.CloseIdleConnections() }

// originHeaders adds the configured headers to requests for the configured
// origin, and to no others, wherever a redirect or an SSE endpoint event leads.
type originHeaders struct {
	next    http.RoundTripper
	origin  string
	headers http.Header
}

// RoundTrip implements http.RoundTripper.
func (o *originHeaders) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(o.headers) == 0 || origin(req.URL) != o.origin {
		return o.next.RoundTrip(req)
	}
	own := *req // a RoundTripper must not change its request
	own.Header = req.Header.Clone()
	for name, values := range o.headers {
		name = http.CanonicalHeaderKey(name)
		if name == "Host" && len(values) > 0 {
			own.Host = values[0]
			continue
		}
		own.Header[name] = values
	}
	return o.next.RoundTrip(&own)
}

// origin is scheme, host and port, in one form for equal origins (RFC 6454).
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// redirectError is why a redirection was not followed.
type redirectError string

// Error implements error.
func (e redirectError) Error() string { return string(e) }

// elsewhereError is a redirection to another origin: the URL, without what may
// be secret in it.
type elsewhereError string

// Error implements error.
func (e elsewhereError) Error() string {
	return "redirected to " + string(e) + ", which is another origin"
}

// checkRedirect follows what keeps the meaning of a request. The client repeats
// method and body on 307 and 308, and turns a POST into a GET on the others,
// which is no answer to a POST. Another origin than the one the user has named
// gets neither calls nor session ids, also not by way of an SSE stream, whose
// server says where calls go.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return redirectError(fmt.Sprintf("redirected more than %d times", maxRedirects))
	case req.Method != first.Method:
		return http.ErrUseLastResponse
	case origin(req.URL) != origin(first.URL):
		return elsewhereError(origin(req.URL) + req.URL.EscapedPath())
	}
	return nil
}

// outgoing is one HTTP request.
type outgoing struct {
	method     string // of HTTP
	url        *url.URL
	header     http.Header
	body       []byte
	hadSession bool // the request names a session
	greeted    bool // it comes after the handshake
}

// send makes one request and returns its answer if the status is a success.
func (r *remote) send(ctx context.Context, out outgoing) (*http.Response, *Error) {
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	var body io.Reader
	if out.body != nil {
		body = bytes.NewReader(out.body)
	}
	req, err := http.NewRequestWithContext(traced, out.method, out.url.String(), body)
	if err != nil {
		return nil, &Error{Code: CodeProtocol, Message: err.Error(), NotSent: true, Err: err}
	}
	req.Header["User-Agent"] = []string{r.agent}
	maps.Copy(req.Header, out.header)
	resp, err := r.client.Do(req)
	if err != nil {
		failure := sendError(err, out.url.Host, connected.Load())
		failure.Message = r.redact.text(failure.Message)
		return nil, failure
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, answerError(resp, out, r.redact)
	}
	return resp, nil
}

// readBody reads a whole body, up to limit bytes, and closes it.
func readBody(resp *http.Response, limit int64) ([]byte, *Error) {
	defer func() { _ = resp.Body.Close() }()
	if resp.ContentLength > limit {
		return nil, tooLarge(resp.ContentLength, limit, false)
	}
	var buf bytes.Buffer
	if resp.ContentLength > 0 {
		buf.Grow(int(min(resp.ContentLength, maxBelieved)) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, limit+1))
	if err == nil && n > limit {
		var rest int64
		rest, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxCounted-n))
		return nil, tooLarge(n+rest, limit, err != nil || n+rest == maxCounted)
	}
	if err != nil {
		return nil, &Error{Code: CodeClosed, Message: "the answer broke off: " + err.Error(), Err: err}
	}
	return buf.Bytes(), nil
}

// maxBelieved bounds the memory a body is given for the length its header says,
// in bytes: the rest comes with the body.
const maxBelieved = 1 << 20

// maxCounted bounds how far a body over the limit is read to learn its size, in
// bytes.
const maxCounted = 1 << 30

const eventStream = "text/event-stream"

// isEventStream tells by the type, which may carry parameters.
func isEventStream(resp *http.Response) bool {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && media == eventStream
}
