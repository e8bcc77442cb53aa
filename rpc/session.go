package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// Options of a session. The zero value is usable.
type Options struct {
	// Framing defaults to FramingAuto.
	Framing Framing
	// MaxMessage bounds one incoming body, in bytes. Default DefaultMaxMessage.
	MaxMessage int64
	// Log is for people; nothing of it goes to the host. Default: discarded.
	Log *slog.Logger
	// HostReads reports whether the host still reads what we write; it is asked
	// at the end of input, and every lookAgain while requests are answered after
	// it. Default: it does.
	HostReads func() bool
	// Guest: the connection has joined a session that another one owns. What is
	// the owner's alone is refused, and as its memory is that of all, a guest is
	// not read while more than stallBytes wait for it.
	Guest bool
}

// End is why a session ended.
type End string

// Values of End.
const (
	EndExit       End = "exit"       // the host sent runtime/exit
	EndInput      End = "input"      // the host closed its side
	EndUnreadable End = "unreadable" // a header block could not be read
	EndGone       End = "gone"       // the host reads no more
	EndStopped    End = "stopped"    // the context of Run ended
)

// Outcome is how a session ended.
type Outcome struct {
	// Code is the exit code of the process: 0, 1 for runtime/exit without
	// runtime/shutdown, 2 for EndUnreadable.
	Code int
	End  End
	// Err is what was wrong, nil for nothing: a *HeaderError, ErrStalled, the
	// error of a read or a write. The session does not log it.
	Err error
}

// Session is the connection to one host. Its fields do not change after
// NewSession, except where they say so; what changes is behind the lock of a
// leaf: feed, outbox, inflight, lobby. Its methods for the runtime (Publish, the
// notifications and the requests of Host) may be called from anywhere, at any
// time, and do not wait for the host to read.
type Session struct {
	in     io.Reader
	frames *FrameReader // pump's
	opts   Options
	log    *slog.Logger

	out      *outbox
	feed     *feed
	stream   *stream
	requests *inflight
	lobby    *lobby

	routes map[string]route // valid from Run on
	// begin makes the context of a request; all of them end with the session,
	// with the reason as their cause. Valid from Run on.
	begin func() (context.Context, context.CancelCauseFunc)
	exit  chan Outcome // from runtime/exit; holds one

	// Owned by the reader, which is the library's goroutine that handles
	// messages one by one.
	initialized  bool          // initialize was accepted
	shuttingDown bool          // shutdown was accepted
	exiting      bool          // exit was received: nothing is handled any more
	shutdown     chan struct{} // closed when shutdown has been answered
}

// NewSession prepares a session; what is published before Run is kept.
// Run closes out, and also in if it is an io.Closer.
func NewSession(in io.Reader, out io.WriteCloser, opts Options) *Session {
	if opts.Framing == "" {
		opts.Framing = FramingAuto
	}
	if opts.MaxMessage <= 0 {
		opts.MaxMessage = DefaultMaxMessage
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.HostReads == nil {
		opts.HostReads = func() bool { return true }
	}
	box := newOutbox(out, opts.Framing)
	return &Session{
		in: in, frames: NewFrameReader(in, opts.Framing, opts.MaxMessage), opts: opts, log: opts.Log,
		out: box, feed: newFeed(box, opts.Log), stream: newStream(box, opts.Log),
		requests: newInflight(), lobby: &lobby{},
		exit: make(chan Outcome, 1), shutdown: make(chan struct{}),
	}
}

// Run serves the host until the session ends, once. When ctx ends it stops
// reading and returns. In any case it returns only when every request has ended,
// for which they have flushLimit, and what was queued has been written, or the
// host has taken nothing for flushLimit, or is gone.
//
// One goroutine may outlive it: the one that waits in in.Read, when in cannot
// be closed or closing does not interrupt a Read, as on a terminal.
func (s *Session) Run(ctx context.Context, impl Sidecar) Outcome {
	s.routes = routes(impl)
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	defer kill(nil)
	s.begin = func() (context.Context, context.CancelCauseFunc) { return context.WithCancelCause(life) }

	go s.out.run()                           // ends with the outbox: finish waits for it
	go s.stream.pump(s.frames, s.opts.Guest) // ends with in or the stream: see above
	connCtx, disconnect := context.WithCancel(context.WithoutCancel(ctx))
	defer disconnect()
	conn := jsonrpc2.NewConn(connCtx, s.stream, handler{s}, jsonrpc2.SetLogger(libraryLog{s.log}))

	outcome := s.wait(ctx)
	_ = conn.Close() // it may be closed already; requests to the host fail from here on
	if closer, ok := s.in.(io.Closer); ok {
		_ = closer.Close() // nothing is left to be read
	}
	if outcome.End == EndGone {
		s.out.fail(ErrClosed) // nothing more is said, whatever the requests come to
	}
	kill(ErrShuttingDown())
	s.finish(outcome)
	return outcome
}

// wait returns when the session is to end, and how.
func (s *Session) wait(ctx context.Context) Outcome {
	select {
	case <-ctx.Done():
		return Outcome{End: EndStopped}
	case o := <-s.exit:
		return s.awaitShutdown(ctx, o)
	case <-s.out.gone:
	case <-s.stream.ended:
	}
	select {
	case o := <-s.exit: // it was the last thing the host did
		return s.awaitShutdown(ctx, o)
	default:
	}
	if err := s.out.reason(); err != nil {
		return Outcome{End: EndGone, Err: err}
	}
	var header *HeaderError
	if errors.As(s.stream.err, &header) {
		return Outcome{Code: 2, End: EndUnreadable, Err: header}
	}
	o := Outcome{End: EndInput}
	if !errors.Is(s.stream.err, io.EOF) {
		o.Err = s.stream.err
	}
	if !s.opts.HostReads() || !s.drain(ctx, s.requests.whenIdle()) {
		o.End = EndGone
	}
	return o
}

// awaitShutdown gives a shutdown that the host did not wait for time to end.
func (s *Session) awaitShutdown(ctx context.Context, o Outcome) Outcome {
	if o.Code == 0 {
		s.drain(ctx, s.shutdown)
	}
	return o
}

// drain waits for done, as long as somebody may read what comes of it. It is
// false if nobody does any more.
func (s *Session) drain(ctx context.Context, done <-chan struct{}) (read bool) {
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for {
		select {
		case <-done:
			return true
		case <-limit.C:
			s.log.Warn("requests in flight are given up", "after", drainLimit)
			return true
		case <-s.out.gone:
			return false
		case <-ctx.Done():
			return true
		case <-look.C:
			if !s.opts.HostReads() {
				return false
			}
		}
	}
}

// finish lets the answers of ended requests and all that is queued leave, and
// closes out.
func (s *Session) finish(o Outcome) {
	s.settled()
	s.out.close()
	s.flushed(o)
	s.out.fail(ErrClosed)
	_ = s.out.w.Close() // also ends a write that is stuck
}

// settled waits until no message is handled and no request is worked on, so
// that nothing is put any more. All of them have been told to end.
func (s *Session) settled() {
	limit := time.NewTimer(flushLimit)
	defer limit.Stop()
	for _, ended := range []func() <-chan struct{}{
		func() <-chan struct{} { return s.stream.ended },
		s.requests.whenIdle,
	} {
		select {
		case <-ended():
		case <-s.out.gone:
			return
		case <-limit.C:
			s.log.Warn("the session ends with requests that do not", "waited", flushLimit)
			return
		}
	}
}

// flushed waits for the writer, as long as the host takes something every
// flushLimit.
func (s *Session) flushed(o Outcome) {
	end := time.Now().Add(drainLimit)
	if o.End == EndStopped {
		end = time.Now().Add(flushLimit)
	}
	limit := time.NewTimer(flushLimit)
	defer limit.Stop()
	for {
		select {
		case <-s.out.done:
			return
		case <-s.out.gone:
			return
		case <-limit.C:
		}
		left := min(flushLimit-s.out.idle(), time.Until(end))
		if left <= 0 {
			s.log.Warn("the session ends with messages unsent: the host took nothing for a while", "for", flushLimit)
			return
		}
		limit.Reset(left)
	}
}

// Publish tells the host one step of the truth: the statuses, the diagnostics
// if they changed, and the difference of the tool set if View has a revision
// that was not told yet. A host that is about to be told by an answer is not
// told by a push as well.
func (s *Session) Publish(u Update) { s.feed.publish(u) }

// notify queues a notification of Host.
func (s *Session) notify(method string, params body) error {
	switch p := params.(type) {
	case *LogParams:
		return s.out.log(p)
	case *ProgressParams:
		return s.requests.ifExpected(p.Token, func() error {
			return s.out.put(&frame{method: method, value: p, key: mergeKey(method, p)})
		})
	}
	return s.out.put(&frame{method: method, value: params, key: mergeKey(method, params)})
}

// libraryLog takes what jsonrpc2 has to say.
type libraryLog struct{ log *slog.Logger }

func (l libraryLog) Printf(format string, v ...any) {
	l.log.Debug(brief(strings.TrimSpace(fmt.Sprintf(format, v...))))
}
