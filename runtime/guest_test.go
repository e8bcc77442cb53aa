package runtime

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// It was let in just before the session ended.
func TestAGuestThatComesTooLateIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		w.initialize(rpc.Settings{})
		w.close()
		told := &lastView{}
		g := w.m.Guest(told)
		defer g.Leave()
		pending, err := g.Initialize(t.Context(), &rpc.InitializeParams{})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := pending(t.Context())
		if err != nil || told.view == nil {
			t.Fatalf("told %v, answered %v", told.view, err)
		}
		if hello := answer(told.view); len(hello.Snapshot.Tools) != 1 {
			t.Errorf("it sees %+v", hello.Snapshot)
		}
	})
}

func TestASessionThatEndsIsNotSharedAndSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.open()
		defer w.close()
		for _, tt := range []struct {
			fails error
			code  int
		}{
			{rpc.ErrShuttingDown(), rpc.CodeShuttingDown},
			{errors.New("there is no place for a socket"), rpc.CodeInternalError},
		} {
			w.m.opt.Share = func(context.Context) (string, string, error) { return "", "", tt.fails }
			var refused *rpc.Error
			if _, err := w.c.Share(t.Context(), &rpc.ShareParams{}); !errors.As(err, &refused) || refused.Code != tt.code {
				t.Errorf("%v: answered %v", tt.fails, err)
			}
		}
	})
}

// lastView is a Listener that keeps what it was told.
type lastView struct {
	Listener

	view *rpc.Snapshot
}

func (l *lastView) Publish(u rpc.Update) { l.view = u.View }
