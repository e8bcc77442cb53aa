//go:build linux || darwin

package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCallCarriesArgumentsAndResultsByteForByte(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "tools", Hooks{})
	for _, c := range []struct{ name, arguments, want string }{
		{"echo", `{"b":1,"a":12345678901234567890,"c":1.0,"d":"<&>\u2028é"}`, `{"content":[],"arguments":{"b":1,"a":12345678901234567890,"c":1.0,"d":"<&>\u2028é"}}`},
		{"echo", "{\n\t\"a\":\r\n1}", "{\"content\":[],\"arguments\":{ \t\"a\":  1}}"},
		{"echo", "", `{"content":[],"arguments":{}}`},
		{"odd", "{}", `{"z":1.0,"a":12345678901234567890}`},
	} {
		got, err := s.Call(t.Context(), Call{Tool: c.name, Arguments: json.RawMessage(c.arguments)})
		// flatten has no influence on what lies outside the members.
		if err != nil || strings.ReplaceAll(string(got), " ", "") != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s %s = %s, %v; want %s", c.name, c.arguments, got, err, c.want)
		}
	}
}

func TestInfoIsTheServersOwn(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "tools", Hooks{})
	info := s.Info()
	if info.PID <= 0 {
		t.Errorf("PID = %d", info.PID)
	}
	info.PID = 0
	want := Info{
		ProtocolVersion: "2025-06-18", Era: EraStateful, Kind: Stdio, Instructions: "be kind",
		ServerInfo: json.RawMessage(`{"version":"1","name":"child","x":9007199254740993}`),
	}
	if fmt.Sprintf("%+v", info) != fmt.Sprintf("%+v", want) {
		t.Errorf("Info = %+v, want %+v", info, want)
	}
}

func TestProgressComesInOrderAndBeforeTheResult(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "tools", Hooks{})
	var got []string
	if _, err := s.Call(t.Context(), Call{Tool: "steps", Progress: func(p Progress) {
		got = append(got, fmt.Sprintf("%s/%s %s", p.Progress, p.Total, p.Message))
	}}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "[0/3.50 step 0 1/3.50 step 1 2/3.50 step 2]" {
		t.Errorf("progress = %q", got)
	}
}

func TestAServersErrorAnswerIsAnRPCError(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "tools", Hooks{})
	_, err := s.Call(t.Context(), Call{Tool: "refuse"})
	var refusal *RPCError
	if !errors.As(err, &refusal) || refusal.Code != -32042 || refusal.Message != "not today" {
		t.Errorf("error = %#v", err)
	}
	wantError(t, err, CodeProtocol, StageCall, false)
}

func wantError(t *testing.T, err error, code Code, stage Stage, notSent bool) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v, want an *Error", err)
	}
	if e.Code != code || e.Stage != stage || e.NotSent != notSent {
		t.Errorf("error = %q %s/%s notSent %v, want %s/%s notSent %v", e.Message, e.Code, e.Stage, e.NotSent, code, stage, notSent)
	}
	return e
}

func TestEndOfContextEndsTheCallAndTellsTheServerWhy(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	s := dialChild(t, "tools", Hooks{Stderr: stderr.add})
	cause := errors.New("the user has changed his mind")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		stderr.wait(t, "asked")
		cancel(cause)
	}()
	_, err := s.Call(ctx, Call{Tool: "never"})
	if !errors.Is(err, cause) {
		t.Errorf("error = %v, want it to wrap the cause", err)
	}
	wantError(t, err, CodeClosed, StageCall, false)
}

func TestALateAnswerToACancelledCallIsNobodyElses(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	s := dialChild(t, "tools", Hooks{Stderr: stderr.add, Noise: func(text string) { t.Errorf("noise: %s", text) }})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends with the call
		stderr.wait(t, "asked")
		cancel()
	}()
	if got, err := s.Call(ctx, Call{Tool: "cancelled"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call = %s, %v", got, err)
	}
	// The late answer is on its way before the server reads on.
	if got, err := s.Call(t.Context(), Call{Tool: "echo"}); err != nil || string(got) != `{"content":[],"arguments":{}}` {
		t.Errorf("the next call = %s, %v", got, err)
	}
	if s.Err() != nil {
		t.Errorf("the session ended: %v", s.Err())
	}
}

func TestCancelledNoticeNamesIDAndReason(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	s := dialChild(t, "tools", Hooks{Stderr: stderr.add})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := s.Call(ctx, Call{Tool: "cancelled"})
	e := wantError(t, err, CodeTimeout, StageCall, false)
	if !errors.Is(e, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the deadline in it", err)
	}
	line := stderr.wait(t, "cancelled ")
	if !strings.HasPrefix(line, "cancelled 10737") || !strings.HasSuffix(line, ": context deadline exceeded") {
		t.Errorf("the server was told %q", line)
	}
}

func TestADyingServerEndsItsCallsWithItsLastWords(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "tools", Hooks{})
	_, err := s.Call(t.Context(), Call{Tool: "die"})
	e := wantError(t, err, CodeExited, StageCall, false)
	if !strings.Contains(e.Message, "killed by signal: killed during tools/call") || fmt.Sprint(e.Stderr) != "[out of luck]" {
		t.Errorf("error = %q, stderr %q", e.Message, e.Stderr)
	}
	wantError(t, s.Err(), CodeExited, StageTransport, false) // is known by then
	_, err = s.Call(t.Context(), Call{Tool: "echo"})
	wantError(t, err, CodeExited, StageCall, true)
}

func TestAnExitDuringInitializeNamesStatusAndStderr(t *testing.T) {
	t.Parallel()
	// EraUnknown: what the second process says counts.
	for _, era := range []Era{EraUnknown, EraStateful} {
		spec := childSpec(t, "dies")
		spec.Era = era
		_, err := (&Dialer{}).Dial(t.Context(), spec, Hooks{})
		e := wantError(t, err, CodeExited, StageInitialize, false)
		if e.Message != "exited with status 3 during initialize" || fmt.Sprint(e.Stderr) != "[reading config no such file: conf.toml]" {
			t.Errorf("era %q: error = %q, stderr %q", era, e.Message, e.Stderr)
		}
	}
}

func TestAServerThatExitsOnTheProbeGetsOneFreshProcess(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	s := dialSpec(t, childSpec(t, "dies-of-probe", all.env()), Hooks{})
	first, second := all.next(), all.next()
	first.mustEnd(t, 5*time.Second)
	if s.Info().PID != second.pid || s.Info().Era != EraStateful {
		t.Errorf("Info = %+v, want process %d of the older era", s.Info(), second.pid)
	}
}

func TestTheSDKsServerIsReachedInBothEras(t *testing.T) {
	t.Parallel()
	for _, era := range []Era{EraUnknown, EraStateless, EraStateful} {
		t.Run("era "+string(era), func(t *testing.T) {
			t.Parallel()
			changed := make(chan struct{}, 10)
			spec := childSpec(t, "sdk")
			spec.Era = era
			s := dialSpec(t, spec, Hooks{ToolsChanged: func() { changed <- struct{}{} }})
			want := era
			if era == EraUnknown {
				want = EraStateless
			}
			info := s.Info()
			if info.Era != want || info.ProtocolVersion != string(want) || info.Instructions != "hello" || !strings.Contains(string(info.ServerInfo), `"name":"sdk"`) {
				t.Errorf("Info = %+v %s", info, info.ServerInfo)
			}
			got, err := s.Call(t.Context(), Call{Tool: "echo", Arguments: json.RawMessage(`{"z":1,"a":2}`)})
			if err != nil || !strings.Contains(string(got), `{\"z\":1,\"a\":2}`) {
				t.Errorf("echo = %s, %v", got, err)
			}
			if tools, err := s.ListTools(t.Context()); err != nil || len(tools) != 2 {
				t.Errorf("ListTools = %s, %v", tools, err)
			}
			if _, err := s.Call(t.Context(), Call{Tool: "grow"}); err != nil {
				t.Fatal(err)
			}
			select {
			case <-changed:
			case <-time.After(10 * time.Second):
				t.Error("no word of the changed list")
			}
			if tools, err := s.ListTools(t.Context()); err != nil || len(tools) != 3 {
				t.Errorf("ListTools = %s, %v", tools, err)
			}
		})
	}
}

func TestNoiseIsSkippedAndCountedExactly(t *testing.T) {
	t.Parallel()
	noise := newLines()
	s := dialChild(t, "noisy", Hooks{Noise: noise.add})
	if s.Info().ProtocolVersion != "2025-11-25" {
		t.Errorf("Info = %+v", s.Info())
	}
	one := make(chan string, 1)
	go func() {
		got, err := s.Call(t.Context(), Call{Tool: "two"})
		one <- fmt.Sprintf("%s %v", got, err)
	}()
	two, err := s.Call(t.Context(), Call{Tool: "two"})
	if both := fmt.Sprintf("%s %v", two, err) + <-one; both != `{"n":1} <nil>{"n":2} <nil>` && both != `{"n":2} <nil>{"n":1} <nil>` {
		t.Errorf("two messages in one write: %s", both)
	}
	for tool, want := range map[string]string{"bytes": `{"é":"✓"}`, "latin1": `{"text":"caf` + "\uFFFD" + `"}`, "deep": "{}", "batch": "{}", "joined": "{}"} {
		if got, err := s.Call(t.Context(), Call{Tool: tool}); err != nil || string(got) != want {
			t.Errorf("%s = %s, %v", tool, got, err)
		}
	}
	if got, err := s.Call(t.Context(), Call{Tool: "big"}); err != nil || len(got) != 20<<20+len(`{"text":""}`) {
		t.Errorf("a line of 20 MiB: %d bytes, %v", len(got), err)
	}
	if len(noise) != noiseLines {
		t.Errorf("%d lines of noise, want %d", len(noise), noiseLines)
	}
}

func TestALineOverTheLimitFailsItsCallAndNothingElse(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "huge", Hooks{})
	_, err := s.Call(t.Context(), Call{Tool: "huge"})
	e := wantError(t, err, CodeTooLarge, StageCall, false)
	if !strings.Contains(e.Message, " 681574") || !strings.Contains(e.Message, " 67108864") {
		t.Errorf("%q does not name both sizes", e.Message)
	}
	if _, err := s.Call(t.Context(), Call{Tool: "echo"}); err != nil {
		t.Errorf("the call after it: %v", err)
	}
}

func TestAnswersThatCannotBeTakenFailTheirCallAtOnce(t *testing.T) {
	t.Parallel()
	s := dialSpec(t, childSpec(t, "empty"), Hooks{Noise: func(text string) { t.Errorf("noise: %s", text) }})
	for tool, code := range map[string]Code{"empty": CodeProtocol, "deep": CodeProtocol, "huge": CodeTooLarge} {
		_, err := s.Call(t.Context(), Call{Tool: tool})
		wantError(t, err, code, StageCall, false)
	}
	if _, err := s.Call(t.Context(), Call{Tool: "echo"}); err != nil {
		t.Error(err)
	}
}

func TestServersQuestionsAreAnsweredUnderTheirOwnID(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	dialChild(t, "asks", Hooks{Stderr: stderr.add})
	for _, want := range []string{
		`got {"jsonrpc":"2.0","id":9007199254740993,"result":{}}`,
		`got {"jsonrpc":"2.0","id":"p","result":{}}`,
		`got {"jsonrpc":"2.0","id":1,"error":{"code":-32601,`,
		`got {"jsonrpc":"2.0","id":1.5,"error":{"code":-32600,`,
	} {
		if got := stderr.wait(t, "got"); !strings.HasPrefix(got, want) {
			t.Errorf("the server %s, want %s", got, want)
		}
	}
}

func TestARefusedVersionIsReplacedByOneTheServerLists(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "refuses-version", Hooks{})
	if got := s.Info().ProtocolVersion; got != "2024-11-05" {
		t.Errorf("version = %s", got)
	}
}

func TestAnErrorWithoutIDAnswersTheProbe(t *testing.T) {
	t.Parallel()
	s := dialSpec(t, childSpec(t, "null-error"), Hooks{})
	if s.Info().Era != EraStateful {
		t.Errorf("Info = %+v", s.Info())
	}
}

func TestAServerThatClosesItsStdoutIsLost(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "mute", Hooks{})
	<-s.Done()
	e := wantError(t, s.Err(), CodeClosed, StageTransport, false)
	if e.Message != "the server closed its stdout" {
		t.Errorf("Err = %q", e.Message)
	}
}

func TestAServerThatClosesItsStdinIsLost(t *testing.T) {
	t.Parallel()
	shut := make(chan struct{})
	s := dialChild(t, "shuts", Hooks{Stderr: func(string) { close(shut) }})
	<-shut
	var failed *Error
	for failed == nil || !failed.NotSent { // the first is on its way when the pipe breaks
		_, err := s.Call(t.Context(), Call{Tool: "echo"})
		failed = wantError(t, err, CodeClosed, StageCall, failed != nil)
	}
	e := wantError(t, s.Err(), CodeClosed, StageTransport, false) // is known by then
	if e.Message != "the server closed its stdin" {
		t.Errorf("Err = %q", e.Message)
	}
}

func TestListChangesAndLogsReachTheHooks(t *testing.T) {
	t.Parallel()
	got := newLines()
	dialChild(t, "changes", Hooks{
		ToolsChanged: func() { got.add("changed") },
		Log:          func(level, text string) { got.add(level + " " + text) },
	})
	if first := <-got; first != `warning db: {"a":1}` {
		t.Errorf("first %q", first)
	}
	if second := <-got; second != "changed" {
		t.Errorf("then %q", second)
	}
}

func TestListChangesBeforeAResultAreToldBeforeIt(t *testing.T) {
	t.Parallel()
	changes := 0 // not guarded: the result comes after them
	s := dialChild(t, "tools", Hooks{ToolsChanged: func() { changes++ }})
	for want := 2; want <= 20; want += 2 {
		if _, err := s.Call(t.Context(), Call{Tool: "changes"}); err != nil || changes != want {
			t.Fatalf("%d changes, %v; want %d", changes, err, want)
		}
	}
}

func TestASubscriptionThatEndsIsMadeAgainAndTheGapIsTold(t *testing.T) {
	t.Parallel()
	changes := make(chan struct{}, 10)
	s := dialSpec(t, childSpec(t, "subscribes"), Hooks{ToolsChanged: func() { changes <- struct{}{} }})
	for range 3 { // its end, the next one's confirmation, and a change
		<-changes
	}
	if _, err := s.Call(t.Context(), Call{Tool: "echo"}); err != nil {
		t.Error(err)
	}
	if n := len(changes); n != 0 {
		t.Errorf("%d changes too many", n)
	}
}

func TestAServerThatDoesNotReadBlocksOnlyItsCallers(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	s := dialChild(t, "deaf", Hooks{Stderr: stderr.add})
	stderr.wait(t, "deaf")
	big := json.RawMessage(`{"x":"` + strings.Repeat("y", 3<<20) + `"}`)
	lane := s.(*session).link.(*stdioLink).lane
	first, err := lane.start(t.Context(), question{stage: StageCall, method: "tools/call", params: big})
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 7)
	for range cap(results) {
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := s.Call(ctx, Call{Tool: "echo", Arguments: big})
			results <- err
		}()
	}
	for range cap(results) {
		wantError(t, <-results, CodeTimeout, StageCall, true)
	}
	if notSent := lane.abandon(first, "enough"); notSent {
		t.Error("the first frame counts as not sent, but bytes of it have been written")
	}
}

func TestDialEndsWithItsContextAndLeavesNothing(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	spec := childSpec(t, "silent-family", all.env())
	spec.Era = EraStateful
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("reload")
	result := make(chan error, 1)
	go func() {
		_, err := (&Dialer{}).Dial(ctx, spec, Hooks{})
		result <- err
	}()
	family := all.named("father", "child")
	cancel(cause)
	err := <-result
	wantError(t, err, CodeClosed, StageInitialize, false)
	if !errors.Is(err, cause) {
		t.Errorf("error = %v, want it to wrap the cause", err)
	}
	if groupAlive(family["father"].pid) {
		t.Error("the group is still alive")
	}
}

func BenchmarkCall(b *testing.B) {
	s := dialChild(b, "tools", Hooks{})
	arguments := json.RawMessage(`{"text":"` + strings.Repeat("x", 1000) + `"}`)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Call(b.Context(), Call{Tool: "echo", Arguments: arguments}); err != nil {
				b.Error(err)
			}
		}
	})
}
