package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

func TestChildrenGetTheEnvironmentTheEntryAndTheMark(t *testing.T) {
	got := childEnv(
		[]string{"PATH=/bin", "HOME=/h", "MCP_SIDECAR_ENDPOINT=secret", "MCP_SIDECAR=x", "GONE=1", "KEY=old"},
		config.Expanded{Env: map[string]string{"KEY": "new"}, UnsetEnv: []string{"GONE"}}, "mark",
	)
	slices.Sort(got)
	want := []string{"HOME=/h", "KEY=new", "MCP_SIDECAR_NESTED=mark", "PATH=/bin"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCommandsRunOnceAndKeepOnlySuccess(t *testing.T) {
	ran := map[string]int{}
	c := newCommands(func(_ context.Context, command string) (string, error) {
		if ran[command]++; command == "fails" && ran[command] == 1 {
			return "", errors.New("status 3")
		}
		return "value", nil
	})
	for range 3 {
		if out, err := c.output(t.Context(), "works"); out != "value" || err != nil {
			t.Fatalf("%q, %v", out, err)
		}
	}
	_, first := c.output(t.Context(), "fails")
	_, second := c.output(t.Context(), "fails")
	if first == nil || second != nil || ran["works"] != 1 || ran["fails"] != 2 {
		t.Errorf("ran %v; %v, %v", ran, first, second)
	}
}

func TestCommandsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommands(func(_ context.Context, command string) (string, error) {
			if command == "slow" {
				time.Sleep(time.Second)
			}
			return command, nil
		})
		begun := time.Now()
		done := make(chan time.Duration, 3)
		for _, command := range []string{"slow", "slow", "quick"} {
			go func() {
				_, _ = c.output(context.Background(), command)
				done <- time.Since(begun)
			}()
		}
		if a, b, c := <-done, <-done, <-done; a != 0 || b != time.Second || c != time.Second {
			t.Errorf("they ended after %v, %v, %v", a, b, c)
		}
	})
}

func TestCommandWhoseCallerGivesUpIsRunByTheNext(t *testing.T) {
	gaveUp := errors.New("gave up")
	for _, tt := range []struct {
		name string
		run  func(ctx context.Context) (string, error) // the first one
	}{
		{"cancelled", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", context.Cause(ctx) }},
		{"a bug", func(ctx context.Context) (string, error) { <-ctx.Done(); panic("a bug") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := 0
				c := newCommands(func(ctx context.Context, _ string) (string, error) {
					if runs++; runs == 1 {
						return tt.run(ctx)
					}
					return "token", nil
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				led := make(chan error, 1)
				go func() {
					led <- guarded(slog.New(slog.DiscardHandler), "", func() error {
						_, err := c.output(ctx, "x")
						return err
					})
				}()
				synctest.Wait()
				done := make(chan error, 2)
				for range 2 {
					go func() {
						out, err := c.output(t.Context(), "x")
						if err == nil && out != "token" {
							err = errors.New("it printed " + out)
						}
						done <- err
					}()
				}
				synctest.Wait()
				cancel(gaveUp)
				for range 2 {
					if err := <-done; err != nil {
						t.Errorf("one who goes on: %v", err)
					}
				}
				if err := <-led; err == nil {
					t.Error("the one who gave up has a token")
				}
				if runs != 2 {
					t.Errorf("it ran %d times", runs)
				}
			})
		})
	}
}

func TestWhatAServerSaysOfItselfIsBounded(t *testing.T) {
	same := func(s string) string { return s }
	long := strings.Repeat("x", introBytes+1)
	in := introduce(transport.Info{Instructions: long, ServerInfo: json.RawMessage(`"` + long + `"`)}, same)
	if len(in.instructions) > introBytes+len("…") || in.serverInfo != nil {
		t.Errorf("%d bytes of instructions, %d of info", len(in.instructions), len(in.serverInfo))
	}
	e := describe("s", &transport.Error{Message: long, Hint: long}, same)
	if most := errorBytes + len("…"); len(e.Message) > most || len(e.Hint) > most {
		t.Errorf("%d bytes of message, %d of hint", len(e.Message), len(e.Hint))
	}
}

func TestDescribeNamesServerOperationAndCauseWithoutSecrets(t *testing.T) {
	secrets := &redactor{}
	secrets.add("hunter2-hunter2")
	got := describe("fs", &transport.Error{
		Code: transport.CodeExited, Stage: transport.StageInitialize, Message: "exited with status 3 during initialize",
		Stderr: []string{"token hunter2-hunter2 refused"}, Err: errors.New("x"),
	}, secrets.clean)
	want := rpc.ServerError{
		Code: "exited", Stage: rpc.StageInitialize, Message: `server "fs": exited with status 3 during initialize`,
		Stderr: []string{"token [redacted] refused"},
	}
	if got.Code != want.Code || got.Stage != want.Stage || got.Message != want.Message || !slices.Equal(got.Stderr, want.Stderr) {
		t.Errorf("%+v", got)
	}
}

func TestHostsHearWhatIsLoggedWithoutSecrets(t *testing.T) {
	secrets := &redactor{}
	secrets.add("hunter2-hunter2")
	var heard []rpc.LogParams
	log := slog.New(&hostLog{
		next: slog.DiscardHandler, clean: secrets.clean,
		tell: func(p rpc.LogParams) { heard = append(heard, p) },
	})
	log.DebugContext(context.Background(), "not for hosts")
	log.Warn("it failed", serverKey, "fs", "err", errors.New("with hunter2-hunter2"))
	want := []rpc.LogParams{{Level: rpc.LogWarning, Message: "it failed; err: with [redacted]", Server: "fs"}}
	if !slices.Equal(heard, want) {
		t.Errorf("%+v", heard)
	}
}

func TestForgettingTheEraNeverBringsAnOlderListBack(t *testing.T) {
	m := &Manager{
		opt: Options{Cache: toolcache.Open(t.TempDir(), slog.New(slog.DiscardHandler))}, redact: &redactor{},
		log: slog.New(slog.DiscardHandler),
	}
	m.view.Store(&view{set: settings{cache: true}})
	list := func(tool string) *toolList {
		return listOf([]json.RawMessage{json.RawMessage(`{"name":"` + tool + `","inputSchema":{"type":"object"}}`)})
	}
	for i := range 200 { // for every order in which two goroutines may run
		a := &attempts{
			m: m, c: candidate{key: toolcache.NewKey(fmt.Sprint(i))}, era: transport.EraStateful,
			set: settings{maxAge: time.Hour}, saved: &saved{},
		}
		retuned := *a // what a reload makes of it while its session goes on
		remember := a.remember(transport.Info{Era: transport.EraStateful})
		remember(list("old"))
		var both sync.WaitGroup
		both.Go(retuned.forgetEra)
		both.Go(func() { remember(list("new")) })
		both.Wait()
		l, ok := m.opt.Cache.Load(a.c.key, time.Hour, time.Now())
		if !ok || len(l.Tools) != 1 || !strings.Contains(string(l.Tools[0]), `"new"`) {
			t.Fatalf("round %d: %v %s", i, ok, l.Tools)
		}
	}
}
