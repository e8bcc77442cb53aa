package config

import "testing"

func TestClaudeDesktopExpandsNothing(t *testing.T) {
	for _, value := range []string{"$SET ${SET} ${SET:-d} ${env:SET} {env:SET} $(true)", "API_KEY", "!true"} {
		e := &Entry{
			Name: "s", Kind: "stdio", Command: value, Args: []string{value}, Env: map[string]string{"K": value},
			forms: claudeDesktopDialect().forms, base: "/base",
		}
		out, err := e.Expand(t.Context(), expander())
		if err != nil || out.Command != value || out.Args[0] != value || out.Env["K"] != value || len(out.Warnings) > 0 {
			t.Errorf("%q: %+v, %v", value, out, err)
		}
	}
}

func TestClaudeDesktopIsWhereTheSystemKeepsApplications(t *testing.T) {
	for goos, want := range map[string]string{
		"linux":   "/xdg/Claude/claude_desktop_config.json",
		"darwin":  "/h/Library/Application Support/Claude/claude_desktop_config.json",
		"windows": "/roaming/Claude/claude_desktop_config.json",
	} {
		env := map[string]string{"XDG_CONFIG_HOME": "/xdg", "APPDATA": "/roaming"}
		s := &site{os: goos, opts: Options{Home: "/h", Getenv: func(name string) (string, bool) {
			v, ok := env[name]
			return v, ok
		}}}
		if got := claudeDesktopPlaces(s); len(got) != 1 || got[0].path != want || got[0].level != User {
			t.Errorf("%s: %+v", goos, got)
		}
	}
}
