package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stalled starts a session whose host reads nothing; the writer is stuck in the
// answer to initialize, so that all that follows is unsent.
func stalled(t *testing.T, impl Sidecar) *peer {
	t.Helper()
	p := deaf(t, impl, Options{})
	p.session.Publish(Update{View: view(1, "a")})
	p.initialize()
	synctest.Wait()
	return p
}

// status is an update of one server that leaves the tools as stalled has them.
func status(name string, phase Phase) Update {
	return Update{View: view(1, "a"), Statuses: []Server{{Name: name, Phase: phase}}}
}

func TestAnUnsentStatusIsMergedIntoTheLaterOneAtItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		p.session.Publish(status("x", PhaseStarting))
		p.session.Publish(status("y", PhaseStarting))
		p.session.Publish(status("x", PhaseListing))
		_ = p.session.Log(t.Context(), &LogParams{Message: "m"})
		p.session.Publish(status("x", PhaseReady))
		p.listen()
		p.expect("0=@1 | status y starting | log m | status x ready")
	})
}

func TestNothingIsMergedAcrossAResultOrARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		p.session.Publish(status("x", PhaseStarting))
		p.session.Publish(Update{View: view(2, "b")})
		p.send(request(1, MethodSearch, `{}`))
		synctest.Wait()
		p.session.Publish(Update{View: view(3, "c"), Statuses: []Server{{Name: "x", Phase: PhaseReady}}})
		go p.session.Input(t.Context(), &InputParams{})
		synctest.Wait()
		p.session.Publish(Update{View: view(4, "d"), Statuses: []Server{{Name: "x", Phase: PhaseFailed}}})
		p.listen()
		p.expect("0=@1 | status x starting | tools 1→2 | 1=ok | status x ready | tools 2→3 | input/request | status x failed | tools 3→4")
	})
}

func TestUnsentPushesBecomeOneDifferenceFromWhatTheHostHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		p.session.Publish(Update{View: view(2, "a", "b"), Reason: ReasonConnected, Diagnostics: true})
		p.session.Publish(Update{View: view(3, "a", "b", "c"), Reason: ReasonListChanged})
		last := view(4, "c")
		last.Errors = []Diagnostic{{Error: "e"}}
		p.session.Publish(Update{View: last, Reason: ReasonRemoved, Diagnostics: true})
		p.listen()
		got := p.all()
		if len(got) != 3 || short(got[1]) != "diagnostics 1" {
			t.Fatalf("got %s", got)
		}
		want := `{"jsonrpc":"2.0","method":"tools/changed","params":{"previousRevision":1,"revision":4,"hash":"[c]",` +
			`"added":[{"name":"c","label":"","server":"s","state":"","path":"","definition":{"name":"c"}}],` +
			`"updated":[],"removed":["a"],"servers":["s"],"reason":"removed"}}`
		if got[2] != want {
			t.Errorf("got %s\nwant %s", got[2], want)
		}
	})
}

func TestProgressIsMergedPerToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		p = stalled(t, &scripted{call: func(ctx context.Context, c *CallParams) (*CallResult, error) {
			for i := range 1000 {
				_ = p.session.Progress(ctx, &ProgressParams{Token: c.ProgressToken, Value: ProgressValue{Progress: fmt.Append(nil, i)}})
			}
			return &CallResult{}, nil
		}})
		p.send(request(1, MethodCall, `{"progressToken":7}`))
		synctest.Wait()
		p.listen()
		p.expect("0=@1 | progress 7 999 | 1=ok")
	})
}

func TestNoticesAreMergedPerServerAndURI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		for _, server := range []string{"a", "b", "a"} {
			_ = p.session.ResourcesChanged(t.Context(), &ServerNotice{Server: server})
			_ = p.session.PromptsChanged(t.Context(), &ServerNotice{Server: server})
			_ = p.session.ResourceUpdated(t.Context(), &ResourceParams{Server: "s", URI: server})
		}
		p.listen()
		if got := p.all(); len(got) != 7 {
			t.Errorf("%d messages: %s", len(got), got)
		}
	})
}

func TestLogMessagesAreDroppedWithACount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		for i := range maxUnsentLogs + 10 {
			_ = p.session.Log(t.Context(), &LogParams{Message: fmt.Sprint(i)})
		}
		p.listen()
		if got := p.all(); len(got) != 1+maxUnsentLogs || short(got[maxUnsentLogs]) != fmt.Sprint("log ", maxUnsentLogs-1) {
			t.Errorf("%d messages", len(got))
		}
		_ = p.session.Log(t.Context(), &LogParams{Message: "next"})
		_ = p.session.Log(t.Context(), &LogParams{Message: "last"})
		p.expect("log next (10 earlier messages were dropped) | log last")
	})
}

func TestLogMessagesAreDroppedBeforeTheyTakeMuchMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		tell := func(size int) {
			_ = p.session.Log(t.Context(), &LogParams{Message: strings.Repeat("m", size)})
		}
		const many = 10
		for range many {
			tell(maxUnsentLogBytes / 4)
		}
		tell(2 * maxUnsentLogBytes) // too much by itself
		tell(3)
		p.listen()
		got := p.shorts()
		if n := strings.Count(got, "log mmmmm"); n != 3 {
			t.Errorf("%d messages wait", n)
		}
		if want := fmt.Sprintf("log mmm (%d earlier messages were dropped)", many-3+1); !strings.HasSuffix(got, want) {
			t.Errorf("the last one is %s, want %s", got[max(0, len(got)-80):], want)
		}
		for range many { // what has been sent takes no room
			tell(maxUnsentLogBytes / 2)
			if got := p.all(); len(got) != 1 || strings.Contains(got[0], "dropped") {
				t.Errorf("%d messages", len(got))
			}
		}
	})
}

func TestAFloodOfStatusesTakesNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		for i := range 20_000 {
			p.session.Publish(Update{View: view(i+2, fmt.Sprint(i)), Statuses: []Server{{Name: "x"}}})
		}
		o := p.session.out
		o.mu.Lock()
		n, unsent := o.queue.Len(), o.unsent
		o.mu.Unlock()
		if n != 2 || unsent > 1<<20 {
			t.Errorf("%d frames, %d bytes wait", n, unsent)
		}
		p.listen()
		p.expect("0=@1 | status x  | tools 1→20001")
	})
}

func TestAnAnswerThatWaitsKeepsNothingOfItsRequest(t *testing.T) {
	const requests, size = 20, 1 << 20
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		pad := `{"pad":"` + strings.Repeat("x", size) + `"}`
		before := heap()
		for i := range requests {
			p.send(request(1+i, "unheard/of", pad))
		}
		synctest.Wait()
		if grown := heap() - before; grown > requests*size/2 {
			t.Errorf("%d answers that wait take %d MiB", requests, grown>>20)
		}
	})
}

func heap() int64 {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestAHostThatTakesNothingFor30sWithTooMuchUnsentIsGone(t *testing.T) {
	big := json.RawMessage(`"` + strings.Repeat("x", 33<<20) + `"`)
	impl := func() *scripted {
		return &scripted{call: func(context.Context, *CallParams) (*CallResult, error) { return &CallResult{Result: big}, nil }}
	}
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, impl())
		begun := time.Now()
		p.send(request(1, MethodCall, `{}`), request(2, MethodCall, `{}`))
		o := <-p.outcome
		if o.End != EndGone || o.Code != 0 || !errors.Is(o.Err, ErrStalled) || time.Since(begun) != stallTime {
			t.Errorf("%+v after %s", o, time.Since(begun))
		}
		if err := p.session.Log(t.Context(), &LogParams{}); !errors.Is(err, ErrClosed) {
			t.Errorf("later: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, impl())
		p.send(request(1, MethodCall, `{}`))
		time.Sleep(time.Hour)
		select {
		case o := <-p.outcome:
			t.Errorf("33 MiB may wait for ever: %+v", o)
		default:
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, impl())
		p.send(request(1, MethodCall, `{}`), request(2, MethodCall, `{}`))
		for range 20 { // a sip now and then is not a stall
			time.Sleep(stallTime - time.Second)
			if _, err := io.ReadFull(p.out, make([]byte, writeChunk)); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case o := <-p.outcome:
			t.Errorf("%+v", o)
		default:
		}
	})
}

// A guest that sips would otherwise have the memory of everybody's sidecar grow
// for as long as it likes.
func TestAGuestThatReadsSlowerThanItAsksIsReadMoreSlowly(t *testing.T) {
	const each, asked = 8 << 20, 100
	big := json.RawMessage(`"` + strings.Repeat("x", each) + `"`)
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		p := deaf(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			calls.Add(1)
			return &CallResult{Result: big}, nil
		}}, Options{Guest: true})
		p.session.Publish(Update{View: view(1, "a")})
		p.initialize()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for i := range asked {
				_, _ = io.WriteString(p.in, framed(request(1+i, MethodCall, `{}`))) // the session may end
				synctest.Wait()
			}
		}()
		for range 20 {
			time.Sleep(stallTime - time.Second)
			if _, err := io.ReadFull(p.out, make([]byte, writeChunk)); err != nil {
				t.Fatal(err)
			}
		}
		if n := calls.Load(); n > stallBytes/each+2 {
			t.Errorf("%d calls of %d MiB each wait for it", n, each>>20)
		}
		go func() { _, _ = io.Copy(io.Discard, p.out) }() // it reads, and so it is read
		<-sent
		p.send(request("last", MethodCall, `{}`))
		synctest.Wait()
		if n := calls.Load(); n != asked+1 {
			t.Errorf("%d calls were made of %d", n, asked+1)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := deaf(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			return &CallResult{Result: big}, nil
		}}, Options{Guest: true})
		p.session.Publish(Update{View: view(1, "a")})
		p.initialize()
		go func() { // ends with the session
			for i := range asked {
				_, _ = io.WriteString(p.in, framed(request(1+i, MethodCall, `{}`)))
			}
		}()
		if o := <-p.outcome; o.End != EndGone || !errors.Is(o.Err, ErrStalled) {
			t.Errorf("one that reads nothing: %+v", o)
		}
	})
}

func TestWhateverIsLargeCountsAsUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := stalled(t, &scripted{})
		long := strings.Repeat("x", 23<<20)
		begun := time.Now()
		for _, name := range []string{"a", "b", "c"} {
			p.session.Publish(Update{View: view(1, "a"), Statuses: []Server{{Name: name, Instructions: long}}})
		}
		if o := <-p.outcome; o.End != EndGone || !errors.Is(o.Err, ErrStalled) || time.Since(begun) != stallTime {
			t.Errorf("%+v after %s", o, time.Since(begun))
		}
	})
}

// brokenPipe fails every write.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (brokenPipe) Close() error              { return nil }

func TestAHostThatCannotBeWrittenToIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		s := NewSession(in, brokenPipe{}, Options{})
		done := make(chan Outcome, 1)
		go func() { done <- s.Run(t.Context(), &scripted{}) }()
		_, _ = io.WriteString(w, framed(hello))
		if o := <-done; o.End != EndGone || o.Code != 0 || !errors.Is(o.Err, io.ErrClosedPipe) {
			t.Errorf("%+v", o)
		}
	})
}
