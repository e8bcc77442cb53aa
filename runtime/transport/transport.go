// Package transport reaches MCP servers: it turns a Spec into a connected
// Session, over a child process, streamable HTTP or SSE, in either protocol
// era, and carries tool calls past the SDK byte for byte.
//
// It owns processes and connections and nothing else: no retries, no state
// machine, no configuration. It imports neither runtime nor its other leaves.
package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Kind is how a server is reached.
type Kind string

// The kinds.
const (
	Stdio Kind = "stdio" // a child process
	HTTP  Kind = "http"  // streamable HTTP; tries SSE when the endpoint is not streamable
	SSE   Kind = "sse"   // HTTP+SSE of MCP 2024-11-05
)

// Era is the handshake a server speaks.
type Era string

// The eras. The zero value means: find out.
const (
	EraUnknown   Era = ""
	EraStateful  Era = "2025-11-25" // initialize, then a session
	EraStateless Era = "2026-07-28" // server/discover, every request on its own
)

// Spec is one server with everything expanded: what is here is used as it is.
type Spec struct {
	Name string
	Kind Kind

	// Stdio.
	Command string
	Args    []string
	Env     []string // the whole environment of the child, "K=V"
	Dir     string

	// HTTP and SSE. Headers go to the origin of URL only, and redirects to another
	// are not followed.
	URL     string
	Headers http.Header

	// Era as remembered from the last connection.
	Era Era
	// Shutdown bounds Close, from closing stdin to the last SIGKILL; 0 means 2 s.
	Shutdown time.Duration
	// ClientName and ClientVersion introduce us to the server.
	ClientName    string
	ClientVersion string

	// Redact takes the secrets out of what is for people: the texts of errors and
	// of Hooks, and the messages of progress. It is given text before anything is
	// cut off, may be given the same text twice, and must be safe for concurrent
	// use. Nil means that there are none.
	Redact func(string) string
}

// defaultShutdown is Spec.Shutdown where none is given.
const defaultShutdown = 2 * time.Second

func (s *Spec) shutdown() time.Duration {
	if s.Shutdown > 0 {
		return s.Shutdown
	}
	return defaultShutdown
}

// Hooks are how a connection reports while it lives. They are called from the
// connection's own goroutines, in wire order, and must not block. A nil hook is
// not called.
type Hooks struct {
	// Stage reports progress of Dial: StageInitialize when the process runs or
	// the URL answers, before the handshake.
	Stage func(Stage)
	// ToolsChanged: the server sent notifications/tools/list_changed (or lost
	// and regained the stream on which it would have).
	ToolsChanged func()
	// Log: the server sent notifications/message.
	Log func(level, text string)
	// Stderr: the process wrote a line there.
	Stderr func(line string)
	// Noise: the process wrote something to stdout that is no JSON-RPC message
	// (already shortened).
	Noise func(text string)
}

// Stage is where an error arose.
type Stage string

// The stages, in the order of a connection's life.
const (
	StageSpawn      Stage = "spawn"
	StageConnect    Stage = "connect"
	StageInitialize Stage = "initialize"
	StageList       Stage = "list"
	StageCall       Stage = "call"
	StageTransport  Stage = "transport"
)

// Code classifies an error for those who must act on it.
type Code string

// The codes.
const (
	CodeNotFound Code = "not-found" // the command does not exist
	CodeSpawn    Code = "spawn"     // it exists but could not be started
	CodeExited   Code = "exited"    // the process ended
	CodeTimeout  Code = "timeout"   // no answer in time
	CodeRefused  Code = "refused"   // nobody listens, or the host is unknown
	CodeHTTP     Code = "http"      // an HTTP status that is no success
	CodeProtocol Code = "protocol"  // the peer broke MCP or JSON-RPC, or answered with an error
	CodeAuth     Code = "auth"      // 401, or 403 asking for more
	CodeClosed   Code = "closed"    // the connection was closed
	CodeTooLarge Code = "too-large" // a message over the limit; the text names both sizes
)

// Error is every failure this package reports.
type Error struct {
	Code    Code
	Stage   Stage
	Message string // names the operation and the cause, not the server
	Hint    string // the likely fix, or ""
	Stderr  []string
	// NotSent: the request provably did not reach the server.
	NotSent bool
	// Lasting: the next attempt fails in the same way, until somebody changes
	// something.
	Lasting bool
	Err     error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Info is what the handshake told.
type Info struct {
	ProtocolVersion string
	Era             Era
	Kind            Kind            // what it turned out to be: SSE after a fallback
	ServerInfo      json.RawMessage // the server's own object, or nil
	Instructions    string
	PID             int // 0 for remote servers
}

// Call is one tools/call.
type Call struct {
	Tool      string
	Arguments json.RawMessage // an object; nil is sent as {}
	// Progress is called for each notifications/progress of this call, in wire
	// order, all of them before Call returns. It must not block. May be nil.
	Progress func(Progress)
}

// Progress is one notifications/progress, in the server's own numbers.
type Progress struct {
	Progress, Total json.RawMessage // Total may be nil
	Message         string
}

// RPCError is a JSON-RPC error a server answered with.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error implements error.
func (e *RPCError) Error() string { return e.Message }

// ErrSessionLost is the cause of an Error when a remote server has forgotten
// the session: reconnecting will help.
var ErrSessionLost = errors.New("the server has forgotten the session")

// Session is one live connection. All methods may be called concurrently.
type Session interface {
	Info() Info
	// ListTools returns every tool definition verbatim, all pages. A cursor seen
	// before ends the list. A server without tools (-32601) has none.
	ListTools(ctx context.Context) ([]json.RawMessage, error)
	// Call runs a tool and returns the result's bytes. The end of ctx ends it at
	// once, whatever the server does, with ctx's cause; the server is sent
	// notifications/cancelled with that cause as its reason.
	// A JSON-RPC error from the server is an *Error wrapping an *RPCError. When the
	// connection was lost, Done is closed before it returns.
	Call(ctx context.Context, c Call) (json.RawMessage, error)
	// Done is closed when the connection is unusable; Err then says why.
	Done() <-chan struct{}
	Err() error
	// Close ends the connection and everything it started, within
	// Spec.Shutdown: calls in flight fail with CodeClosed, the process tree is
	// gone when it returns. It may be called more than once; all wait.
	Close()
}

// Dialer connects servers. One is shared by all servers of a sidecar, since
// they share the guard.
type Dialer struct {
	Guard *Guard       // nil: nothing guards against our being killed
	Log   *slog.Logger // nil: nothing is logged

	login loginPath
}
