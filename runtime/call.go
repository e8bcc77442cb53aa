package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// callRun is one tools/call on its way. It belongs to the request's goroutine.
type callRun struct {
	c       *Client
	p       *rpc.CallParams
	began   time.Time
	sent    time.Time     // zero until it was sent
	limit   time.Duration // of silence
	most    time.Duration // in all
	timer   *idleTimer
	stop    func() // ends timer
	details rpc.CallDetails
}

var (
	// errSilent ends a call that had no answer and no progress for its limit.
	errSilent = errors.New("no answer and no progress in time")
	// errTooLong ends a call that went on for timeouts.callMaxMs.
	errTooLong = errors.New("the call takes too long")
)

// errGone says that the server is being replaced or is not known yet: the next
// view knows what to do.
var errGone = errors.New("the server is being replaced")

// Call implements rpc.Sidecar. The failures of a server are results.
func (c *Client) Call(ctx context.Context, p *rpc.CallParams) (*rpc.CallResult, error) {
	if err := validCall(p); err != nil {
		return nil, err
	}
	r := &callRun{c: c, p: p, began: time.Now(), stop: func() {}}
	defer func() { r.stop() }()
	for {
		v := c.m.view.Load()
		if r.timer == nil {
			ctx = r.limitBy(ctx, v)
		}
		result, err := r.try(ctx, v)
		if errors.Is(err, errGone) {
			r.details.Deferred = true
			if err = c.m.nextView(ctx, v); err == nil {
				continue
			}
			result, err = r.unsent(ctx, err)
		}
		if err != nil {
			return nil, err
		}
		r.finish()
		return &rpc.CallResult{Result: result, Details: r.details}, nil
	}
}

// limitBy makes the call's deadline, once: the server's own limit counts if the
// server is known by then.
func (r *callRun) limitBy(ctx context.Context, v *view) context.Context {
	var entry time.Duration
	if _, h, err := v.resolve(r.p); err == nil {
		entry = h.entry.CallTimeout
	}
	r.limit, r.most = v.callLimit(r.p, entry), v.set.callMax
	ctx, r.timer, r.stop = deadline(ctx, r.limit, r.most)
	return ctx
}

func validCall(p *rpc.CallParams) error {
	switch {
	case p.Name == "" && p.Tool == "":
		return rpc.ErrInvalidParams("name", `it is missing; give "name", or "server" and "tool"`)
	case p.Name != "" && (p.Server != "" || p.Tool != ""):
		return rpc.ErrInvalidParams("name", `it excludes "server" and "tool"`)
	case p.Arguments != nil && p.Arguments[0] != '{':
		return rpc.ErrInvalidParams("arguments", "they are not an object")
	case p.TimeoutMs < 0:
		return rpc.ErrInvalidParams("timeoutMs", "it is negative")
	case p.ProgressToken != nil && !isToken(p.ProgressToken):
		return rpc.ErrInvalidParams("progressToken", "it is neither a string nor an integer")
	}
	return nil
}

func isToken(raw json.RawMessage) bool {
	var n int64
	return raw[0] == '"' || json.Unmarshal(raw, &n) == nil
}

// try resolves the tool in one view and runs it there.
func (r *callRun) try(ctx context.Context, v *view) (json.RawMessage, error) {
	t, h, err := v.resolve(r.p)
	if err != nil {
		return nil, err
	}
	if h.over {
		return nil, errGone
	}
	r.details = rpc.CallDetails{
		Server: t.Server, Tool: t.Tool, Provider: h.entry.Provider, ProviderName: h.entry.ProviderName,
		Deferred: r.details.Deferred || h.srv.live.Load() == nil,
	}
	release, err := h.srv.calls.acquire(ctx, r.c.id)
	switch {
	case errors.Is(err, errOverloaded):
		return nil, rpc.ErrOverloaded(fmt.Sprintf("server %q", t.Server))
	case errors.Is(err, errTurnedAway):
		return nil, errGone
	case err != nil && timedOut(ctx):
		return r.notCalled(fmt.Sprintf("%d other calls of the server left it no turn", callsRunning)), nil
	case err != nil:
		return nil, err
	}
	defer release()
	return r.run(ctx, h, t)
}

// run borrows a session and sends the call; once more, if the first provably
// did not reach the server or the tool says that repeating it does no harm.
func (r *callRun) run(ctx context.Context, h handle, t toolname.Target) (json.RawMessage, error) {
	srv := h.srv
	var lost transport.Session // the server has forgotten it
	for again := false; ; again = true {
		conn, err := srv.lease(ctx, lost)
		if err != nil {
			return r.unsent(ctx, err)
		}
		def, ok := conn.tools.find(t.Tool)
		if _, promised := h.tools.find(t.Tool); !ok && promised {
			return r.missing(t, conn.tools), nil
		}
		if !ok {
			return nil, r.c.m.view.Load().noSuchTool(t.Server+"/"+t.Tool, "")
		}
		r.sent = time.Now()
		result, err := conn.sess.Call(ctx, transport.Call{
			Tool: t.Tool, Arguments: r.p.Arguments, Progress: r.progress(ctx),
		})
		if err == nil {
			return result, nil
		}
		if wantsLogin(err) {
			srv.inbox.post(msgDenied{conn.sess, err})
			return nil, rpc.ErrAuthNeeded(t.Server)
		}
		if again || ctx.Err() != nil || !repeatable(err, def, conn.sess) {
			return r.failed(ctx, err)
		}
		if errors.Is(err, transport.ErrSessionLost) {
			lost = conn.sess
		}
	}
}

func wantsLogin(err error) bool {
	var te *transport.Error
	return errors.As(err, &te) && te.Code == transport.CodeAuth
}

// repeatable says whether a failed call may be sent again.
func repeatable(err error, def toolDef, sess transport.Session) bool {
	var te *transport.Error
	if !errors.As(err, &te) {
		return false
	}
	return te.NotSent || errors.Is(err, transport.ErrSessionLost) || (def.repeatable && ended(sess))
}

// progress gives the hook that keeps the call alive and relays.
func (r *callRun) progress(ctx context.Context) func(transport.Progress) {
	return func(p transport.Progress) {
		r.timer.touch()
		if r.p.ProgressToken == nil {
			return
		}
		_ = r.c.host.Progress(ctx, &rpc.ProgressParams{ // a host that is gone needs none
			Token: r.p.ProgressToken,
			Value: rpc.ProgressValue{Progress: p.Progress, Total: p.Total, Message: p.Message},
		})
	}
}

// unsent ends a call that got no session.
func (r *callRun) unsent(ctx context.Context, err error) (json.RawMessage, error) {
	var refused *refusal
	switch {
	case errors.Is(err, errGone):
		return nil, err
	case errors.As(err, &refused):
		if e := refused.wire(r.details.Server); e != nil {
			return nil, e
		}
		return r.fail(refused.cause(r.details.Server)), nil
	case timedOut(ctx):
		return r.notCalled("the server was not connected"), nil
	}
	return nil, err
}

// notCalled makes the result of a call that waited until its time was over.
func (r *callRun) notCalled(why string) json.RawMessage {
	return r.fail(&rpc.ServerError{
		Code: "timeout", Stage: rpc.StageCall,
		Message: fmt.Sprintf("%s was not called: %s within %s", r.label(), why, seconds(r.limit)),
	})
}

func timedOut(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, errSilent) || errors.Is(cause, errTooLong)
}

// label names the tool in messages.
func (r *callRun) label() string {
	server, tool := r.details.Server, r.details.Tool
	if server == "" { // it was not resolved
		server, tool = r.p.Server, cmp.Or(r.p.Tool, r.p.Name)
	}
	return fmt.Sprintf("server %q: tool %q", server, tool)
}

// failed ends a call that was sent, or may have been.
func (r *callRun) failed(ctx context.Context, err error) (json.RawMessage, error) {
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		return r.fail(&rpc.ServerError{
			Code: "timeout", Stage: rpc.StageCall,
			Message: fmt.Sprintf("%s: no answer and no progress within %s; its outcome is unknown", r.label(), seconds(r.limit)),
			Hint:    `if it needs more time, raise timeoutMs, "callTimeout" in its entry, or timeouts.callMs`,
		}), nil
	case errors.Is(context.Cause(ctx), errTooLong):
		return r.fail(&rpc.ServerError{
			Code: "timeout", Stage: rpc.StageCall,
			Message: fmt.Sprintf("%s: it had not ended after %s, in spite of its progress; its outcome is unknown", r.label(), seconds(r.most)),
			Hint:    "if it needs more time, raise timeouts.callMaxMs",
		}), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return r.fail(describe(r.details.Server, err, r.c.m.redact.clean)), nil
}

// missing ends a call of a tool that the cache promised and the server lacks.
func (r *callRun) missing(t toolname.Target, live *toolList) json.RawMessage {
	msg := fmt.Sprintf("server %q has no tool %q any more", t.Server, t.Tool)
	if near := nearest(t.Tool, live.names()); len(near) > 0 {
		msg += "; it has " + strings.Join(near, ", ")
	}
	return r.fail(&rpc.ServerError{Code: "missing-tool", Stage: rpc.StageCall, Message: msg})
}

// fail makes the result that tells a failure.
func (r *callRun) fail(e *rpc.ServerError) json.RawMessage {
	r.details.Error = e
	text, err := json.Marshal("MCP error: " + e.Message)
	if err != nil {
		text = []byte(`"MCP error"`) // a string always has a form
	}
	return json.RawMessage(`{"content":[{"type":"text","text":` + string(text) + `}],"isError":true}`)
}

func (r *callRun) finish() {
	now := time.Now()
	if r.sent.IsZero() {
		r.sent = now
	}
	r.details.WaitedMs = int(r.sent.Sub(r.began).Milliseconds())
	r.details.DurationMs = int(now.Sub(r.sent).Milliseconds())
}

// callLimit is how long a call may be silent.
func (v *view) callLimit(p *rpc.CallParams, entry time.Duration) time.Duration {
	limit := v.set.call
	if entry > 0 {
		limit = entry
	}
	if p.TimeoutMs > 0 {
		limit = milliseconds(p.TimeoutMs)
	}
	return min(limit, v.set.callMax)
}

// idleTimer ends a context after a time without touch.
type idleTimer struct {
	limit time.Duration
	timer *time.Timer
}

// deadline gives a context that ends with errSilent when timer was not touched
// for limit, and with errTooLong when most has passed.
func deadline(ctx context.Context, limit, most time.Duration) (context.Context, *idleTimer, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &idleTimer{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errSilent) })}
	end := time.AfterFunc(most, func() { cancel(errTooLong) })
	return ctx, t, func() {
		t.timer.Stop()
		end.Stop()
		cancel(nil)
	}
}

func (t *idleTimer) touch() { t.timer.Reset(t.limit) }
