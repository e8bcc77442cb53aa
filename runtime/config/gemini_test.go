package config

import (
	"strings"
	"testing"
)

// What is not set stays as written when the settings are read; env and headers
// are expanded once more, and there it is empty.
func TestGeminiExpandsItsOwnForms(t *testing.T) {
	cases := []struct{ in, arg, env string }{
		{"plain", "plain", "plain"},
		{"$SET", "value", "value"},
		{"<${SET}>", "<value>", "<value>"},
		{"<$EMPTY>", "<>", "<>"},
		{"<$UNSET>", "<$UNSET>", "<>"},
		{"<${UNSET}>", "<${UNSET}>", "<>"},
		{"<${UNSET:-d}${EMPTY:-d}>", "<d>", "<d>"},
		{"$SET/$1 $", "value/$1 $", "value/$1 $"},
		{"${env:SET} {env:SET} $(SET) %SET% !true", "${env:SET} {env:SET} $(SET) %SET% !true", "${env:SET} {env:SET} $(SET) %SET% !true"},
		{"API_KEY", "API_KEY", "API_KEY"},
	}
	for _, c := range cases {
		e := &Entry{
			Name: "s", Kind: "stdio", Command: "c", Args: []string{c.in, c.in}, Env: map[string]string{"K": c.in},
			forms: geminiDialect().forms, base: "/base",
		}
		out, err := e.Expand(t.Context(), expander())
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if out.Args[0] != c.arg || out.Env["K"] != c.env {
			t.Errorf("%q gives %q as an argument and %q in env, want %q and %q", c.in, out.Args[0], out.Env["K"], c.arg, c.env)
		}
		if unset := strings.Contains(c.in, "UNSET") && c.env == "<>"; unset != (len(out.Warnings) == 3) {
			t.Errorf("%q: warnings %q", c.in, out.Warnings)
		}
	}
}

func TestAProjectOfGeminiSwitchesOffItsOwnServersOnly(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.gemini/settings.json", []byte(`{"mcpServers": {"a": {"command": "user-a"}, "b": {"command": "user-b"}}}`))
	m.write(t, "home/project/.gemini/settings.json", []byte(
		`{"mcp": {"allowed": ["c"], "excluded": ["a", "b", "d"]}, "mcpServers": {"c": {"command": "c"}, "d": {"command": "d"}, "b": {"command": "project-b"}}}`))
	m.opts.Denied = (*Entry).NeedsTrust
	r := m.discover(t)
	for _, name := range []string{"a", "b"} {
		if e := named(r, name); e == nil || e.Disabled || e.Command != "user-"+name {
			t.Errorf("%s is %+v", name, e)
		}
	}
}
