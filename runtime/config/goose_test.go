package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gooseEntry is an entry of Goose as it is decoded.
func gooseEntry(t *testing.T, text string) *Entry {
	t.Helper()
	def := parsed(t, "f", text)
	def.place = place{level: User, base: "/base", dialect: gooseDialect()}
	return new(report).decode(&provider{id: "goose"}, def)
}

func TestGooseExpandsAddressAndHeadersFromItsOwnEnvAlone(t *testing.T) {
	cases := []struct{ in, want string }{
		{"$MODE ${MODE}", "fast fast"},
		{"$API_KEY/${API_KEY}", "key-key-key/key-key-key"},
		{"$SET ${SET} ${env:SET}", "$SET ${SET} value"},
		{"?$filter=1&${x}", "?$filter=1&${x}"},
		{"$(true) !true API_KEY {env:SET}", "$(true) !true API_KEY {env:SET}"},
		{"${MODE:-d}", "${MODE:-d}"},
	}
	for _, c := range cases {
		e := gooseEntry(t, `{"type": "streamable_http", "uri": "https://h/`+c.in+`", "headers": {"A": "`+c.in+`"}, "envs": {"MODE": "fast"}, "env_keys": ["API_KEY"]}`)
		out, err := e.Expand(t.Context(), expander())
		if err != nil || out.URL != "https://h/"+c.want || out.Headers["A"] != c.want {
			t.Errorf("%q gives %q and %q, want %q (%v)", c.in, out.URL, out.Headers["A"], c.want, err)
		}
	}
}

func TestGooseExpandsNothingForAProcess(t *testing.T) {
	e := gooseEntry(t, `{"type": "stdio", "cmd": "c", "args": ["$SET", "${SET}", "${env:SET}", "$(true)"], "envs": {"A": "$SET"}}`)
	out, err := e.Expand(t.Context(), expander())
	if err != nil || strings.Join(out.Args, " ") != "$SET ${SET} ${env:SET} $(true)" || out.Env["A"] != "$SET" {
		t.Errorf("args %q, env %q, %v", out.Args, out.Env, err)
	}
}

func TestAKeyThatGooseMayHaveInItsKeyringIsNamedWhenItIsNotSet(t *testing.T) {
	e := gooseEntry(t, `{"type": "stdio", "cmd": "c", "envs": {"OWN": "x"}, "env_keys": ["API_KEY", "UNSET", "OWN"]}`)
	_, err := e.Expand(t.Context(), expander())
	if want := "env.UNSET: the variable UNSET is not set: what is kept in a keyring cannot be read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if diff := cmp.Diff([]string{"API_KEY", "UNSET"}, e.Uses().Variables); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	delete(e.Env, "UNSET")
	out, err := e.Expand(t.Context(), expander())
	if diff := cmp.Diff(map[string]string{"API_KEY": "key-key-key", "OWN": "x"}, out.Env); err != nil || diff != "" {
		t.Errorf("%v, env (-want +got):\n%s", err, diff)
	}
}

func TestGoosesValuesCannotGrowWithoutBounds(t *testing.T) {
	e := gooseEntry(t, `{"type": "streamable_http", "envs": {"A": "`+strings.Repeat("a", 1<<16)+`"}, "uri": "`+strings.Repeat("$A/", 1<<16)+`"}`)
	if !strings.Contains(e.Invalid, "uri: too long") || len(e.URL) > maxFile {
		t.Errorf("invalid: %.100q", e.Invalid)
	}
}

func TestGooseLooksWhereItsVariablesSay(t *testing.T) {
	const system = "/etc/goose/config.yaml"
	cases := []struct {
		name string
		os   string
		env  map[string]string
		want []string
	}{
		{"nothing set", "linux", nil, []string{"/home/u/.config/goose/config.yaml", system}},
		{"macOS", "darwin", nil, []string{"/home/u/.config/goose/config.yaml", system}},
		{"XDG", "linux", map[string]string{"XDG_CONFIG_HOME": "/c"}, []string{"/c/goose/config.yaml", system}},
		{"its root", "linux", map[string]string{"GOOSE_PATH_ROOT": "/r", "XDG_CONFIG_HOME": "/c"}, []string{"/r/config/config.yaml", system}},
		{"a relative root", "linux", map[string]string{"GOOSE_PATH_ROOT": "r"}, []string{"/home/u/.config/goose/config.yaml", system}},
		{"additional files, the last strongest", "linux", map[string]string{"GOOSE_ADDITIONAL_CONFIG_FILES": "/1:2::/3"}, []string{
			"/home/u/.config/goose/config.yaml", "/3", "/1", system,
		}},
		{"Windows", "windows", map[string]string{"PROGRAMDATA": "/p", "GOOSE_ADDITIONAL_CONFIG_FILES": "/1;/3"}, []string{
			"/home/u/AppData/Roaming/Block/goose/config/config.yaml", "/3", "/1", "/p/goose/config.yaml",
		}},
		{"APPDATA", "windows", map[string]string{"APPDATA": "/a", "PROGRAMDATA": "."}, []string{"/a/Block/goose/config/config.yaml"}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, userFiles(c.os, c.env, goosePlaces)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
