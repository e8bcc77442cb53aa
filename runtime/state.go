package runtime

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// state is where one server stands. next is the only code that changes it.
type state struct {
	phase rpc.Phase
	// attempt counts attempts since the server was last ready.
	attempt int
	// rung is how many delays of the ladder have been used since then.
	rung int
	// settled: the first attempt since initialize or reload has ended, or the
	// server waits for a person.
	settled bool
	// wasReady: it has been ready in this session, so its last good list stays.
	wasReady bool
	// hopeless: the last attempt failed in a way that another one would not mend.
	hopeless bool
	// losses are the times at which it was lost while ready, newest last, no
	// older than the breaker looks back.
	losses []time.Time
	// relist is where the handling of list_changed stands.
	relist relistState
	// err is why the last attempt failed, or the connection was lost.
	err *rpc.ServerError
}

// relistState is at most one relist running and one pending.
type relistState int

const (
	relistIdle    relistState = iota
	relistArmed               // the burst is being waited out
	relistRunning             // tools/list is under way
	relistAgain               // under way, and out of date already
)

// policy is what the settings say about a server; it is part of the input of
// next, not of its state.
type policy struct {
	auto   bool // settings.reconnect
	remote bool // reached by HTTP: worth trying for ever
	// jitter spreads the delays: a number in [-1, 1).
	jitter func() float64
}

func randomJitter() float64 { return rand.Float64()*2 - 1 }

// event is what can happen to a server.
type event struct {
	kind  eventKind
	at    time.Time        // of lost
	phase rpc.Phase        // of stage
	class failure          // of failed
	err   *rpc.ServerError // of failed, lost and denied
}

type eventKind int

const (
	evConnect     eventKind = iota // someone wants it connected: the session, mcp/connect
	evRestart                      // the same, from scratch
	evNeed                         // a call waits for it
	evStage                        // the attempt got further
	evUp                           // the attempt has a session and its tools
	evFailed                       // the attempt ended without
	evLost                         // the session ended
	evDenied                       // the server wants a login, in the middle of the session
	evTimer                        // the ladder's delay is over
	evStop                         // mcp/disconnect, or the end
	evListChanged                  // the server says its tools changed
	evRelistTimer                  // the burst is over
	evRelisted                     // the relist ended, either way
	evPolicy                       // settings.reconnect changed: see policy
)

// failure says what a failed attempt calls for.
type failure int

const (
	failRetry failure = iota // another attempt may succeed
	failFinal                // it will not, until something is changed
	failAuth                 // the user must sign in
	failInput                // the user must give a value
)

// effect is what the loop must do after a transition, in order.
type effect struct {
	kind  effectKind
	delay time.Duration // of fxArm
}

type effectKind int

const (
	fxDial       effectKind = iota // start an attempt
	fxDrop                         // cancel the attempt, close the session, whichever there is
	fxArm                          // start the ladder's timer
	fxDisarm                       // stop it
	fxLend                         // give the session to the calls that wait
	fxRefuse                       // tell the calls that wait why not
	fxArmRelist                    // start the burst timer
	fxRelist                       // ask for the tools again
	fxDropRelist                   // stop the burst timer
)

// next is the transition table.
func next(s state, p policy, e event) (state, []effect) {
	switch e.kind {
	case evConnect, evRestart:
		if s.phase == rpc.PhaseUntrusted || s.phase == rpc.PhaseInvalid {
			return s, nil // whoever asks, and whatever else was overlooked
		}
		if e.kind == evConnect && (s.phase == rpc.PhaseReady || connecting(s.phase)) {
			return s, nil
		}
		return s.fromScratch()
	case evNeed:
		return s.need(p)
	case evStage:
		if connecting(s.phase) {
			s.phase = e.phase
		}
		return s, nil
	case evUp:
		return s.up()
	case evFailed:
		return s.failed(p, e)
	case evLost:
		return s.lost(p, e)
	case evDenied:
		s.phase, s.err, s.attempt, s.relist = rpc.PhaseNeedsAuth, e.err, 0, relistIdle
		return s, []effect{{kind: fxDropRelist}, {kind: fxDrop}, {kind: fxRefuse}}
	case evTimer:
		if s.phase != rpc.PhaseBackoff {
			return s, nil
		}
		return s.dial()
	case evStop:
		s.phase, s.attempt, s.rung, s.losses, s.relist = rpc.PhaseStopped, 0, 0, nil, relistIdle
		s.settled = true
		return s, []effect{{kind: fxDisarm}, {kind: fxDropRelist}, {kind: fxDrop}, {kind: fxRefuse}}
	case evPolicy:
		switch {
		case !p.auto && s.phase == rpc.PhaseBackoff:
			s.phase = rpc.PhaseFailed
			return s, []effect{{kind: fxDisarm}}
		case p.auto && s.phase == rpc.PhaseFailed && !s.hopeless:
			return s.dial()
		}
		return s, nil
	case evListChanged, evRelistTimer, evRelisted:
		return s.relisting(e.kind)
	}
	return s, nil
}

func connecting(p rpc.Phase) bool {
	return p == rpc.PhaseStarting || p == rpc.PhaseInitializing || p == rpc.PhaseListing
}

// resting are the phases in which nothing runs, no tools are listed, and no
// call starts an attempt.
func resting(p rpc.Phase) bool {
	return p == rpc.PhaseUntrusted || p == rpc.PhaseNeedsInput || p == rpc.PhaseInvalid ||
		p == rpc.PhaseDisabled || p == rpc.PhaseStopped || p == rpc.PhaseRemoved
}

// fromScratch starts over: what went wrong before no longer counts.
func (s state) fromScratch() (state, []effect) {
	s.attempt, s.rung, s.losses = 0, 0, nil
	s, fx := s.dial()
	return s, slices.Concat([]effect{{kind: fxDisarm}, {kind: fxDropRelist}, {kind: fxDrop}}, fx)
}

func (s state) dial() (state, []effect) {
	s.phase, s.relist = rpc.PhaseStarting, relistIdle
	s.attempt++
	return s, []effect{{kind: fxDial}}
}

// need serves a call: it waits for the attempt that runs, or for one that it
// starts, and never for the ladder.
func (s state) need(p policy) (state, []effect) {
	dead := s.phase == rpc.PhaseBackoff || s.phase == rpc.PhaseFailed
	switch {
	case s.phase == rpc.PhaseReady:
		return s, []effect{{kind: fxLend}}
	case connecting(s.phase):
		return s, nil
	case dead && p.auto:
		s, fx := s.dial()
		return s, slices.Concat([]effect{{kind: fxDisarm}}, fx)
	}
	return s, []effect{{kind: fxRefuse}}
}

func (s state) up() (state, []effect) {
	again := s.relist == relistAgain
	s.phase, s.rung, s.err, s.settled, s.wasReady = rpc.PhaseReady, 0, nil, true, true
	s.hopeless, s.relist = false, relistIdle
	fx := []effect{{kind: fxDisarm}, {kind: fxLend}}
	if again { // it changed while it was being listed
		s.relist = relistArmed
		fx = append(fx, effect{kind: fxArmRelist})
	}
	return s, fx
}

func (s state) failed(p policy, e event) (state, []effect) {
	s.err, s.settled, s.hopeless = e.err, true, e.class == failFinal
	fx := []effect{{kind: fxRefuse}}
	switch e.class {
	case failAuth:
		s.phase = rpc.PhaseNeedsAuth
	case failInput:
		s.phase = rpc.PhaseNeedsInput
	case failFinal:
		s.phase = rpc.PhaseFailed
	case failRetry:
		s.phase = rpc.PhaseFailed
		if delay, ok := ladder(s.rung, p.remote && s.wasReady); ok && p.auto {
			s.phase = rpc.PhaseBackoff
			s.rung++
			fx = append(fx, effect{kind: fxArm, delay: spread(delay, p.jitter())})
		}
	}
	return s, fx
}

func (s state) lost(p policy, e event) (state, []effect) {
	s.err, s.attempt, s.rung, s.relist = e.err, 0, 0, relistIdle
	fx := []effect{{kind: fxDropRelist}, {kind: fxDrop}}
	if !p.auto {
		s.phase = rpc.PhaseFailed
		return s, append(fx, effect{kind: fxRefuse})
	}
	since := e.at.Add(-breakerWindow)
	s.losses = slices.DeleteFunc(slices.Clone(s.losses), func(t time.Time) bool { return t.Before(since) })
	s.losses = append(s.losses, e.at)
	if len(s.losses) > breakerLosses {
		s.phase, s.losses = rpc.PhaseSuspended, nil
		return s, append(fx, effect{kind: fxRefuse})
	}
	s, more := s.dial()
	return s, append(fx, more...)
}

func (s state) relisting(k eventKind) (state, []effect) {
	if s.phase == rpc.PhaseListing && k == evListChanged {
		s.relist = relistAgain
		return s, nil
	}
	if s.phase != rpc.PhaseReady {
		return s, nil
	}
	switch {
	case k == evListChanged && s.relist == relistIdle, k == evRelisted && s.relist == relistAgain:
		s.relist = relistArmed
		return s, []effect{{kind: fxArmRelist}}
	case k == evListChanged && s.relist == relistRunning:
		s.relist = relistAgain
	case k == evRelistTimer && s.relist == relistArmed:
		s.relist = relistRunning
		return s, []effect{{kind: fxRelist}}
	case k == evRelisted && s.relist == relistRunning:
		s.relist = relistIdle
	}
	return s, nil
}

// ladder is the delay before the attempt after rung delays, and whether there
// is one: the quick rungs for everybody, the slow ones for ever when slow.
func ladder(rung int, slow bool) (time.Duration, bool) {
	quick := quickRungs()
	if rung < len(quick) {
		return quick[rung], true
	}
	if !slow {
		return 0, false
	}
	n := min(rung-len(quick), 10) // doubling further would only overflow
	return min(slowRungFirst<<n, slowRungLast), true
}

// spread moves a delay by up to ladderJitter of itself.
func spread(d time.Duration, jitter float64) time.Duration {
	return d + time.Duration(float64(d)*ladderJitter*jitter)
}

// listing says where the tools are from that a server in this state lists:
// the phase table of the wire.
func (s state) listing(p policy) rpc.ToolsFrom {
	neverCame := s.phase == rpc.PhaseFailed && !s.wasReady
	switch {
	case s.phase == rpc.PhaseReady:
		return rpc.ToolsFromLive
	case resting(s.phase), neverCame && !p.auto:
		return rpc.ToolsFromNone
	}
	return rpc.ToolsFromCache
}

func statusOf(p rpc.Phase) rpc.Status {
	switch {
	case p == rpc.PhaseReady:
		return rpc.StatusConnected
	case connecting(p):
		return rpc.StatusConnecting
	}
	return rpc.StatusDisconnected
}
