package transport

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdioLink reaches a server that is a child process.
//
//	lane ─┐                                     ┌─ lane: answers, progress
//	      ├─ writer ─▶ stdin   stdout ─▶ lines ─┤
//	SDK ──┘                                     └─ inbound: everything else
//
// Its goroutines are the writer, one reader for each of stdout and stderr, the
// watcher of the process, and guide, which brings the news of its end. All end
// with the process, and close waits for them.
type stdioLink struct {
	log     *slog.Logger
	client  identity
	within  time.Duration // for stopping
	process *process
	out     *writer
	lane    *lane
	inbound inbound
	stderr  *stderrTail
	redact  redactor
	greeted atomic.Bool // the handshake is done

	silent  chan struct{} // closed when stdout has ended
	ended   chan struct{} // closed by fail
	failing sync.Once
	failure *Error // set before ended is closed
	running sync.WaitGroup
}

// dialStdio starts the server and greets it. A server of unknown era that exits
// on the question about it gets one fresh process and is greeted the old way.
func (d *Dialer) dialStdio(ctx context.Context, spec Spec, hooks Hooks) (Session, error) {
	spec.Env = d.Guard.marked(spec.Env)
	for {
		l, err := d.startStdio(ctx, &spec, hooks)
		if err != nil {
			return nil, err
		}
		g, probing, err := l.greet(ctx, spec.Era)
		if err == nil {
			return connect(ctx, spec, hooks, l, g)
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
		client:  spec.identity(),
		within:  spec.shutdown(),
		process: p,
		out:     newWriter(p.stdin),
		stderr:  &stderrTail{line: hooks.Stderr, redact: spec.Redact},
		redact:  spec.Redact,
		silent:  make(chan struct{}),
		ended:   make(chan struct{}),
	}
	l.lane = newLane(l.out.send, l.post, spec.Redact)
	l.inbound = inbound{hooks: hooks, post: l.post, redact: spec.Redact}
	p.readers.Go(func() { l.stderr.read(p.stderr) })
	p.readers.Go(func() {
		defer close(l.silent)
		lines := lineReader{message: l.message, unusable: l.unusable, noise: l.inbound.noise, limit: maxMessage}
		lines.read(p.stdout)
	})
	l.running.Go(func() { p.watch(d.Guard) })
	l.running.Go(l.guide)
	l.inbound.reached()
	return l, nil
}

// greet makes the handshake. probing says that it failed on the first question
// about the era.
func (l *stdioLink) greet(ctx context.Context, era Era) (g greeting, probing bool, err error) {
	h := &greeter{lane: l.lane, client: l.client}
	g, err = h.run(ctx, era)
	l.greeted.Store(true)
	if err != nil {
		return greeting{}, h.probing, err
	}
	l.lane.negotiated(g.era, l.client)
	l.inbound.open(g)
	if g.era == EraStateful {
		l.post([]byte(initializedFrame))
	}
	return g, false, nil
}

// guide waits for the end of the process, or of one of its pipes, and tells
// everybody.
func (l *stdioLink) guide() {
	select {
	case <-l.process.ended:
	case <-l.silent:
		l.losing("the server closed its stdout")
	case <-l.out.done:
		l.losing("the server closed its stdin")
	}
	l.fail(l.exited())
	l.out.close()
}

// losing waits for the end of a process that has closed a pipe: usually it is
// ending. Else it is of no use any more.
func (l *stdioLink) losing(how string) {
	limit := time.NewTimer(2 * drainTime)
	defer limit.Stop()
	select {
	case <-l.process.exited:
	case <-limit.C:
		l.fail(&Error{Code: CodeClosed, Stage: StageTransport, Message: how, Stderr: l.stderr.last()})
		l.process.stop(l.within)
		l.out.close()
	}
	<-l.process.ended
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
		close(l.ended) // before the calls hear of it: see session.Call
		l.lane.fail(reason, reason)
		l.inbound.close()
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
	default:
		l.inbound.take(e)
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
	l.log.Debug("answer to nobody", "id", l.redact.shorten(e.id, maxSample))
}

// unusable fails the request whose answer cannot be taken.
func (l *stdioLink) unusable(id json.RawMessage, why *Error) bool {
	n, ok := number(id)
	return ok && l.lane.refuse(n, why)
}

// The rest implements link.

func (l *stdioLink) transport() mcp.Transport { return l.inbound.sdk.Load() }

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
