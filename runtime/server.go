package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// connectFunc makes one attempt: expand, dial, list. It returns soon after ctx
// ends, and when it fails nothing it started is left. wanted is closed when
// somebody waits for the session. warn is told once what could not be expanded,
// maybe nothing.
type connectFunc func(ctx context.Context, wanted <-chan struct{}, h transport.Hooks, warn func([]string)) (*connection, error)

// server is the loop that owns one configured server.
//
// Ownership: the fields under "owned by loop" are read and written by the
// goroutine that runs loop and by no other. Everything else is set by newServer
// and never changed, or is a leaf type with a lock of its own.
type server struct {
	name    string
	publish func(serverEvent) // must not block
	log     *slog.Logger
	clean   func(string) string // takes secrets out
	said    func(level, text string)
	// first is what the loop begins with, as if published.
	first serverEvent

	inbox *mailbox[any]
	// done is closed when the loop has ended and everything the server ever
	// started is gone.
	done  chan struct{}
	calls *turnstile
	ring  *logRing
	// live is non-nil iff the phase is ready: the short way for calls. The loop
	// writes it.
	live atomic.Pointer[connection]

	// Owned by loop.
	connect  connectFunc
	st       state
	pol      policy
	cur      *attempt // the attempt that runs, or whose session is open
	attempts int
	conn     *connection // non-nil iff st.phase is ready
	// gone is closed when what earlier attempts started is gone: the next one
	// waits for it, so that a server never runs twice.
	gone    <-chan struct{}
	waiting []chan<- lent
	acks    []chan<- struct{} // of connects that wait for the attempt
	ready   []chan<- struct{} // acks to go out with the next event
	retry   *time.Timer
	retryIn time.Duration // as armed; 0 when not
	burst   *time.Timer
	chatter *time.Timer // until the activity is told
	// activity is what the process last wrote to stderr while it connects.
	activity string
	tools    *toolList // the last good list, or the cached one
	intro    introduction
	timings  rpc.Timings
	// warnings are what the last attempt could not expand.
	warnings []string
	reason   rpc.ChangeReason // for the next event
	last     serverEvent
	// retiring: it goes on for the calls that run, and for nothing else.
	retiring bool
	ended    bool
	// children are the goroutines the loop started; run waits for them.
	children sync.WaitGroup
}

// serverStart is what a server begins with.
type serverStart struct {
	name    string
	log     *slog.Logger
	secrets *redactor
	ring    *logRing
	pol     policy
	phase   rpc.Phase        // a resting phase, or "" to connect at once
	err     *rpc.ServerError // why it rests
	kind    rpc.TransportKind
	cached  *toolList
	intro   introduction // as cached
	// after is closed when a former server of this name is gone; nil for none.
	after   <-chan struct{}
	connect connectFunc
	publish func(serverEvent)
	// said passes on what the server logs (notifications/message).
	said func(level, text string)
}

func newServer(b serverStart) *server {
	s := &server{
		name: b.name, connect: b.connect, publish: b.publish, said: b.said, log: b.log, clean: b.secrets.clean,
		inbox: newMailbox[any](), done: make(chan struct{}),
		calls: newTurnstile(callsRunning, callsWaiting, callsAssured), ring: b.ring,
		pol: b.pol, gone: b.after, tools: b.cached, intro: b.intro,
		retry: stoppedTimer(), burst: stoppedTimer(), chatter: stoppedTimer(),
	}
	s.intro.kind = b.kind
	s.st = state{phase: b.phase, settled: b.phase != "", err: b.err}
	if b.phase == "" {
		s.apply(event{kind: evConnect})
	}
	s.first = s.event()
	s.last = s.first
	go s.run()
	return s
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// run ends when msgEnd has been handled.
func (s *server) run() {
	defer close(s.done)
	for !s.ended {
		select {
		case <-s.inbox.ready():
			for _, m := range s.inbox.take() {
				s.step(func() { s.handle(m) })
			}
		case <-s.retry.C:
			s.step(func() {
				s.retryIn = 0
				s.apply(event{kind: evTimer})
			})
		case <-s.chatter.C:
			s.step(s.tellActivity)
		case <-s.burst.C:
			s.step(func() { s.apply(event{kind: evRelistTimer}) })
		}
	}
	s.calls.close(errTurnedAway)
	s.children.Wait()
	if s.gone != nil {
		<-s.gone
	}
	for _, m := range s.inbox.close() {
		s.tooLate(m)
	}
}

// step does one thing that came up, and publishes what became of it. A panic is
// a bug that costs what it was about, not the sidecar.
func (s *server) step(f func()) {
	defer recovered(s.log, "the loop of a server")
	defer s.report() // also of what was done before a panic
	f()
}

// tellActivity takes over what the attempt that runs has written to stderr.
func (s *server) tellActivity() {
	if s.cur == nil {
		return
	}
	if line := s.cur.line.Swap(nil); line != nil {
		s.activity = shortened(s.clean(*line), logLineBytes)
	}
}

// tooLate answers what was posted after the end. It touches nothing of the loop.
func (s *server) tooLate(m any) {
	switch m := m.(type) {
	case msgNeed:
		m.reply <- lent{phase: rpc.PhaseRemoved}
	case msgConnect:
		close(m.ack)
	case msgStop:
		close(m.ack)
	case msgGone:
		close(m.ack)
	}
}

func (s *server) handle(m any) {
	if s.ended {
		s.tooLate(m)
		return
	}
	if s.retiring {
		m = s.retired(m)
	}
	switch m := m.(type) {
	case msgConnect:
		kind := evConnect
		if m.restart {
			kind = evRestart
		}
		s.apply(event{kind: kind})
		s.acks = append(s.acks, m.ack)
		s.hurry()
	case msgStop:
		s.reason = rpc.ReasonDisconnected
		s.apply(event{kind: evStop})
		s.whenGone(m.ack)
	case msgRetire:
		s.retire()
	case msgEnd:
		s.end()
	case msgNeed:
		if s.conn != nil && (s.conn.sess == m.lost || ended(s.conn.sess)) {
			s.handle(msgLost{s.cur.n, causeOf(s.conn.sess)}) // its own message is on the way
		}
		s.waiting = append(s.waiting, m.reply)
		s.apply(event{kind: evNeed})
		s.hurry()
	case msgDenied:
		if s.conn != nil && s.conn.sess == m.sess {
			s.apply(event{kind: evDenied, err: s.errorOf(m.err)})
		}
	case msgPolicy:
		s.pol.auto = m.auto
		s.apply(event{kind: evPolicy})
	case msgRests:
		if resting(s.st.phase) {
			s.st.err = m.err
		}
	case msgTune:
		s.connect = m.connect
	case msgGone:
		s.ready = append(s.ready, m.ack)
	default:
		s.handleAttempt(m)
	}
}

// end is the last that the loop does.
func (s *server) end() {
	s.ended = true // first: a panic must not keep the loop going
	s.apply(event{kind: evStop})
	if len(s.acks) > 0 {
		s.publish(serverEvent{srv: s, rec: s.record(), inherited: s.acks})
		s.acks = nil
	}
}

// handleAttempt handles what an attempt, or the session it made, has to say.
func (s *server) handleAttempt(m any) {
	switch m := m.(type) {
	case msgStage:
		if s.current(m.n) {
			s.apply(event{kind: evStage, phase: m.phase})
		}
	case msgAttempt:
		s.attempted(m)
	case msgStderr:
		if s.current(m.n) {
			s.chatter.Reset(activityPause)
		}
	case msgWarned:
		if s.current(m.n) {
			s.warnings = m.warnings
		}
	case msgLost:
		if s.current(m.n) {
			s.reason = rpc.ReasonDisconnected
			e := s.errorOf(m.err)
			s.log.Warn("connection lost", serverKey, s.name, "err", e.Message)
			s.apply(event{kind: evLost, at: time.Now(), err: e})
		}
	case msgListChanged:
		if s.current(m.n) {
			s.apply(event{kind: evListChanged})
		}
	case msgRelisted:
		s.relisted(m)
	}
}

func (s *server) current(n int) bool { return s.cur != nil && s.cur.n == n }

func (s *server) attempted(m msgAttempt) {
	if !s.current(m.n) {
		return // abandoned: the attempt cleaned up after itself
	}
	if m.err != nil {
		s.gone, s.cur = s.cur.gone, nil
		e := s.errorOf(m.err)
		s.log.Warn("not connected", serverKey, s.name, "attempt", s.st.attempt, "err", e.Message)
		s.apply(event{kind: evFailed, class: classify(m.err), err: e})
		return
	}
	c := s.cur.conn
	s.conn, s.tools = c, c.tools
	s.intro = introduce(c.sess.Info(), s.clean)
	s.timings = c.timings
	s.reason = rpc.ReasonConnected
	s.logIssues(c.tools)
	s.live.Store(c)
	s.watch(s.cur)
	s.apply(event{kind: evUp})
}

func (s *server) relisted(m msgRelisted) {
	if !s.current(m.n) || s.conn == nil {
		return
	}
	if m.err != nil {
		s.log.Warn("tools could not be listed again; the former list stays", serverKey, s.name, "err", m.err)
	} else {
		c := *s.conn
		c.tools = m.tools
		s.conn, s.tools, s.reason = &c, m.tools, rpc.ReasonListChanged
		s.live.Store(s.conn)
		s.logIssues(m.tools)
	}
	s.apply(event{kind: evRelisted})
}

func (s *server) logIssues(l *toolList) {
	for _, issue := range l.issues {
		s.log.Warn("tool list", serverKey, s.name, "issue", issue)
		s.ring.log("warning", issue)
	}
}

// causeOf is why a session is of no use any more.
func causeOf(sess transport.Session) error {
	if ended(sess) {
		return sess.Err()
	}
	return &transport.Error{
		Code: transport.CodeClosed, Stage: transport.StageTransport,
		Message: transport.ErrSessionLost.Error(), Err: transport.ErrSessionLost,
	}
}

func ended(sess transport.Session) bool {
	select {
	case <-sess.Done():
		return true
	default:
		return false
	}
}

func (s *server) errorOf(err error) *rpc.ServerError { return describe(s.name, err, s.clean) }

// apply makes one transition and carries out its effects.
func (s *server) apply(e event) {
	var fx []effect
	s.st, fx = next(s.st, s.pol, e)
	for _, f := range fx {
		switch f.kind {
		case fxDial:
			s.dial()
		case fxDrop:
			s.drop()
		case fxArm:
			s.retryIn = f.delay
			s.retry.Reset(f.delay)
		case fxDisarm:
			s.retryIn = 0
			s.retry.Stop()
		case fxLend:
			s.answer(lent{conn: s.conn})
		case fxRefuse:
			s.answer(lent{phase: s.st.phase, err: s.st.err})
		case fxArmRelist:
			s.burst.Reset(relistBurst)
		case fxDropRelist:
			s.burst.Stop()
		case fxRelist:
			s.relist()
		}
	}
}

func (s *server) answer(l lent) {
	for _, w := range s.waiting {
		w <- l // capacity 1, one answer
	}
	s.waiting = nil
}

// whenGone sends ack out with the first event after everything the server
// started is gone.
func (s *server) whenGone(ack chan<- struct{}) {
	gone := s.gone
	if gone == nil {
		s.ready = append(s.ready, ack)
		return
	}
	s.children.Go(func() {
		<-gone
		s.inbox.post(msgGone{ack})
	})
}

// report publishes where the server stands, if that is news or someone waits
// to hear it.
func (s *server) report() {
	if !connecting(s.st.phase) {
		s.ready = append(s.ready, s.acks...)
		s.acks = nil
	}
	e := s.event()
	if len(s.ready) == 0 && sameEvent(e, s.last) {
		return
	}
	s.last = e
	e.acks, s.ready, s.reason = s.ready, nil, ""
	s.publish(e)
}

func (s *server) event() serverEvent {
	e := serverEvent{srv: s, rec: s.record(), warnings: s.warnings, settled: s.st.settled, reason: s.reason}
	if e.rec.Tools.From != rpc.ToolsFromNone {
		e.tools = s.tools
	}
	return e
}

func sameEvent(a, b serverEvent) bool {
	return a.tools == b.tools && slices.Equal(a.warnings, b.warnings) && a.settled == b.settled && sameRecord(a.rec, b.rec)
}

// sameRecord says whether hosts would see a difference.
func sameRecord(a, b rpc.Server) bool {
	return bytes.Equal(a.AppendJSON(nil), b.AppendJSON(nil))
}

func (s *server) record() rpc.Server {
	r := rpc.Server{
		Name:            s.name,
		Status:          statusOf(s.st.phase),
		Phase:           s.st.phase,
		Transport:       s.intro.kind,
		ProtocolVersion: s.intro.protocolVersion,
		ServerInfo:      s.intro.serverInfo,
		Instructions:    s.intro.instructions,
		Error:           s.st.err,
		Attempt:         s.st.attempt,
		Timings:         s.timings,
	}
	if s.st.phase == rpc.PhaseReady {
		r.PID = s.intro.pid
	}
	if connecting(s.st.phase) {
		r.Activity = s.activity
	}
	if s.st.phase == rpc.PhaseBackoff {
		r.NextRetryMs = int(s.retryIn.Milliseconds())
	}
	r.Tools.From = rpc.ToolsFromNone
	if s.tools != nil {
		r.Tools.From = s.st.listing(s.pol)
	}
	if r.Tools.From == rpc.ToolsFromCache {
		r.Tools = deferredTools(s.tools)
	}
	return r
}

// cleanJSON takes secrets out of a value that a server sent, if there are any.
func cleanJSON(raw json.RawMessage, clean func(string) string) json.RawMessage {
	text := string(raw)
	cleaned := clean(text)
	switch {
	case cleaned == text:
		return raw
	case json.Valid([]byte(cleaned)):
		return json.RawMessage(cleaned)
	}
	return nil
}

// introduce is what a server says of itself, as hosts are told.
func introduce(i transport.Info, clean func(string) string) introduction {
	in := introduction{
		protocolVersion: clean(i.ProtocolVersion), instructions: shortened(clean(i.Instructions), introBytes),
		pid: i.PID, kind: rpc.TransportKind(i.Kind),
	}
	if len(i.ServerInfo) <= introBytes {
		in.serverInfo = cleanJSON(i.ServerInfo, clean)
	}
	return in
}
