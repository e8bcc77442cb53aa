package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// across connects a client with a session that impl serves. The session ends with
// the client.
func across(t *testing.T, impl Sidecar, hear Hearing, opts Options) (*Client, *Session, <-chan Outcome) {
	t.Helper()
	ours, theirs := net.Pipe()
	session := NewSession(theirs, theirs, opts)
	session.Publish(Update{View: view(1, "a")})
	ended := make(chan Outcome, 1)
	go func() { ended <- session.Run(t.Context(), impl) }()
	return NewClient(ours, hear, slog.New(slog.DiscardHandler)), session, ended
}

func greeting() *InitializeParams {
	return &InitializeParams{ProtocolVersion: ProtocolVersion, Client: ClientInfo{Name: "t", Version: "0"}, Cwd: "/"}
}

func TestAClientAsksASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, ended := across(t, &scripted{}, Hearing{}, Options{Guest: true})
		var opened InitializeResult
		if err := c.Ask(t.Context(), MethodInitialize, greeting(), &opened); err != nil || opened.Snapshot.Revision != 1 {
			t.Fatalf("got %+v, %v", opened, err)
		}
		err := c.Ask(t.Context(), MethodReload, &ReloadParams{}, &SnapshotResult{})
		if !errors.Is(err, ErrNotPermitted(MethodReload)) || err.Error() != ErrNotPermitted(MethodReload).Message {
			t.Errorf("a refusal is %v", err)
		}
		c.Close()
		if out := <-ended; out.Code != 0 || out.Err != nil {
			t.Errorf("the session ended with %+v", out)
		}
		<-c.Ended()
		if err := c.Ask(t.Context(), MethodDoctor, &DoctorParams{}, &DoctorReport{}); !errors.Is(err, ErrClosed) {
			t.Errorf("asked after its end, it says %v", err)
		}
	})
}

func TestWhatAClientIsToldAndAskedComesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var story []string
		tell := func(format string, args ...any) { story = append(story, fmt.Sprintf(format, args...)) }
		var session *Session
		impl := &scripted{call: func(ctx context.Context, p *CallParams) (*CallResult, error) {
			for i := range 3 {
				_ = session.Progress(ctx, &ProgressParams{Token: p.ProgressToken, Value: ProgressValue{Progress: json.RawMessage(fmt.Sprint(i))}})
				session.Publish(Update{View: view(2+i, fmt.Sprint("t", i)), Reason: ReasonConnected})
				synctest.Wait() // the progress has left, and is not merged
			}
			return &CallResult{Result: p.Arguments}, nil
		}}
		c, s, _ := across(t, impl, Hearing{
			ToolsChanged: func(p *ToolsChanged) { tell("tools %d→%d", p.PreviousRevision, p.Revision) },
			Progress:     func(p *ProgressParams) { tell("progress %s of %s", p.Value.Progress, p.Token) },
		}, Options{})
		session = s
		defer c.Close()
		if err := c.AskThen(t.Context(), MethodInitialize, greeting(), &InitializeResult{}, func() { tell("opened") }); err != nil {
			t.Fatal(err)
		}
		const arguments = `{"z": 1.0, "a":"<"}`
		var result CallResult
		params := &CallParams{Name: "a", Arguments: json.RawMessage(arguments), ProgressToken: json.RawMessage("7")}
		if err := c.AskThen(t.Context(), MethodCall, params, &result, func() { tell("answered") }); err != nil {
			t.Fatal(err)
		}
		if string(result.Result) != arguments {
			t.Errorf("%s became %s", arguments, result.Result)
		}
		const want = "opened | progress 0 of 7 | tools 1→2 | progress 1 of 7 | tools 2→3 | progress 2 of 7 | tools 3→4 | answered"
		if got := strings.Join(story, " | "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestAClientsAbandonedRequestIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		abandoned := make(chan error, 1)
		impl := &scripted{call: func(ctx context.Context, _ *CallParams) (*CallResult, error) {
			<-ctx.Done()
			abandoned <- context.Cause(ctx)
			return nil, ctx.Err()
		}}
		c, _, _ := across(t, impl, Hearing{}, Options{})
		defer c.Close()
		if err := c.Ask(t.Context(), MethodInitialize, greeting(), &InitializeResult{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("why")
		go func() {
			synctest.Wait()
			cancel(why)
		}()
		if err := c.Ask(ctx, MethodCall, &CallParams{Name: "a"}, &CallResult{}); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		if err := <-abandoned; !errors.Is(err, errCancelled()) {
			t.Errorf("the session was told %v", err)
		}
		if err := c.Ask(ctx, MethodCall, &CallParams{Name: "a"}, &CallResult{}); !errors.Is(err, why) {
			t.Errorf("asked too late: %v", err)
		}
	})
}

func TestAClientAnswersQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		withdrawn := make(chan bool, 1)
		c, session, _ := across(t, &scripted{}, Hearing{
			Approve: func(_ context.Context, p *ApproveParams) (*ApproveResult, error) {
				return &ApproveResult{Decisions: map[string]Decision{p.Servers[0].Name: DecideDeny}}, nil
			},
			Input: func(ctx context.Context, p *InputParams) (*InputResult, error) {
				switch p.ID {
				case "fails":
					return nil, errors.New("no idea")
				case "says nothing":
					return nil, nil //nolint:nilnil // that is the mistake
				case "panics":
					panic("oh")
				}
				<-ctx.Done()
				withdrawn <- true
				return nil, ctx.Err()
			},
		}, Options{})
		if err := c.Ask(t.Context(), MethodInitialize, greeting(), &InitializeResult{}); err != nil {
			t.Fatal(err)
		}
		got, err := session.Approve(t.Context(), &ApproveParams{Servers: []ProjectServer{{Name: "s"}}})
		if err != nil || got.Decisions["s"] != DecideDeny {
			t.Errorf("got %v, %v", got, err)
		}
		var host *HostError
		if _, err := session.Input(t.Context(), &InputParams{ID: "fails"}); !errors.As(err, &host) || host.Message != "no idea" {
			t.Errorf("a failure is told as %v", err)
		}
		if _, err := session.Input(t.Context(), &InputParams{ID: "panics"}); !errors.As(err, &host) || host.Code != CodeInternalError {
			t.Errorf("a panic is told as %v", err)
		}
		if _, err := session.Input(t.Context(), &InputParams{ID: "says nothing"}); !errors.As(err, &host) || host.Code != CodeInternalError {
			t.Errorf("no answer is told as %v", err)
		}
		if _, err := session.Elicit(t.Context(), &RelayParams{Server: "s"}); !errors.As(err, &host) || host.Code != CodeMethodNotFound {
			t.Errorf("what it cannot be asked is told as %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		if _, err := session.Input(ctx, &InputParams{ID: "waits"}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		<-withdrawn
		go session.Input(t.Context(), &InputParams{ID: "waits"})
		synctest.Wait()
		c.Close()
		<-withdrawn // by the end
	})
}

// broken is a connection whose other end has gone.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error)  { return 0, b.err }
func (b broken) Write([]byte) (int, error) { return 0, b.err }
func (b broken) Close() error              { return nil }

func TestAClientIsToldThatItsSessionHasGoneHoweverThatShows(t *testing.T) {
	for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET} {
		c := NewClient(broken{err}, Hearing{}, slog.New(slog.DiscardHandler))
		if got := c.Ask(t.Context(), MethodDoctor, &DoctorParams{}, &DoctorReport{}); !errors.Is(got, ErrClosed) {
			t.Errorf("when the connection says %v, it says %v", err, got)
		}
		c.Close()
	}
}

func TestWhatFailsInAHearerCostsNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := 0
		c, session, _ := across(t, &scripted{}, Hearing{ToolsChanged: func(*ToolsChanged) {
			heard++
			panic("oh")
		}}, Options{})
		err := c.AskThen(t.Context(), MethodInitialize, greeting(), &InitializeResult{}, func() { panic("oh") })
		if !errors.Is(err, ErrInternal("")) {
			t.Errorf("a panic at the answer is told as %v", err)
		}
		for revision := 2; revision < 4; revision++ {
			session.Publish(Update{View: view(revision, fmt.Sprint(revision)), Reason: ReasonConnected})
			synctest.Wait()
		}
		if err := c.Ask(t.Context(), MethodSearch, &SearchParams{Query: "x"}, &SearchResult{}); err != nil || heard != 2 {
			t.Errorf("heard %d times, then %v", heard, err)
		}
		c.Close()
	})
}
