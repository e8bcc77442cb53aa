package runtime

import (
	"slices"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

func TestReconcile(t *testing.T) {
	entry := func(command string, timeout int) *config.Entry {
		return &config.Entry{Name: "a", Kind: "stdio", Command: command, Timeout: milliseconds(timeout)}
	}
	want := func(e *config.Entry, rest rpc.Phase) map[string]desired {
		return map[string]desired{"a": {entry: e, rest: rest}}
	}
	have := func(e *config.Entry, rest rpc.Phase, stopped, over bool) map[string]running {
		return map[string]running{"a": {desired: desired{entry: e, rest: rest}, stopped: stopped, over: over}}
	}
	for _, tt := range []struct {
		name string
		want map[string]desired
		have map[string]running
		do   []action
	}{
		{"nothing", nil, nil, nil},
		{"new", want(entry("x", 0), ""), nil, []action{{"a", deedStart}}},
		{"gone", nil, have(entry("x", 0), "", false, false), []action{{"a", deedRemove}}},
		{"the same", want(entry("x", 0), ""), have(entry("x", 0), "", false, false), []action{{"a", deedKeep}}},
		{"another command", want(entry("y", 0), ""), have(entry("x", 0), "", false, false), []action{{"a", deedRestart}}},
		{"another timeout", want(entry("x", 9), ""), have(entry("x", 0), "", false, false), []action{{"a", deedKeep}}},
		{"switched off", want(entry("x", 0), rpc.PhaseDisabled), have(entry("x", 0), "", false, false), []action{{"a", deedRestart}}},
		{"switched on", want(entry("x", 0), ""), have(entry("x", 0), rpc.PhaseDisabled, false, false), []action{{"a", deedRestart}}},
		{"off, and started by hand", want(entry("x", 0), rpc.PhaseDisabled), have(entry("x", 0), rpc.PhaseDisabled, false, false), []action{{"a", deedKeep}}},
		{"stopped by hand", want(entry("x", 0), ""), have(entry("x", 0), "", true, false), []action{{"a", deedKeep}}},
		{"stopped by hand, another command", want(entry("y", 0), ""), have(entry("x", 0), "", true, false), []action{{"a", deedReplace}}},
		{"stopped by hand, switched off", want(entry("x", 0), rpc.PhaseDisabled), have(entry("x", 0), "", true, false), []action{{"a", deedRestart}}},
		{"told to end by a full reload", want(entry("x", 0), ""), have(entry("x", 0), "", false, true), []action{{"a", deedRestart}}},
		{"stopped by hand, told to end", want(entry("x", 0), ""), have(entry("x", 0), "", true, true), []action{{"a", deedRestart}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := reconcile(tt.want, tt.have); !slices.Equal(got, tt.do) {
				t.Errorf("%v, want %v", got, tt.do)
			}
		})
	}
}

func TestReconcileIsSortedByName(t *testing.T) {
	want := map[string]desired{}
	have := map[string]running{}
	for _, n := range []string{"d", "b", "e"} {
		want[n] = desired{entry: &config.Entry{Name: n}}
	}
	for _, n := range []string{"c", "a"} {
		have[n] = running{desired: desired{entry: &config.Entry{Name: n}}}
	}
	var names []string
	for _, a := range reconcile(want, have) {
		names = append(names, a.name)
	}
	if !slices.Equal(names, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("%v", names)
	}
}
