package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkTime bounds the wait for the SDK after its connection has been closed. It
// is done at once, unless one of its own calls hangs.
const sdkTime = time.Second

// session is a Session over any link.
type session struct {
	// These do not change.
	link   link
	info   Info
	sdk    *mcp.ClientSession
	redact redactor

	// running counts watch and subscribe, which end with the link or the SDK's
	// side of it; Close waits for them.
	running   sync.WaitGroup
	closeOnce sync.Once
	ended     chan struct{} // closed by watch
	sdkOver   chan struct{} // closed when nothing waits for the SDK any more
	failure   error         // set before ended is closed
}

// Dial connects one server. It returns soon after ctx ends; the end of ctx
// after that means nothing to the session. When it fails, nothing is left of
// what it started.
func (d *Dialer) Dial(ctx context.Context, spec Spec, hooks Hooks) (Session, error) {
	if ctx.Err() != nil {
		return nil, interrupted(ctx, StageConnect, "connect", true)
	}
	dial := d.dialHTTP
	if spec.Kind == Stdio {
		dial = d.dialStdio
	}
	s, err := dial(ctx, spec, hooks)
	return s, redactor(spec.Redact).failure(err)
}

// connect makes the session of a link that has been greeted, and takes the link
// over: it is closed on failure. The SDK's own handshake does not leave the
// process (sdkConn), so that no server can hold it up.
func connect(ctx context.Context, spec Spec, hooks Hooks, l link, g greeting) (Session, error) {
	sdk, err := newClient(&spec).Connect(ctx, l.transport(), &mcp.ClientSessionOptions{ProtocolVersion: string(g.era)})
	if err != nil {
		failure := connectError(ctx, l, err)
		l.close()
		return nil, failure
	}
	s := &session{link: l, sdk: sdk, redact: spec.Redact, info: describe(spec.Kind, l.pid(), g), ended: make(chan struct{}), sdkOver: make(chan struct{})}
	living, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() {
		defer cancel()
		s.watch()
	})
	if g.era == EraStateless && hooks.ToolsChanged != nil && tellsListChanges(g.result) {
		s.running.Go(func() { s.subscribe(living, hooks.ToolsChanged) })
	}
	return s, nil
}

// newClient makes the SDK's client, one for each server.
func newClient(spec *Spec) *mcp.Client {
	me := spec.identity()
	return mcp.NewClient(&mcp.Implementation{Name: me.name, Version: me.version}, &mcp.ClientOptions{
		Logger: slog.New(slog.DiscardHandler),
		// What declaredCapabilities says. nil would mean roots.
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
}

// connectError is the error of the SDK's Connect in our terms.
func connectError(ctx context.Context, l link, err error) *Error {
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, StageInitialize, "initialize", false)
	case l.err() != nil:
		return during(l.err(), StageInitialize, "initialize", false)
	default:
		return &Error{Code: CodeProtocol, Stage: StageInitialize, Message: "initialize: " + err.Error(), Err: err}
	}
}

// describe is what the handshake told.
func describe(kind Kind, pid int, g greeting) Info {
	info := Info{ProtocolVersion: g.version, Era: g.era, Kind: kind, PID: pid}
	var members struct {
		ServerInfo, Instructions json.RawMessage
		Meta                     map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(g.result, &members) // what is of another shape is left out
	info.ServerInfo = members.ServerInfo
	if inMeta := members.Meta[mcp.MetaKeyServerInfo]; g.era == EraStateless && inMeta != nil {
		info.ServerInfo = inMeta
	}
	if string(info.ServerInfo) == "null" {
		info.ServerInfo = nil
	}
	// Instructions that are no text are none.
	_ = json.Unmarshal(members.Instructions, &info.Instructions)
	return info
}

// tellsListChanges is capabilities.tools.listChanged.
func tellsListChanges(raw json.RawMessage) bool {
	var members struct {
		Capabilities struct {
			Tools struct{ ListChanged bool }
		}
	}
	return json.Unmarshal(raw, &members) == nil && members.Capabilities.Tools.ListChanged
}

// watch ends the session when its link or the SDK's side of it has ended.
func (s *session) watch() {
	sdk := make(chan error, 1)
	go func() { // ends with the SDK's connection, as the link does: Close waits for it
		sdk <- s.sdk.Wait()
		close(s.sdkOver)
	}()
	select {
	case <-s.link.done():
		s.failure = s.link.err()
	case err := <-sdk:
		if s.failure = s.link.err(); s.failure == nil {
			s.failure = &Error{Code: CodeClosed, Stage: StageTransport, Message: "the connection has ended", Err: err}
		}
	}
	s.failure = s.redact.failure(s.failure)
	close(s.ended)
}

// Info implements Session.
func (s *session) Info() Info { return s.info }

// Call implements Session.
func (s *session) Call(ctx context.Context, c Call) (json.RawMessage, error) {
	result, err := s.link.call(ctx, c)
	if err != nil && (s.link.err() != nil || errors.Is(err, io.ErrClosedPipe)) { // the link ends then
		select {
		case <-s.ended:
		case <-ctx.Done():
		}
	}
	return result, s.redact.failure(err)
}

// Done implements Session.
func (s *session) Done() <-chan struct{} { return s.ended }

// Err implements Session.
func (s *session) Err() error {
	select {
	case <-s.ended:
		return s.failure
	default:
		return nil
	}
}

// Close implements Session.
func (s *session) Close() {
	s.closeOnce.Do(func() {
		s.link.close()
		closed := make(chan struct{})
		go func() { // ends with the SDK's handlers, whose connection is gone
			// What remains to be reported is in failure.
			_ = s.sdk.Close()
			<-s.sdkOver
			close(closed)
		}()
		limit := time.NewTimer(sdkTime)
		defer limit.Stop()
		select {
		case <-closed:
		case <-limit.C:
		}
		s.running.Wait()
	})
}
