package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCodexExpandsNothing(t *testing.T) {
	const in = "$SET ${SET} ${SET:-d} ${env:SET} {env:SET} $(true) ~ API_KEY"
	for _, value := range []string{in, "API_KEY", "!true"} {
		e := &Entry{
			Name: "s", Kind: "stdio", Command: value, Args: []string{value}, Env: map[string]string{"K": value},
			forms: codexDialect().forms, base: "/base",
		}
		out, err := e.Expand(t.Context(), expander())
		if err != nil || out.Command != value || out.Args[0] != value || out.Env["K"] != value || len(out.Warnings) > 0 {
			t.Errorf("%q: %+v, %v", value, out, err)
		}
	}
}

func TestHeadersThatVariablesHold(t *testing.T) {
	cases := []struct {
		name     string
		headers  map[string]string
		env      map[string]string
		token    string
		want     map[string]string
		warnings string
		err      string
		secrets  []string
	}{
		{name: "none", headers: map[string]string{"A": "a"}, want: map[string]string{"A": "a"}},
		{
			name: "of a variable", headers: map[string]string{"A": "a"}, env: map[string]string{"B": "API_KEY"},
			want: map[string]string{"A": "a", "B": "key-key-key"}, secrets: []string{"key-key-key"},
		},
		{
			name: "over a fixed one, whose case is another", headers: map[string]string{"x-key": "a"}, env: map[string]string{"X-Key": "SET"},
			want: map[string]string{"X-Key": "value"},
		},
		{
			name: "of no value", env: map[string]string{"A": "UNSET", "B": "EMPTY"}, want: map[string]string{},
			warnings: "headers.A: the variable UNSET is not set, so the header is left out|" +
				"headers.B: the variable EMPTY is not set, so the header is left out",
		},
		{
			name: "a token", headers: map[string]string{"authorization": "none"}, token: "LONG_SECRET",
			want: map[string]string{"Authorization": "Bearer 0123456789"}, secrets: []string{"0123456789"},
		},
		{name: "no token", token: "UNSET", err: "headers.Authorization: the variable UNSET is not set"},
		{name: "an empty token", token: "EMPTY", err: "headers.Authorization: the variable EMPTY is not set"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := &Entry{Name: "s", Kind: "http", URL: "https://x.example", Headers: c.headers, EnvHeaders: c.env, TokenVariable: c.token}
			out, err := e.Expand(t.Context(), expander())
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, out.Headers); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if got := strings.Join(out.Warnings, "|"); got != c.warnings || !slices.Equal(out.Secrets, c.secrets) {
				t.Errorf("warnings %s, secrets %q", got, out.Secrets)
			}
		})
	}
}

func TestWhatVariablesHoldIsPartOfHowAServerIsReached(t *testing.T) {
	x := expander()
	plain := &Entry{Name: "s", Kind: "http", URL: "https://x.example"}
	held := &Entry{Name: "s", Kind: "http", URL: "https://x.example", EnvHeaders: map[string]string{"X-A": "SET"}, TokenVariable: "API_KEY"}
	spelt := &Entry{
		Name: "s", Kind: "http", URL: "https://x.example", forms: formVariable,
		Headers: map[string]string{"x-a": "${SET}", "Authorization": "Bearer ${API_KEY}"},
	}
	if plain.Identity(x) == held.Identity(x) || plain.target(x) == held.target(x) {
		t.Error("an entry with headers is one without")
	}
	if spelt.target(x) != strings.ReplaceAll(held.target(x), "Authorization", "authorization") {
		t.Errorf("the same headers, spelt in another way, lead elsewhere: %s, %s", held.target(x), spelt.target(x))
	}
	if got := held.Uses().Variables; !slices.Equal(got, []string{"API_KEY", "SET"}) {
		t.Errorf("it uses %q", got)
	}
}
