package runtime

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// attempt is one try to connect, and the session that came of it.
type attempt struct {
	n      int
	cancel context.CancelCauseFunc
	// taken decides who cleans up: the attempt's goroutine swaps it to hand over
	// what it made, the loop to abandon the attempt. The first wins.
	taken atomic.Bool
	// conn is written before taken is swapped by the goroutine, and read after.
	conn *connection
	// stale: the server said that its tools changed, after they were last asked
	// for. One message about it is enough.
	stale atomic.Bool
	// line is the last one on stderr, until the loop takes it: nil when it has.
	line atomic.Pointer[string]
	// wanted is closed by the loop when somebody waits for the session.
	wanted chan struct{}
	// gone is closed when nothing the attempt started is left.
	gone chan struct{}
}

var (
	errAbandoned = errors.New("the attempt was abandoned")
	errTookLong  = errors.New("it took too long")
)

// dial starts an attempt, once what earlier ones started is gone. Its goroutine
// ends when connect returns, which it does soon after the attempt is cancelled.
func (s *server) dial() {
	s.attempts++
	ctx, cancel := context.WithCancelCause(context.Background())
	a := &attempt{n: s.attempts, cancel: cancel, wanted: make(chan struct{}), gone: make(chan struct{})}
	before, connect := s.gone, s.connect
	s.cur, s.activity = a, ""
	s.hurry()
	s.chatter.Stop()
	s.children.Go(func() {
		defer cancel(nil)
		if before != nil {
			<-before
		}
		err := context.Cause(ctx)
		if err == nil {
			err = guarded(s.log, "an attempt", func() (err error) {
				a.conn, err = connect(ctx, a.wanted, s.hooks(a), func(w []string) { s.inbox.post(msgWarned{a.n, w}) })
				return err
			})
		}
		switch {
		case !a.taken.CompareAndSwap(false, true):
			if a.conn != nil {
				a.conn.sess.Close()
			}
			close(a.gone)
			return
		case err != nil:
			close(a.gone)
		}
		s.inbox.post(msgAttempt{a.n, err})
		if err == nil {
			a.conn.remember(a.conn.tools)
		}
	})
}

// hurry tells the attempt that runs if somebody waits for it.
func (s *server) hurry() {
	if s.cur == nil || len(s.waiting)+len(s.acks) == 0 {
		return
	}
	select {
	case <-s.cur.wanted: // it knows
	default:
		close(s.cur.wanted)
	}
}

func (s *server) hooks(a *attempt) transport.Hooks {
	return transport.Hooks{
		Stage: func(st transport.Stage) {
			switch st {
			case transport.StageInitialize:
				s.inbox.post(msgStage{a.n, rpc.PhaseInitializing})
			case transport.StageList:
				s.inbox.post(msgStage{a.n, rpc.PhaseListing})
				a.stale.Store(false) // last, so that the next change is heard in that phase
			default: // the others are not of an attempt, or are its start
			}
		},
		ToolsChanged: func() {
			if a.stale.CompareAndSwap(false, true) {
				s.inbox.post(msgListChanged{a.n})
			}
		},
		Log: func(level, text string) {
			s.ring.log(level, text)
			s.said(level, text)
		},
		Stderr: func(line string) {
			s.ring.stderr(line)
			if a.line.Swap(&line) == nil {
				s.inbox.post(msgStderr{a.n})
			}
		},
		Noise: s.ring.noise,
	}
}

// drop gives up the attempt or session there is. What it started may still be
// going when drop returns; s.gone says when it is not.
func (s *server) drop() {
	a := s.cur
	s.cur, s.conn = nil, nil
	s.live.Store(nil)
	if a == nil {
		return
	}
	s.gone = a.gone
	a.cancel(errAbandoned)
	if a.taken.CompareAndSwap(false, true) || a.conn == nil {
		return // its goroutine cleans up, or had nothing to hand over
	}
	s.children.Go(func() {
		a.conn.sess.Close()
		close(a.gone)
	})
}

// watch starts the goroutine that reports the end of a session, and ends with
// it.
func (s *server) watch(a *attempt) {
	s.children.Go(func() {
		<-a.conn.sess.Done()
		s.inbox.post(msgLost{a.n, a.conn.sess.Err()})
	})
}

// relist starts a tools/list on the live session. Its goroutine ends when the
// list is there, the session ends, or relistTimeout has passed.
func (s *server) relist() {
	a, sess := s.cur, s.conn.sess
	a.stale.Store(false)
	s.children.Go(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), relistTimeout, errTookLong)
		defer cancel()
		m := msgRelisted{n: a.n}
		m.err = guarded(s.log, "a relist", func() error {
			raw, err := sess.ListTools(ctx)
			if err == nil {
				m.tools = listOf(raw)
			}
			return err
		})
		s.inbox.post(m)
		if m.err == nil {
			a.conn.remember(m.tools)
		}
	})
}
