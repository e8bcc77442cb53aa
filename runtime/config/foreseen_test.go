package config

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestWhatIsSecretIsKnownBeforeAnythingIsStarted(t *testing.T) {
	e := &Entry{
		Raw: json.RawMessage(`{"env": {"TOKEN": "written-out-1"}}`), forms: formVariable,
		Env: map[string]string{"TOKEN": "written-out-1", "A": "${NAMED}", "B": "${NOT_SET}"}, Passed: []string{"PASSED"},
	}
	getenv := func(name string) (string, bool) { return "value of " + name, name != "NOT_SET" }
	if got, want := e.Foreseen(getenv, true), []string{"value of NAMED", "value of PASSED", "written-out-1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := e.Foreseen(getenv, false), []string{"value of NAMED", "value of PASSED"}; !slices.Equal(got, want) {
		t.Errorf("not started: got %q, want %q", got, want)
	}
	// The name of a variable that is set is its name, and one that is not is a value.
	for name, set := range map[string]bool{"A_TOKEN_OF_MINE": true, "A_SECRET_2": false} {
		e := &Entry{Raw: json.RawMessage(`{"env": {"TOKEN": "` + name + `"}}`), forms: formWhole}
		if got := e.Foreseen(func(string) (string, bool) { return "v", set }, true); slices.Contains(got, name) == set {
			t.Errorf("%s, set %v: got %q", name, set, got)
		}
	}
	got := EnvironmentSecrets([]string{
		"HOME=/home/me", "A_TOKEN=one two 3", "API_KEY=k-1", "SSH_AUTH_SOCK=/tmp/agent.1", "DESKTOP_SESSION=ubuntu-xorg",
	})
	if want := []string{"one two 3", "k-1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
