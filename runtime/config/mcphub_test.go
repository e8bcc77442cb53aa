package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMCPHubExpandsItsPlaceholders(t *testing.T) {
	cases := []struct{ in, want string }{
		{"${SET}-${env:SET}", "value-value"},
		{"<${EMPTY}>", "<>"},
		{"${UNSET}", "error: args[0]: the variable UNSET is not set"},
		{"${env:UNSET}", "error: args[0]: the variable UNSET is not set"},
		{"${cmd: pass show key}", "from-the-command"},
		{"${cmd: false}", "error: args[0]: the command failed: exit status 1"},
		{"${input:token}", "tok-tok-tok"},
		{"${workspaceFolder}${/}x ${userHome}", "/session/x /home/u"},
		{"$SET $(true) !true API_KEY", "$SET $(true) !true API_KEY"},
		{"${OWN}", "own"},
		{"${env:OWN_TOO}", "value!"},
		{"${SET:-d}", "${SET:-d}"},
	}
	for _, c := range cases {
		e := Entry{forms: mcphubDialect().forms, Env: map[string]string{"OWN": "own", "OWN_TOO": "${SET}!"}}
		if got := argument(t, e, c.in); got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMCPHubTakesVariablesOfTheEntryBeforeTheEnvironments(t *testing.T) {
	e := &Entry{
		Name: "s", Kind: "http", forms: mcphubDialect().forms, URL: "https://${SET}/${API_KEY}",
		Headers: map[string]string{"A": "${TOKEN}"},
		Env: map[string]string{
			"SET": "own", "API_KEY": "${env:API_KEY}", "TOKEN": "${cmd: pass show key}",
			"lower_case": "${lower_case}:more", "ABOVE": "${A1}${lower_case}", "BESIDE": "<${SET}>",
		},
	}
	out, err := e.Expand(t.Context(), expander())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"SET": "own", "API_KEY": "key-key-key", "TOKEN": "from-the-command",
		"lower_case": "l:more", "ABOVE": "a1l", "BESIDE": "<own>",
	}
	if diff := cmp.Diff(want, out.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
	if out.URL != "https://own/key-key-key" || out.Headers["A"] != "from-the-command" {
		t.Errorf("url %q, headers %q", out.URL, out.Headers)
	}
	if diff := cmp.Diff([]string{"A1", "API_KEY", "lower_case"}, e.Uses().Variables); diff != "" {
		t.Errorf("variables of the environment (-want +got):\n%s", diff)
	}

	// One that is neither in the environment nor plain is nowhere.
	e.Env["BESIDE"] = "${TOKEN}"
	if _, err := e.Expand(t.Context(), expander()); err == nil || err.Error() != "env.BESIDE: the variable TOKEN is not set" {
		t.Errorf("got %v", err)
	}
}

func TestAnEntrysOwnEnvCannotGrowItWithoutBounds(t *testing.T) {
	t.Parallel()
	for _, e := range []Entry{
		{Env: map[string]string{"A": strings.Repeat("a", 1<<14)}, URL: strings.Repeat("${A}", 1<<10)},
		{Env: map[string]string{"A": strings.Repeat("a", 1<<14), "B": strings.Repeat("${A}", 1<<10)}},
		{Env: map[string]string{"A1": strings.Repeat("${SET}", 1<<11), "B": strings.Repeat("${A1}", 1<<10)}},
	} {
		e.forms, e.Kind = mcphubDialect().forms, "http"
		if _, err := e.Expand(t.Context(), expander()); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("got %.100v", err)
		}
		e.Identity(expander())
	}
}
