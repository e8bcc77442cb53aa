package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpCore is what streamable HTTP and the older SSE have in common: every
// message to the server is a POST, and what the server sends comes on streams.
//
//	lane ─┐                                        ┌─ lane: answers, progress
//	      ├─ POST ─▶ server ─ streams ─▶ dispatch ─┤
//	SDK ──┘                                        └─ inbound: everything else
//
// The SDK's own HTTP transports are not used. They end the session over a page
// instead of an answer, a malformed event or six closed streams, read bodies
// without bound, drop the status of failures and block in Connect: what is left
// of them after the remedies is less than the remedies. One way out and one way
// in also mean one order of notifications.
type httpCore struct {
	spec    Spec
	log     *slog.Logger
	remote  *remote
	lane    *lane
	inbound inbound
	wire    httpWire

	ctx    context.Context //nolint:containedctx // the life of the link, which no call outlives
	cancel context.CancelFunc
	// running counts the goroutines of the link. All end with ctx, and close
	// waits for them. It grows only while mu is held and failure is nil.
	running  sync.WaitGroup
	posts    chan struct{} // cap maxPosts; one for each post under way
	reached  atomic.Bool   // the URL has answered, and Hooks.Stage knows
	shutdown sync.Once     // close has done its work

	mu      sync.Mutex
	pending map[int64]*posting // guarded by mu; requests without an answer
	failure *Error             // guarded by mu; why nothing works any more
}

// httpWire is what differs between the two.
type httpWire interface {
	// negotiated is told what the handshake decided.
	negotiated(g greeting)
	// compose is the POST that carries a message.
	compose(e envelope) outgoing
	// exchange posts a request and, unless its answer comes on another stream,
	// reads the answer. It ends with ctx.
	exchange(ctx context.Context, p *posting) *Error
	// learn is shown the result of a request before anybody else.
	learn(p *posting, result json.RawMessage)
	// cancels is true when the end of a POST cancels its request.
	cancels() bool
	// leave ends the POST of a request nobody waits for any more.
	leave(p *posting)
}

// posting is one request of the lane under way.
type posting struct {
	core   *httpCore
	id     int64
	method string
	frame  envelope

	ctx      context.Context //nolint:containedctx // the life of the POST, which others end
	cancel   context.CancelFunc
	answered atomic.Bool
	// unsent: the POST has ended and not reached the server.
	unsent atomic.Bool
	// accepted: the POST has been answered by a success. It belongs to carry.
	accepted bool
}

func (c *httpCore) init(spec Spec, hooks Hooks, log *slog.Logger, wire httpWire) error {
	remote, err := newRemote(spec)
	if err != nil {
		return err
	}
	c.spec, c.log, c.remote, c.wire = spec, log, remote, wire
	c.lane = newLane(c.sendRequest, c.post, spec.Redact)
	c.inbound = inbound{hooks: hooks, post: c.post, redact: spec.Redact}
	c.pending = map[int64]*posting{}
	c.posts = make(chan struct{}, maxPosts)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return nil
}

// greet makes the handshake, in the given era or whichever it turns out to be.
func (c *httpCore) greet(ctx context.Context, era Era) (greeting, error) {
	client := c.spec.identity()
	g, err := (&greeter{lane: c.lane, client: client}).run(ctx, era)
	if err != nil {
		return greeting{}, c.staged(err)
	}
	c.dropAll() // a probe that was not answered
	c.wire.negotiated(g)
	c.lane.negotiated(g.era, client)
	c.inbound.open(g)
	if g.era == EraStateless {
		return g, nil
	}
	// The server must have it before anything else comes, on whichever
	// connection that is.
	frame, _ := scanEnvelope([]byte(initializedFrame))
	failure := c.tell(ctx, frame)
	switch {
	case failure == nil:
		return g, nil
	case ctx.Err() != nil:
		return greeting{}, interrupted(ctx, StageInitialize, "initialize", false)
	}
	return greeting{}, during(failure, StageInitialize, "notifications/initialized", failure.NotSent)
}

// staged corrects the stage of a handshake's error when the URL never answered.
func (c *httpCore) staged(err error) error {
	var failure *Error
	if c.reached.Load() || !errors.As(err, &failure) {
		return err
	}
	earlier := *failure
	earlier.Stage = StageConnect
	return &earlier
}

// transport implements link.
func (c *httpCore) transport() mcp.Transport { return c.inbound.sdk.Load() }

func (c *httpCore) call(ctx context.Context, call Call) (json.RawMessage, error) {
	return c.lane.call(ctx, call)
}

func (c *httpCore) request(ctx context.Context, stage Stage, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.lane.request(ctx, stage, method, params)
}

func (c *httpCore) pid() int { return 0 }

func (c *httpCore) done() <-chan struct{} { return c.ctx.Done() }

func (c *httpCore) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		return nil
	}
	return c.failure
}

// sendRequest is the lane's way out. The POST is made in the background: how it
// fails is the answer of its request, and nobody else's concern.
func (c *httpCore) sendRequest(_ context.Context, frame []byte) (ticket, error) {
	e, ok := scanEnvelope(frame)
	if !ok {
		return nil, &Error{Code: CodeProtocol, Message: "the arguments are not valid JSON"}
	}
	p := &posting{core: c, method: e.name(), frame: e}
	p.id, _ = number(e.id) // the lane's are integers
	p.ctx, p.cancel = context.WithCancel(c.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		p.cancel()
		return nil, c.failure
	}
	c.pending[p.id] = p
	c.running.Go(func() { c.carry(p) })
	return p, nil
}

// carry runs a request. It ends when the request is answered or dropped.
func (c *httpCore) carry(p *posting) {
	defer p.cancel()
	failure := c.wire.exchange(p.ctx, p)
	if failure == nil {
		return
	}
	p.unsent.Store(failure.NotSent)
	p.forget()
	// The link has ended when the call hears of it: see session.Call.
	ends := isSessionLost(failure) && c.beginEnd(failure)
	own := failure
	if p.accepted {
		own = mayHaveRun(failure)
	}
	if !p.answered.Swap(true) {
		c.lane.refuse(p.id, p.refusal(own))
	}
	if ends {
		c.finishEnd()
	}
}

// refusal is what a failure means to a request. A server that does not know
// server/discover says so in as many ways as there are frameworks: only where it
// cannot be reached at all is there no point in asking it anything else.
func (p *posting) refusal(failure *Error) error {
	if p.method == "server/discover" && failure.Code != CodeRefused && failure.Code != CodeAuth {
		return &RPCError{Code: jsonrpc.CodeMethodNotFound, Message: failure.Message}
	}
	return failure
}

// withdraw implements ticket. The POST is under way and ends for itself: it is
// withdrawn only if it has failed.
func (p *posting) withdraw() bool {
	p.forget()
	p.core.wire.leave(p)
	return p.unsent.Load()
}

// release gives a POST time to end by itself, which is to be had where answers do
// not come on it: most servers are answering it in this moment, and net/http, when
// a request is cancelled just then, breaks a connection that it may have given to
// another request already.
func (p *posting) release() {
	timer := time.AfterFunc(postTimeout, p.cancel)
	context.AfterFunc(p.ctx, func() { timer.Stop() })
}

// forget takes a request off those that wait for an answer.
func (p *posting) forget() {
	p.core.mu.Lock()
	defer p.core.mu.Unlock()
	if p.core.pending[p.id] == p {
		delete(p.core.pending, p.id)
	}
}

func (c *httpCore) dropAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, p := range c.pending {
		p.cancel()
		delete(c.pending, id)
	}
}

// spawn runs f in a goroutine of the link, unless that has ended. f ends with
// the link's ctx.
func (c *httpCore) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return false
	}
	c.running.Go(f)
	return true
}

const (
	// postTimeout bounds a message whose fate interests nobody.
	postTimeout = 10 * time.Second
	// maxPosts is how many of them are under way at once: one for each call that may
	// be cancelled, or as many answers to a server that asks faster than it listens.
	maxPosts = 64
)

// post sends a message that has no answer, in the background, if not too many
// are under way.
func (c *httpCore) post(frame []byte) {
	e, ok := scanEnvelope(frame)
	if !ok || c.wire.cancels() && e.name() == "notifications/cancelled" {
		return
	}
	select {
	case c.posts <- struct{}{}:
	default:
		c.log.Debug("message to the server dropped: it does not listen", "bytes", len(frame))
		return
	}
	runs := c.spawn(func() {
		defer func() { <-c.posts }()
		ctx, cancel := context.WithTimeout(c.ctx, postTimeout)
		defer cancel()
		if failure := c.tell(ctx, e); failure != nil {
			c.log.Debug("the server refused a message", "method", e.name(), "error", failure)
		}
	})
	if !runs {
		<-c.posts
	}
}

// tell posts what has no answer. Any success will do: servers send 200, 202 and
// 204.
func (c *httpCore) tell(ctx context.Context, e envelope) *Error {
	resp, failure := c.send(ctx, c.wire.compose(e))
	if failure == nil {
		discard(resp)
	} else if isSessionLost(failure) {
		c.fail(failure)
	}
	return failure
}

// send makes one HTTP request and reports, once, that the URL answers.
func (c *httpCore) send(ctx context.Context, out outgoing) (*http.Response, *Error) {
	resp, failure := c.remote.send(ctx, out)
	if (failure == nil || isStatus(failure)) && !c.reached.Swap(true) {
		c.inbound.reached()
	}
	return resp, failure
}

// settleTime is how long requests under way may learn for themselves that the
// session is lost.
const settleTime = time.Second

// fail ends the link, if that has not begun.
func (c *httpCore) fail(cause *Error) {
	if c.beginEnd(cause) {
		c.finishEnd()
	}
}

// beginEnd takes no more requests. The first caller is to finish the end.
func (c *httpCore) beginEnd(cause *Error) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return false
	}
	failure := *cause
	failure.Stage, failure.NotSent = StageTransport, false
	c.failure = &failure
	return true
}

// finishEnd fails everything under way and ends every goroutine. When the
// session is lost, what is under way is given a moment first: the server may
// have taken it before, and only its own answer tells whether it may be repeated.
func (c *httpCore) finishEnd() {
	if isSessionLost(c.failure) {
		c.lane.settle(min(settleTime, c.spec.shutdown()/2))
	}
	c.lane.fail(c.failure, mayHaveRun(c.failure))
	c.cancel()
	c.inbound.close()
}

// end is the common part of close. farewell may tell the server, and is left
// out when the connection is gone already.
func (c *httpCore) end(farewell func(context.Context)) {
	c.shutdown.Do(func() {
		alive := c.err() == nil
		c.fail(closedError())
		if alive {
			// Half of the time: what was running has the other half.
			ctx, cancel := context.WithTimeout(context.Background(), c.spec.shutdown()/2)
			farewell(ctx)
			cancel()
		}
		c.running.Wait()
		c.remote.close()
	})
}

// isStatus: the server itself refused, as opposed to the network.
func isStatus(failure *Error) bool {
	var status *HTTPError
	return errors.As(failure, &status)
}

func isSessionLost(err error) bool { return errors.Is(err, ErrSessionLost) }

// mayHaveRun is what the end of the connection means to a request that the server
// has not refused: that the session is lost is no promise that it did not run.
func mayHaveRun(cause *Error) *Error {
	if !isSessionLost(cause) {
		return cause
	}
	failure := *cause
	failure.Err = nil
	var status *HTTPError
	if errors.As(cause, &status) {
		failure.Err = status
	}
	return &failure
}

// unanswered is a request that was taken and will not be answered.
func unanswered(p *posting, got string) *Error {
	return &Error{Code: CodeProtocol, Message: fmt.Sprintf("%s got %s", p.method, got)}
}

// broken is a request whose answer did not come to its end.
func broken(p *posting) *Error {
	return &Error{Code: CodeClosed, Message: "the server ended the stream before the answer to " + p.method}
}
