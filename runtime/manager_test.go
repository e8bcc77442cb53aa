package runtime

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestPanicInTheManagersLoopIsTheAnswerOfWhoAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{})
		for _, tt := range []struct {
			name string
			ask  func() error
		}{
			{"a round", func() error {
				_, err := w.c.round(func() <-chan struct{} { panic("a bug") })
				return err
			}},
			{"one server", func() error {
				_, err := w.c.ask(t.Context(), "a", nil, func(*member) error { panic("a bug") })
				return err
			}},
			{"a wait", func() error { return w.m.watch(t.Context(), func(*rpc.Snapshot) bool { panic("a bug") }) }},
		} {
			var other *rpc.Error
			if err := tt.ask(); err == nil || errors.As(err, &other) {
				t.Errorf("%s: %v, want an error that rpc maps to an internal one", tt.name, err)
			}
		}
		w.called(&rpc.CallParams{Name: "mcp_a_x"})
		w.expect(w.take("call"), "0s called x, deferred false, waited 0 ms, took 0 ms")
	})
}
