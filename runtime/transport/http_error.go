package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// HTTPError is an answer whose status is no success. An *Error wraps it.
type HTTPError struct {
	Status int
	// Body is the beginning of the answer's text, on one line.
	Body string
	// RetryAfter is how long the server asked to be left alone, or 0.
	RetryAfter time.Duration
	// Challenge are the WWW-Authenticate headers.
	Challenge []string
}

// maxErrorBody bounds what is read of the body of a failure, in bytes.
const maxErrorBody = 1 << 20

// maxExcerpt bounds what is shown of it, in bytes.
const maxExcerpt = 300

// Error implements error.
func (e *HTTPError) Error() string {
	text := fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status))
	text = strings.TrimRight(text, " ")
	if e.Body != "" {
		text += ": " + e.Body
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf(" (asks to retry after %s)", e.RetryAfter)
	}
	return text
}

// answerError turns an answer that is no success into an *Error and closes its
// body. The error has no stage: who waits for it knows that (during).
func answerError(resp *http.Response, to outgoing, redact redactor) *Error {
	var body []byte
	if resp.StatusCode != http.StatusSwitchingProtocols { // it is the bare connection, which outlives the request
		body, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	}
	_ = resp.Body.Close()
	failure := &HTTPError{
		Status:     resp.StatusCode,
		Body:       redact.excerpt(body),
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
		Challenge:  resp.Header.Values("Www-Authenticate"),
	}
	rpc := errorBody(body)
	if rpc != nil {
		rpc = redact.refusal(rpc)
	}
	switch {
	case asksForAuth(failure):
		return &Error{Code: CodeAuth, Message: failure.Error(), Err: failure}
	case namesLostSession(resp.StatusCode, to, body, rpc):
		return &Error{
			Code: CodeClosed, Message: ErrSessionLost.Error() + ": " + failure.Error(),
			Err: errors.Join(ErrSessionLost, failure),
		}
	case rpc != nil:
		return &Error{Code: CodeProtocol, Message: rpc.Message, Err: errors.Join(rpc, failure)}
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "":
		return &Error{
			Code: CodeHTTP, Err: failure,
			Message: redact.text(fmt.Sprintf("%s: redirected to %s", failure, resp.Header.Get("Location"))),
			Hint:    "configure the URL it redirects to",
		}
	}
	e := &Error{Code: CodeHTTP, Message: failure.Error(), Err: failure}
	if resp.StatusCode >= 500 {
		e.Hint = "the server itself fails: see its log"
	}
	return e
}

// asksForAuth: 403 without a challenge is no question of signing in, such as
// that of a server which refuses the Host header.
func asksForAuth(e *HTTPError) bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden && len(e.Challenge) > 0
}

// namesLostSession: 404 is how a server says that it does not know a session
// (MCP 2025-11-25, basic/transports, session management). Some say it by a 400
// with words, as all do that want a session where there was none: a server that
// was started again as another kind.
func namesLostSession(status int, to outgoing, body []byte, rpc *RPCError) bool {
	switch status {
	case http.StatusNotFound:
		return to.hadSession && (rpc == nil || rpc.Code != jsonrpc.CodeMethodNotFound)
	case http.StatusBadRequest:
		if rpc != nil && (rpc.Code == jsonrpc.CodeMethodNotFound || rpc.Code == jsonrpc.CodeInvalidParams) {
			return false
		}
		return (to.hadSession || to.greeted) && lostSession.Match(body[:min(len(body), 1<<10)])
	}
	return false
}

// lostSession are the words for it, of servers in many languages. The word
// session alone may be about an argument.
var lostSession = regexp.MustCompile(`(?i)` +
	`\b(no|invalid|expired|unknown|missing|requires|find)\b(\W+\w+)?\W+(mcp-)?session([ -]?id)?\b` +
	`|\bsession([ -]?id)?\b[^.\n]{0,80}\b(not found|invalid|expired|unknown|missing|required|must be provided|terminated|closed)\b` +
	`|\bsession initialization\b|\bserver not initialized\b`)

// errorBody is the JSON-RPC error that a body holds, or nil.
func errorBody(body []byte) *RPCError {
	var message struct {
		JSONRPC string          `json:"jsonrpc"`
		Error   json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(body, &message) // a page, or any other text, has none of them
	if message.JSONRPC != "2.0" || message.Error == nil || string(message.Error) == "null" {
		return nil
	}
	return parseRPCError(message.Error)
}

// sendError turns what http.Client.Do failed with, for a host, into an *Error.
// connected: a connection was there, so that the request may have reached the
// server. The error has no stage either.
func sendError(err error, host string, connected bool) *Error {
	failure := &Error{Code: CodeClosed, NotSent: !connected, Err: err}
	if !connected {
		failure.Code = CodeRefused
	}
	var (
		wrapped *url.Error
		dns     *net.DNSError
		network *net.OpError
		cert    *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		moved   redirectError
		away    elsewhereError
	)
	cause := err
	if errors.As(err, &wrapped) {
		cause = wrapped.Err // its URL is where a redirection led, as the server wrote it
	}
	failure.Message = fmt.Sprintf("cannot reach %s: %v", host, cause)
	switch {
	case errors.As(err, &moved):
		failure.Code = CodeHTTP
		failure.Message = fmt.Sprintf("%s: %s", host, moved)
	case errors.As(err, &away):
		failure.Code = CodeHTTP
		failure.Message = fmt.Sprintf("%s: %s", host, away)
		failure.Hint = "configure the URL " + string(away)
	case errors.Is(err, context.DeadlineExceeded), isTimeout(cause):
		failure.Code = CodeTimeout
		failure.Message = fmt.Sprintf("no answer from %s in time: %v", host, cause)
	case errors.As(err, &dns):
		failure.Message = fmt.Sprintf("cannot reach %s: unknown host %q", host, dns.Name)
		failure.Hint = "check the URL and the network (a proxy is taken from HTTPS_PROXY)"
	case errors.Is(err, syscall.ECONNREFUSED):
		failure.Message = fmt.Sprintf("cannot reach %s: connection refused", host)
		failure.Hint = "start the server, or check the port"
	case errors.Is(err, http.ErrSchemeMismatch):
		failure.Code = CodeRefused
		failure.Message = fmt.Sprintf("cannot reach %s: it does not speak TLS", host)
		failure.Hint = "use an http:// URL"
	case errors.As(err, &unknown):
		failure.Message = fmt.Sprintf("cannot reach %s: its certificate is signed by an unknown authority", host)
		failure.Hint = "install the authority's certificate, or point SSL_CERT_FILE at it"
	case errors.As(err, &cert):
		failure.Message = fmt.Sprintf("cannot reach %s: its certificate is not accepted: %v", host, cert.Err)
	case connected:
		failure.Message = fmt.Sprintf("%s closed the connection before it answered: %v", host, cause)
	case errors.As(err, &network):
		failure.Message = fmt.Sprintf("cannot reach %s: %v", host, network.Err)
	}
	return failure
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// maxRetryAfter is more than anybody waits for.
const maxRetryAfter = math.MaxInt32 * time.Second

// retryAfter reads RFC 9110, section 10.2.3: seconds or a date. Where it is
// longer than maxRetryAfter, nothing was asked for.
func retryAfter(value string, now time.Time) time.Duration {
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		if wait := date.Sub(now).Round(time.Second); wait > 0 && wait <= maxRetryAfter {
			return wait
		}
	}
	return 0
}
