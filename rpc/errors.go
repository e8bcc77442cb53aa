package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The one table of error codes. Standard JSON-RPC and LSP codes are negative,
// the sidecar's own are positive. The comment is the rule for when a code is
// used; PROTOCOL.md and Codes are generated from it.
const (
	CodeParseError     = -32700 // the body of a frame is not JSON; the id is null
	CodeInvalidRequest = -32600 // the message is no JSON-RPC 2.0 request, is too large, has an id that is not usable or is in flight, or initialize is repeated
	CodeMethodNotFound = -32601 // this sidecar does not answer the method: see methods in the answer to runtime/initialize
	CodeInvalidParams  = -32602 // a member of params is missing or has the wrong type or value; the message names it. If it is protocolVersion, data.supported has the versions that are
	CodeInternalError  = -32603 // the sidecar failed; its log says more
	CodeNotInitialized = -32002 // a request came before an accepted runtime/initialize
	CodeCancelled      = -32800 // the request was abandoned by $/cancelRequest
	CodeUnknownTool    = 1001   // no tool has this name; data.suggestions has up to three near ones, and data.reason, if it is there, why its server does not have it now
	CodeUnknownServer  = 1002   // no server has this name
	CodeAmbiguousTool  = 1003   // more than one tool fits; data.candidates has their names
	CodeUntrusted      = 1004   // the server comes from a project file that the user has not approved
	CodeAuthNeeded     = 1005   // the server wants the user to sign in: auth/login
	CodeShuttingDown   = 1006   // runtime/shutdown was accepted, or the sidecar is ending
	CodeOverloaded     = 1007   // too many requests wait already; try again later
	CodeNotPermitted   = 1008   // a guest of a shared session may not do this
	CodeServerFailed   = 1009   // the server or its connection failed; data.error says why, data.code and data.data are the server's own error if it sent one
)

// CodeInfo is one row of the table of error codes.
type CodeInfo struct {
	Code int
	// Name is a short stable word, "unknown-tool".
	Name string
	// When says when the code is used.
	When string
}

// Error is an error as the wire has it. Implementers of Sidecar return one,
// wrapped or not, to choose the code; any other error becomes
// CodeInternalError. When it is wrapped, the text of the whole chain is sent.
type Error struct {
	Code    int
	Message string
	// Data is encoded with encoding/json and left out when nil.
	Data any
}

func (e *Error) Error() string { return e.Message }

// Is reports whether target is an *Error of the same code, so that
// errors.Is(err, ErrShuttingDown()) asks about the code alone.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Code == e.Code
}

type unknownToolData struct {
	Suggestions []string `json:"suggestions"`
	Reason      string   `json:"reason,omitempty"`
}

type candidateData struct {
	Candidates []string `json:"candidates"`
}

// maxSuggestions is how many near names an unknown tool is answered with.
const maxSuggestions = 3

// ErrUnknownTool is for a tool that is not listed; only the first three
// suggestions are sent. reason says why its server does not have it now, "" for
// nothing.
func ErrUnknownTool(name, reason string, suggestions []string) *Error {
	e := &Error{Code: CodeUnknownTool, Message: fmt.Sprintf("unknown tool %q", name)}
	if reason != "" {
		e.Message += ": " + reason
	}
	if len(suggestions) > maxSuggestions {
		suggestions = suggestions[:maxSuggestions]
	}
	if len(suggestions) > 0 {
		e.Message += "; did you mean " + strings.Join(suggestions, ", ") + "?"
	}
	e.Data = unknownToolData{append([]string{}, suggestions...), reason}
	return e
}

// ErrUnknownServer is for a server that is not configured.
func ErrUnknownServer(name string) *Error {
	return &Error{Code: CodeUnknownServer, Message: fmt.Sprintf("unknown server %q", name)}
}

// ErrAmbiguousTool is for a description that fits several tools.
func ErrAmbiguousTool(name string, candidates []string) *Error {
	return &Error{
		Code:    CodeAmbiguousTool,
		Message: fmt.Sprintf("tool %q is ambiguous: %s", name, strings.Join(candidates, ", ")),
		Data:    candidateData{append([]string{}, candidates...)},
	}
}

// ErrUntrusted is for a project server that was not approved.
func ErrUntrusted(server string) *Error {
	return &Error{
		Code: CodeUntrusted, Message: fmt.Sprintf("server %q is not trusted: it is from a file of the project", server),
	}
}

// ErrAuthNeeded is for a server that wants the user to sign in.
func ErrAuthNeeded(server string) *Error {
	return &Error{Code: CodeAuthNeeded, Message: fmt.Sprintf("server %q needs authentication", server)}
}

// ErrShuttingDown is for work that ends, or is not begun, because the sidecar
// ends.
func ErrShuttingDown() *Error {
	return &Error{Code: CodeShuttingDown, Message: "the sidecar is shutting down"}
}

// ErrOverloaded says what has no room for more.
func ErrOverloaded(what string) *Error {
	return &Error{Code: CodeOverloaded, Message: what + ": too many requests are waiting"}
}

// ErrNotPermitted is for a method that only the owner of a session may use.
func ErrNotPermitted(method string) *Error {
	return &Error{Code: CodeNotPermitted, Message: method + " is not permitted to a guest of the session"}
}

type failureData struct {
	Error *ServerError    `json:"error"`
	Code  *int            `json:"code,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// ErrServerFailed is for what is relayed to a server and fails there or on the
// way. A failed tools/call is a result instead. code and data are those of the
// server's own error; nil if it sent none.
func ErrServerFailed(cause *ServerError, code *int, data json.RawMessage) *Error {
	return &Error{Code: CodeServerFailed, Message: cause.Message, Data: failureData{cause, code, data}}
}

// ErrInvalidParams names the member of params and says what is wrong with it.
func ErrInvalidParams(member, reason string) *Error {
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("invalid params: %s: %s", member, reason)}
}

// ErrInternal is for an invariant that does not hold.
func ErrInternal(message string) *Error {
	return &Error{Code: CodeInternalError, Message: message}
}

func errParse(reason string) *Error {
	return &Error{Code: CodeParseError, Message: "the message is not JSON: " + reason}
}

func errInvalidRequest(reason string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: reason}
}

func errMethodNotFound(method string) *Error {
	if slices.Contains(requestMethods(), method) {
		return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("method %q is not answered by this version; methods in the answer to %s has those that are", method, MethodInitialize)}
	}
	return &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("unknown method %q", brief(method))}
}

func errNotInitialized(method string) *Error {
	return &Error{Code: CodeNotInitialized, Message: brief(method) + " came before an accepted " + MethodInitialize}
}

func errCancelled() *Error {
	return &Error{Code: CodeCancelled, Message: "cancelled"}
}

type versionData struct {
	Supported []int `json:"supported"`
}

func errVersion(host int) *Error {
	reason := fmt.Sprintf("the host speaks version %d, this sidecar version %d", host, ProtocolVersion)
	if host == 0 {
		reason = fmt.Sprintf("it is missing; this sidecar speaks version %d", ProtocolVersion)
	}
	e := ErrInvalidParams("protocolVersion", reason)
	e.Data = versionData{[]int{ProtocolVersion}}
	return e
}

// toWire is the one mapping of errors to the wire. ctx is the context of the
// request: an error that only says that it ended becomes the cause of its end.
func toWire(ctx context.Context, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{Code: e.Code, Message: err.Error(), Data: e.Data}
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && errors.As(context.Cause(ctx), &e) {
		return e
	}
	return &Error{Code: CodeInternalError, Message: err.Error()}
}
