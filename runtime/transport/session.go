package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkTime bounds the wait for the SDK after its connection has been closed. It
// is done at once, unless one of its own calls hangs.
const sdkTime = time.Second

// session is a Session over any link.
type session struct {
	link link
	info Info
	log  *slog.Logger
	sdk  *mcp.ClientSession

	closing   context.Context // ends with Close; the goroutines below end with it
	cancel    context.CancelFunc
	running   sync.WaitGroup
	closeOnce sync.Once
	ended     chan struct{} // closed by watch
	failure   error         // set before ended is closed
}

// Dial connects one server. It returns soon after ctx ends; the end of ctx
// after that means nothing to the session. When it fails, nothing is left of
// what it started.
func (d *Dialer) Dial(ctx context.Context, spec Spec, hooks Hooks) (Session, error) {
	if ctx.Err() != nil {
		return nil, interrupted(ctx, StageConnect, "connect", true)
	}
	if spec.Kind == Stdio {
		return d.dialStdio(ctx, spec, hooks)
	}
	return d.dialHTTP(ctx, spec, hooks)
}

// connect lets the SDK make its handshake over the link, in the era that
// version belongs to, and takes the link over: it is closed on failure.
func connect(ctx context.Context, spec Spec, hooks Hooks, l link, version string) (*session, error) {
	s := &session{link: l, ended: make(chan struct{})}
	s.closing, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	resubscribed := make(chan struct{}, 1)
	raw, err := s.handshake(ctx, newClient(&spec, resubscribed), version)
	if err != nil {
		s.cancel()
		l.close()
		return nil, err
	}
	s.info = describe(spec.Kind, l.pid(), s.sdk.InitializeResult(), raw)
	l.negotiated(s.info)
	s.running.Go(s.watch)
	if s.info.Era == EraStateless && hooks.ToolsChanged != nil && tellsListChanges(raw) {
		s.running.Go(func() { s.subscribe(hooks.ToolsChanged, resubscribed) })
	}
	return s, nil
}

// newClient makes the SDK's client, one for each server. subscribed is poked
// when the server confirms a subscription.
func newClient(spec *Spec, subscribed chan<- struct{}) *mcp.Client {
	me := spec.identity()
	client := mcp.NewClient(&mcp.Implementation{Name: me.name, Version: me.version}, &mcp.ClientOptions{
		Logger: slog.New(slog.DiscardHandler),
		// What declaredCapabilities says. nil would mean roots.
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				select {
				case subscribed <- struct{}{}:
				default:
				}
			}
			return next(ctx, method, req)
		}
	})
	return client
}

// handshake connects the SDK, once more if the server refuses the version and
// lists others, and returns the raw result.
func (s *session) handshake(ctx context.Context, client *mcp.Client, version string) (json.RawMessage, error) {
	raw, err := s.attempt(ctx, client, version)
	var refusal *jsonrpc.Error
	if errors.As(err, &refusal) {
		other := listedVersion(&RPCError{Data: refusal.Data}, version)
		if other != "" && isKnown(other) {
			raw, err = s.attempt(ctx, client, other)
		}
	}
	return raw, err
}

// attempt is one Connect of the SDK, which is given up when ctx or the link
// ends, whatever the SDK does. The link is closed then, and that unblocks it.
func (s *session) attempt(ctx context.Context, client *mcp.Client, version string) (json.RawMessage, error) {
	captured, sink := withSink(ctx)
	result := make(chan error, 1)
	go func() { // ends with Connect, which ends with the link at the latest
		var err error
		s.sdk, err = client.Connect(captured, s.link.transport(), &mcp.ClientSessionOptions{ProtocolVersion: version})
		result <- err
	}()
	var failure error
	select {
	case err := <-result:
		if err == nil {
			return sink.take(), nil
		}
		return nil, handshakeError(ctx, s.link, err)
	case <-ctx.Done():
		failure = interrupted(ctx, StageInitialize, "initialize", false)
	case <-s.link.done():
		failure = during(s.link.err(), StageInitialize, "initialize", false)
	}
	s.link.close()
	limit := time.NewTimer(sdkTime)
	defer limit.Stop()
	select {
	case <-result:
	case <-limit.C:
	}
	return nil, failure
}

// handshakeError is the error of the SDK's Connect in our terms.
func handshakeError(ctx context.Context, l link, err error) error {
	var own *Error
	var refusal *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, StageInitialize, "initialize", false)
	case errors.As(err, &own):
		return own
	case errors.As(err, &refusal):
		cause := &RPCError{Code: int(refusal.Code), Message: refusal.Message, Data: refusal.Data}
		return &Error{Code: CodeProtocol, Stage: StageInitialize, Message: refusal.Message, Err: errors.Join(cause, refusal)}
	case l.err() != nil:
		return during(l.err(), StageInitialize, "initialize", false)
	default:
		return &Error{Code: CodeProtocol, Stage: StageInitialize, Message: "initialize: " + err.Error(), Err: err}
	}
}

// describe reads what the handshake told: from the raw result what is to be
// kept as it is, from the SDK which version it has settled on.
func describe(kind Kind, pid int, settled *mcp.InitializeResult, raw json.RawMessage) Info {
	info := Info{ProtocolVersion: settled.ProtocolVersion, Era: EraStateful, Kind: kind, PID: pid}
	if settled.ProtocolVersion >= string(EraStateless) {
		info.Era = EraStateless
	}
	var members struct {
		ProtocolVersion, ServerInfo, Instructions json.RawMessage
		Meta                                      map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(raw, &members) != nil {
		return info
	}
	info.ServerInfo = members.ServerInfo
	if info.Era == EraStateless {
		if inMeta := members.Meta[mcp.MetaKeyServerInfo]; inMeta != nil {
			info.ServerInfo = inMeta
		}
	} else if version := plainText(members.ProtocolVersion); version != "" {
		info.ProtocolVersion = version
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
	go func() { sdk <- s.sdk.Wait() }() // ends with the SDK's connection, as the link does
	select {
	case <-s.link.done():
		s.failure = s.link.err()
	case err := <-sdk:
		if s.failure = s.link.err(); s.failure == nil {
			s.failure = &Error{Code: CodeClosed, Stage: StageTransport, Message: "the connection has ended", Err: err}
		}
	}
	close(s.ended)
}

// Info implements Session.
func (s *session) Info() Info { return s.info }

// Call implements Session.
func (s *session) Call(ctx context.Context, c Call) (json.RawMessage, error) {
	return s.link.call(ctx, c)
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
		s.cancel()
		s.link.close()
		closed := make(chan struct{})
		go func() { // ends with the SDK's handlers, whose connection is gone
			// What remains to be reported is in failure.
			_ = s.sdk.Close()
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
