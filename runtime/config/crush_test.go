package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// argument is what one argument of an entry of a dialect becomes.
func argument(t *testing.T, e Entry, in string) string {
	t.Helper()
	e.Name, e.Kind, e.Command, e.Args, e.base = "s", "stdio", "c", []string{in}, "/base"
	out, err := e.Expand(t.Context(), expander())
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(out.Args, " ")
}

func TestCrushExpandsAValueAsAShellDoes(t *testing.T) {
	cases := []struct{ in, want string }{
		{"$SET ${SET}", "value value"},
		{"<$UNSET${UNSET}$EMPTY>", "<>"},
		{"${UNSET:-d} ${EMPTY:-d} ${SET:-d}", "d d value"},
		{"${UNSET:-${EMPTY:-$SET}}", "value"},
		{"<${SET:+--k=${SET}}${EMPTY:+x}${UNSET:+x}>", "<--k=value>"},
		{"${SET:?needed}", "value"},
		{"${EMPTY:?needed}", "error: args[0]: the variable EMPTY is not set or empty"},
		{"${UNSET:?}", "error: args[0]: the variable UNSET is not set or empty"},
		{"<$(pass show key)>", "<from-the-command>"},
		{"$(false)", "error: args[0]: the command failed: exit status 1"},
		{`\$SET \${SET} \\$SET \$(false) \x "\""`, `$SET ${SET} \value $(false) \x "\""`},
		{"\\`", "`"},
		{`C:\dir\`, `C:\dir\`},
		{"${SET%x} ${#SET} ${SET-x}", "${SET%x} ${#SET} ${SET-x}"},
		{"$1 $ !true API_KEY ${env:SET}", "$1 $ !true API_KEY ${env:SET}"},
	}
	for _, c := range cases {
		if got := argument(t, Entry{forms: crushDialect().forms}, c.in); got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCrushLeavesOutAHeaderThatComesOutEmpty(t *testing.T) {
	e := &Entry{
		Name: "s", Kind: "http", URL: "https://example.com/", forms: crushDialect().forms,
		Env: map[string]string{"E": "$EMPTY"}, Headers: map[string]string{"A": "$UNSET", "B": "x$UNSET", "C": "$(true)", "D": ""},
	}
	out, err := e.Expand(t.Context(), expander())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"B": "x"}, out.Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"E": ""}, out.Env); diff != "" {
		t.Errorf("env (-want +got):\n%s", diff)
	}
}

func TestNoWarningOfAShellFormRepeatsWhatFollowsTheName(t *testing.T) {
	e := &Entry{Name: "s", Kind: "stdio", Command: "c", Args: []string{"${SET%secret}", "${UNSET:?secret}"}, forms: crushDialect().forms}
	_, err := e.Expand(t.Context(), expander())
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	e.Args = e.Args[:1]
	out, err := e.Expand(t.Context(), expander())
	if err != nil || len(out.Warnings) != 1 || strings.Contains(out.Warnings[0], "secret") {
		t.Errorf("got %q, %v", out.Warnings, err)
	}
}

// userFiles are the user's files that a row looks at, strongest first.
func userFiles(goos string, env map[string]string, places func(*site) []place) []string {
	s := &site{os: goos, opts: Options{Home: "/home/u", Getenv: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}}
	var paths []string
	for _, p := range places(s) {
		if p.located() && p.level == User {
			paths = append(paths, p.path)
		}
	}
	return paths
}

func TestCrushLooksWhereItsVariablesSay(t *testing.T) {
	cases := []struct {
		name string
		os   string
		env  map[string]string
		want []string
	}{
		{"nothing set", "linux", nil, []string{
			"/home/u/.local/share/crush/crush.json", "/home/u/.config/crush/crushrc", "/home/u/.config/crush/crush.json", "/etc/crush/crush.json",
		}},
		{"macOS", "darwin", nil, []string{
			"/home/u/.local/share/crush/crush.json", "/home/u/.config/crush/crushrc", "/home/u/.config/crush/crush.json", "/etc/crush/crush.json",
		}},
		{"Windows", "windows", nil, []string{
			"/home/u/AppData/Local/crush/crush.json", "/home/u/.config/crush/crushrc", "/home/u/.config/crush/crush.json",
		}},
		{"LOCALAPPDATA", "windows", map[string]string{"LOCALAPPDATA": "/l"}, []string{
			"/l/crush/crush.json", "/home/u/.config/crush/crushrc", "/home/u/.config/crush/crush.json",
		}},
		{"XDG", "linux", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"}, []string{
			"/d/crush/crush.json", "/c/crush/crushrc", "/c/crush/crush.json", "/etc/crush/crush.json",
		}},
		{"its own", "linux", map[string]string{"CRUSH_GLOBAL_CONFIG": "/g", "CRUSH_GLOBAL_DATA": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"}, []string{
			"/h/crush.json", "/g/crushrc", "/g/crush.json", "/etc/crush/crush.json",
		}},
		{"relative ones", "linux", map[string]string{"CRUSH_GLOBAL_CONFIG": "g", "CRUSH_GLOBAL_DATA": ".", "XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": "d"}, []string{
			"/home/u/.local/share/crush/crush.json", "/home/u/.config/crush/crushrc", "/home/u/.config/crush/crush.json", "/etc/crush/crush.json",
		}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, userFiles(c.os, c.env, crushPlaces)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
