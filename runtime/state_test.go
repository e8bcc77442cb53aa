package runtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// words shows effects as a table has them.
func effectWords(fx []effect) string {
	names := map[effectKind]string{
		fxDial: "dial", fxDrop: "drop", fxArm: "arm", fxDisarm: "disarm", fxLend: "lend", fxRefuse: "refuse",
		fxArmRelist: "armRelist", fxRelist: "relist", fxDropRelist: "dropRelist",
	}
	var out []string
	for _, f := range fx {
		w := names[f.kind]
		if f.kind == fxArm {
			w += " " + f.delay.String()
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestTransitionTable(t *testing.T) {
	auto := policy{auto: true, jitter: func() float64 { return 0 }}
	remote := policy{auto: true, remote: true, jitter: func() float64 { return 0 }}
	manual := policy{jitter: func() float64 { return 0 }}
	scratch := "disarm dropRelist drop dial"
	for _, tt := range []struct {
		name  string
		s     state
		p     policy
		e     event
		phase rpc.Phase
		fx    string
	}{
		{"connect a new one", state{}, auto, event{kind: evConnect}, rpc.PhaseStarting, scratch},
		{"connect a ready one", state{phase: rpc.PhaseReady}, auto, event{kind: evConnect}, rpc.PhaseReady, ""},
		{"connect one that connects", state{phase: rpc.PhaseListing}, auto, event{kind: evConnect}, rpc.PhaseListing, ""},
		{"connect a suspended one", state{phase: rpc.PhaseSuspended}, auto, event{kind: evConnect}, rpc.PhaseStarting, scratch},
		{"connect a disabled one", state{phase: rpc.PhaseDisabled}, auto, event{kind: evConnect}, rpc.PhaseStarting, scratch},
		{"connect an untrusted one", state{phase: rpc.PhaseUntrusted}, auto, event{kind: evConnect}, rpc.PhaseUntrusted, ""},
		{"restart an untrusted one", state{phase: rpc.PhaseUntrusted}, auto, event{kind: evRestart}, rpc.PhaseUntrusted, ""},
		{"restart an invalid one", state{phase: rpc.PhaseInvalid}, auto, event{kind: evRestart}, rpc.PhaseInvalid, ""},
		{"restart a ready one", state{phase: rpc.PhaseReady}, auto, event{kind: evRestart}, rpc.PhaseStarting, scratch},
		{"restart one that connects", state{phase: rpc.PhaseInitializing}, auto, event{kind: evRestart}, rpc.PhaseStarting, scratch},

		{"an attempt gets on", state{phase: rpc.PhaseStarting}, auto, event{kind: evStage, phase: rpc.PhaseInitializing}, rpc.PhaseInitializing, ""},
		{"a late stage", state{phase: rpc.PhaseStopped}, auto, event{kind: evStage, phase: rpc.PhaseListing}, rpc.PhaseStopped, ""},
		{"up", state{phase: rpc.PhaseListing}, auto, event{kind: evUp}, rpc.PhaseReady, "disarm lend"},
		{"up, and changed meanwhile", state{phase: rpc.PhaseListing, relist: relistAgain}, auto, event{kind: evUp}, rpc.PhaseReady, "disarm lend armRelist"},

		{"first failure", state{phase: rpc.PhaseStarting}, auto, event{kind: evFailed}, rpc.PhaseBackoff, "refuse arm 500ms"},
		{"fifth failure, local", state{phase: rpc.PhaseStarting, rung: 4, wasReady: true}, auto, event{kind: evFailed}, rpc.PhaseFailed, "refuse"},
		{"fifth failure, remote and known", state{phase: rpc.PhaseStarting, rung: 4, wasReady: true}, remote, event{kind: evFailed}, rpc.PhaseBackoff, "refuse arm 15s"},
		{"fifth failure, remote and never ready", state{phase: rpc.PhaseStarting, rung: 4}, remote, event{kind: evFailed}, rpc.PhaseFailed, "refuse"},
		{"failure, manual", state{phase: rpc.PhaseStarting}, manual, event{kind: evFailed}, rpc.PhaseFailed, "refuse"},
		{"failure for good", state{phase: rpc.PhaseStarting}, auto, event{kind: evFailed, class: failFinal}, rpc.PhaseFailed, "refuse"},
		{"failure for want of a login", state{phase: rpc.PhaseInitializing}, auto, event{kind: evFailed, class: failAuth}, rpc.PhaseNeedsAuth, "refuse"},
		{"failure for want of a value", state{phase: rpc.PhaseStarting}, auto, event{kind: evFailed, class: failInput}, rpc.PhaseNeedsInput, "refuse"},

		{"lost", state{phase: rpc.PhaseReady}, auto, event{kind: evLost}, rpc.PhaseStarting, "dropRelist drop dial"},
		{"lost, manual", state{phase: rpc.PhaseReady}, manual, event{kind: evLost}, rpc.PhaseFailed, "dropRelist drop refuse"},
		{"denied", state{phase: rpc.PhaseReady}, auto, event{kind: evDenied}, rpc.PhaseNeedsAuth, "dropRelist drop refuse"},
		{"the delay is over", state{phase: rpc.PhaseBackoff}, auto, event{kind: evTimer}, rpc.PhaseStarting, "dial"},
		{"a late timer", state{phase: rpc.PhaseReady}, auto, event{kind: evTimer}, rpc.PhaseReady, ""},

		{"call, ready", state{phase: rpc.PhaseReady}, auto, event{kind: evNeed}, rpc.PhaseReady, "lend"},
		{"call, connecting", state{phase: rpc.PhaseStarting}, auto, event{kind: evNeed}, rpc.PhaseStarting, ""},
		{"call, in backoff", state{phase: rpc.PhaseBackoff}, auto, event{kind: evNeed}, rpc.PhaseStarting, "disarm dial"},
		{"call, failed", state{phase: rpc.PhaseFailed}, auto, event{kind: evNeed}, rpc.PhaseStarting, "disarm dial"},
		{"call, failed, manual", state{phase: rpc.PhaseFailed}, manual, event{kind: evNeed}, rpc.PhaseFailed, "refuse"},
		{"call, suspended", state{phase: rpc.PhaseSuspended}, auto, event{kind: evNeed}, rpc.PhaseSuspended, "refuse"},
		{"call, needs a login", state{phase: rpc.PhaseNeedsAuth}, auto, event{kind: evNeed}, rpc.PhaseNeedsAuth, "refuse"},

		{"stop", state{phase: rpc.PhaseReady}, auto, event{kind: evStop}, rpc.PhaseStopped, "disarm dropRelist drop refuse"},
		{"manual from now on", state{phase: rpc.PhaseBackoff}, manual, event{kind: evPolicy}, rpc.PhaseFailed, "disarm"},
		{"auto from now on", state{phase: rpc.PhaseFailed}, auto, event{kind: evPolicy}, rpc.PhaseStarting, "dial"},
		{"auto from now on, hopeless", state{phase: rpc.PhaseFailed, hopeless: true}, auto, event{kind: evPolicy}, rpc.PhaseFailed, ""},

		{"list changed", state{phase: rpc.PhaseReady}, auto, event{kind: evListChanged}, rpc.PhaseReady, "armRelist"},
		{"list changed while armed", state{phase: rpc.PhaseReady, relist: relistArmed}, auto, event{kind: evListChanged}, rpc.PhaseReady, ""},
		{"the burst is over", state{phase: rpc.PhaseReady, relist: relistArmed}, auto, event{kind: evRelistTimer}, rpc.PhaseReady, "relist"},
		{"list changed while relisting", state{phase: rpc.PhaseReady, relist: relistRunning}, auto, event{kind: evListChanged}, rpc.PhaseReady, ""},
		{"relisted, out of date already", state{phase: rpc.PhaseReady, relist: relistAgain}, auto, event{kind: evRelisted}, rpc.PhaseReady, "armRelist"},
		{"relisted", state{phase: rpc.PhaseReady, relist: relistRunning}, auto, event{kind: evRelisted}, rpc.PhaseReady, ""},
		{"list changed before it is ready", state{phase: rpc.PhaseStarting}, auto, event{kind: evListChanged}, rpc.PhaseStarting, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, fx := next(tt.s, tt.p, tt.e)
			if got.phase != tt.phase || effectWords(fx) != tt.fx {
				t.Errorf("%s, %q; want %s, %q", got.phase, effectWords(fx), tt.phase, tt.fx)
			}
		})
	}
}

func TestServerThatCameUpIsNotHopeless(t *testing.T) {
	auto, manual := policy{auto: true, jitter: func() float64 { return 0 }}, policy{}
	s := state{}
	for _, step := range []struct {
		p     policy
		e     event
		phase rpc.Phase
	}{
		{auto, event{kind: evConnect}, rpc.PhaseStarting},
		{auto, event{kind: evFailed, class: failFinal}, rpc.PhaseFailed},
		{auto, event{kind: evConnect}, rpc.PhaseStarting},
		{auto, event{kind: evUp}, rpc.PhaseReady},
		{manual, event{kind: evPolicy}, rpc.PhaseReady},
		{manual, event{kind: evLost}, rpc.PhaseFailed},
		{auto, event{kind: evPolicy}, rpc.PhaseStarting},
	} {
		if s, _ = next(s, step.p, step.e); s.phase != step.phase {
			t.Fatalf("event %d leads to %s, want %s", step.e.kind, s.phase, step.phase)
		}
	}
}

func TestNoEventStartsASecondAttempt(t *testing.T) {
	phases := []rpc.Phase{
		"", rpc.PhaseStarting, rpc.PhaseInitializing, rpc.PhaseListing, rpc.PhaseReady, rpc.PhaseBackoff,
		rpc.PhaseFailed, rpc.PhaseSuspended, rpc.PhaseNeedsAuth, rpc.PhaseNeedsInput, rpc.PhaseStopped,
	}
	for _, auto := range []bool{true, false} {
		p := policy{auto: auto, jitter: func() float64 { return 0 }}
		for _, phase := range phases {
			for kind := evConnect; kind <= evPolicy; kind++ {
				s := state{phase: phase, relist: relistRunning, losses: []time.Time{{}}}
				got, fx := next(s, p, event{kind: kind, phase: rpc.PhaseListing})
				dial := slices.IndexFunc(fx, func(f effect) bool { return f.kind == fxDial })
				drop := slices.IndexFunc(fx, func(f effect) bool { return f.kind == fxDrop })
				open := connecting(phase) || phase == rpc.PhaseReady
				if dial >= 0 && open && (drop < 0 || drop > dial) {
					t.Errorf("event %d in %s dials beside what is open", kind, phase)
				}
				if dial >= 0 != (got.phase == rpc.PhaseStarting && got.attempt > s.attempt) {
					t.Errorf("event %d in %s: phase %s, attempt %d, effects %s", kind, phase, got.phase, got.attempt, effectWords(fx))
				}
			}
		}
	}
}

func TestPhaseTableOfTheWire(t *testing.T) {
	auto, manual := policy{auto: true}, policy{}
	for _, tt := range []struct {
		s          state
		auto, hand rpc.ToolsFrom
		status     rpc.Status
	}{
		{state{phase: rpc.PhaseStarting}, "cache", "cache", rpc.StatusConnecting},
		{state{phase: rpc.PhaseInitializing}, "cache", "cache", rpc.StatusConnecting},
		{state{phase: rpc.PhaseListing}, "cache", "cache", rpc.StatusConnecting},
		{state{phase: rpc.PhaseReady}, "live", "live", rpc.StatusConnected},
		{state{phase: rpc.PhaseBackoff}, "cache", "cache", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseFailed}, "cache", "none", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseFailed, wasReady: true}, "cache", "cache", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseSuspended}, "cache", "cache", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseNeedsAuth}, "cache", "cache", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseDisabled}, "none", "none", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseInvalid}, "none", "none", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseUntrusted}, "none", "none", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseNeedsInput}, "none", "none", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseStopped}, "none", "none", rpc.StatusDisconnected},
		{state{phase: rpc.PhaseRemoved}, "none", "none", rpc.StatusDisconnected},
	} {
		t.Run(fmt.Sprint(tt.s.phase, tt.s.wasReady), func(t *testing.T) {
			if a, h := tt.s.listing(auto), tt.s.listing(manual); a != tt.auto || h != tt.hand {
				t.Errorf("auto %s, manual %s", a, h)
			}
			if s := statusOf(tt.s.phase); s != tt.status {
				t.Errorf("status %s", s)
			}
		})
	}
}
