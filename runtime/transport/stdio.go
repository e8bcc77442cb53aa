package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdioLink reaches a server that is a child process.
//
//	lane ──┐                             ┌── lane: answers, progress
//	       ├─ writer ─▶ stdin   stdout ─▶ lines ─┼── hooks: list changes, logs, noise
//	SDK ───┘                             └── SDK: what the server asks
//
// Its goroutines are the writer, one reader for each of stdout and stderr, the
// watcher of the process, and guide, which brings the news of its end. All end
// with the process, and close waits for them.
type stdioLink struct {
	log     *slog.Logger
	hooks   Hooks
	client  identity
	within  time.Duration // for stopping
	process *process
	out     *writer
	lane    *lane
	stderr  *stderrTail

	greeting greeting                // set by greet, before the SDK connects
	greeted  atomic.Bool             // the handshake is done
	sdk      atomic.Pointer[sdkConn] // nil before transport

	silent  chan struct{} // closed when stdout has ended
	ended   chan struct{} // closed by fail
	failing sync.Once
	failure *Error // set before ended is closed
	running sync.WaitGroup
}

// dialStdio starts the server and greets it. A server of unknown era that exits
// on the question about it gets one fresh process and is greeted the old way.
func (d *Dialer) dialStdio(ctx context.Context, spec Spec, hooks Hooks) (Session, error) {
	for {
		l, err := d.startStdio(ctx, &spec, hooks)
		if err != nil {
			return nil, err
		}
		probing, err := l.greet(ctx, spec.Era)
		if err == nil {
			version := string(l.greeting.era)
			return connect(ctx, spec, hooks, l, version)
		}
		err = l.explain(err)
		l.close()
		var failure *Error
		if probing && spec.Era == EraUnknown && errors.As(err, &failure) && failure.Code == CodeExited {
			spec.Era = EraStateful
			continue
		}
		return nil, err
	}
}

// startStdio starts the process and all that belongs to it.
func (d *Dialer) startStdio(ctx context.Context, spec *Spec, hooks Hooks) (*stdioLink, error) {
	p, err := d.startProcess(ctx, spec)
	if err != nil {
		return nil, err
	}
	l := &stdioLink{
		log:     d.logger().With("server", spec.Name),
		hooks:   hooks,
		client:  spec.identity(),
		within:  spec.Shutdown,
		process: p,
		out:     newWriter(p.stdin),
		stderr:  &stderrTail{line: hooks.Stderr},
		silent:  make(chan struct{}),
		ended:   make(chan struct{}),
	}
	if l.within <= 0 {
		l.within = defaultShutdown
	}
	l.lane = newLane(l.out.send, l.post)
	p.readers.Go(func() { l.stderr.read(p.stderr) })
	p.readers.Go(func() {
		defer close(l.silent)
		lines := lineReader{message: l.message, tooLong: l.tooLong, noise: l.noise, limit: maxLine}
		lines.read(p.stdout)
	})
	l.running.Go(func() { p.watch(d.Guard) })
	l.running.Go(l.guide)
	if hooks.Stage != nil {
		hooks.Stage(StageInitialize)
	}
	return l, nil
}

// greet makes the handshake. probing says that it failed on the first question
// about the era.
func (l *stdioLink) greet(ctx context.Context, era Era) (probing bool, err error) {
	h := &greeter{lane: l.lane, client: l.client}
	l.greeting, err = h.run(ctx, era)
	l.greeted.Store(true)
	return h.probing, err
}

// guide waits for the end of the process, or of its stdout, and tells everybody.
func (l *stdioLink) guide() {
	select {
	case <-l.process.ended:
	case <-l.silent:
		// Usually because it is ending.
		limit := time.NewTimer(2 * drainTime)
		defer limit.Stop()
		select {
		case <-l.process.exited:
			<-l.process.ended
		case <-limit.C:
			l.fail(&Error{Code: CodeClosed, Stage: StageTransport, Message: "the server closed its stdout", Stderr: l.stderr.last()})
			l.process.stop(l.within)
			l.out.close()
			<-l.process.ended
		}
	}
	l.fail(l.exited())
	l.out.close()
}

// exited is why the link ended if the process did of its own.
func (l *stdioLink) exited() *Error {
	status := l.process.status
	e := &Error{Code: CodeExited, Stage: StageTransport, Message: status.String(), Stderr: l.stderr.last()}
	switch {
	case status.byUs:
		return closedError()
	case status.code == 127:
		e.Hint = "127 is a shell's word for a command that it did not find; see stderr"
	case status.code == 126:
		e.Hint = "126 is a shell's word for a command that it may not execute; see stderr"
	}
	return e
}

func closedError() *Error {
	return &Error{Code: CodeClosed, Stage: StageTransport, Message: "the connection was closed"}
}

// explain adds what the server said on stderr to the error of a startup.
func (l *stdioLink) explain(err error) error {
	var failure *Error
	if !errors.As(err, &failure) || failure.Stderr != nil {
		return err
	}
	explained := *failure
	explained.Stderr = l.stderr.last()
	return &explained
}

// fail ends the link; the first reason counts.
func (l *stdioLink) fail(reason *Error) {
	l.failing.Do(func() {
		l.failure = reason
		l.lane.fail(reason)
		close(l.ended)
		if c := l.sdk.Load(); c != nil {
			_ = c.Close()
		}
	})
}

// post sends what nobody waits for, if there is room.
func (l *stdioLink) post(frame []byte) {
	if !l.out.offer(frame) {
		l.log.Debug("message to the server dropped: it does not read", "bytes", len(frame))
	}
}

// message is given every message of the server, in order.
func (l *stdioLink) message(e envelope) {
	switch {
	case l.lane.take(e):
	case e.isAnswer():
		l.stray(e)
	case e.isRequest() && string(e.method) == `"ping"`:
		l.reply(e.id, `"result":{}`)
	case l.hooks.notice(e):
	default:
		l.forward(e)
	}
}

// stray is an answer to nobody. During the handshake an error without an id can
// only mean the one request there is: some servers cannot read what they refuse.
func (l *stdioLink) stray(e envelope) {
	if string(e.id) == "null" && !l.greeted.Load() {
		if _, err := e.answer(); err != nil {
			l.lane.refuseOnly(err)
			return
		}
	}
	l.log.Debug("answer to nobody", "id", string(e.id))
}

// forward gives the SDK a request or notification of the server.
func (l *stdioLink) forward(e envelope) {
	c := l.sdk.Load()
	if e.isRequest() && (c == nil || c.isClosed()) {
		l.replyError(e.id, jsonrpc.CodeMethodNotFound, "method not found: "+e.name())
		return
	}
	m, ok := e.message()
	switch {
	case e.isRequest() && (!ok || !holdsID(e.id)):
		l.replyError(e.id, jsonrpc.CodeInvalidRequest, "the id must be a string or an integer below 2^53")
	case ok && c != nil:
		c.put(m)
	}
}

// holdsID: the SDK keeps ids as strings or float64s and would answer others
// under a changed id.
func holdsID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n > -1<<53 && n < 1<<53
}

// reply answers a request of the server; outcome is the member that says how.
func (l *stdioLink) reply(id json.RawMessage, outcome string) {
	l.post([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,` + outcome + `}`))
}

func (l *stdioLink) replyError(id json.RawMessage, code int, message string) {
	l.reply(id, `"error":{"code":`+strconv.Itoa(code)+`,"message":`+string(appendString(nil, message))+`}`)
}

// tooLong is a line over the limit: the request it answers fails.
func (l *stdioLink) tooLong(id json.RawMessage, size int64) {
	failure := tooLargeError(size, maxLine)
	if n, ok := number(id); !ok || !l.lane.refuse(n, failure) {
		l.noise(failure.Message)
	}
}

func (l *stdioLink) noise(text string) {
	if l.hooks.Noise != nil {
		l.hooks.Noise(text)
	}
}

// The rest implements link.

func (l *stdioLink) transport() mcp.Transport {
	c := newSDKConn(l.greeting, l.post)
	l.sdk.Store(c)
	select {
	case <-l.ended: // fail may have looked before
		_ = c.Close()
	default:
	}
	return c
}

func (l *stdioLink) call(ctx context.Context, c Call) (json.RawMessage, error) {
	return l.lane.call(ctx, c)
}

func (l *stdioLink) request(ctx context.Context, stage Stage, method string, params json.RawMessage) (json.RawMessage, error) {
	result, err := l.lane.request(ctx, stage, method, params)
	if err != nil && stage == StageList {
		err = l.explain(err)
	}
	return result, err
}

func (l *stdioLink) negotiated(info Info) { l.lane.negotiated(info.Era, l.client) }

func (l *stdioLink) pid() int { return l.process.id }

func (l *stdioLink) done() <-chan struct{} { return l.ended }

func (l *stdioLink) err() error {
	select {
	case <-l.ended:
		return l.failure
	default:
		return nil
	}
}

func (l *stdioLink) close() {
	l.fail(closedError())
	l.process.stop(l.within)
	l.out.close()
	l.running.Wait()
}
