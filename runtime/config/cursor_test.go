package config

import "testing"

// expandsTo checks what a dialect makes of values, each in an argument of an
// entry in a project's file.
func expandsTo(t *testing.T, d *dialect, cases map[string]string) {
	t.Helper()
	for in, want := range cases {
		e := &Entry{
			Name: "s", Kind: "stdio", Command: "c", Args: []string{in}, Level: Project,
			forms: d.forms, Path: "/project/.tool/file", base: "/project",
		}
		out, err := e.Expand(t.Context(), expander())
		if err != nil || out.Args[0] != want {
			t.Errorf("%q gives %q, want %q (%v)", in, out.Args, want, err)
		}
	}
}

func TestCursorExpandsItsOwnForms(t *testing.T) {
	expandsTo(t, cursorDialect(), map[string]string{
		"${env:SET}|${env:EMPTY}|${env:UNSET}":            "value||${env:UNSET}",
		"${workspaceFolder}:${workspaceFolderBasename}":   "/project:project",
		"${userHome}${pathSeparator}a${/}b":               "/home/u/a/b",
		"${SET} $SET {env:SET} ${input:token} ${file:/x}": "${SET} $SET {env:SET} ${input:token} ${file:/x}",
		"${env:SET:-d} ${config:a} ${command:b} $(true)":  "${env:SET:-d} ${config:a} ${command:b} $(true)",
		"API_KEY":         "API_KEY",
		"!pass show key":  "!pass show key",
		"${cmd: true}":    "${cmd: true}",
		"${env:SET}${env": "value${env",
	})
}

func TestCursorsEnvironmentFileAndClientExpand(t *testing.T) {
	m := newMachine(t)
	m.env["ID"], m.env["SECRET"] = "the-id", "the-long-secret"
	m.write(t, "home/project/.env", []byte("A=1\nB=from-the-file\n"))
	m.write(t, "home/project/.cursor/mcp.json", []byte(`{"mcpServers": {
		"s": {"command": "c", "env": {"A": "own"}, "envFile": "${workspaceFolder}/.env"},
		"r": {"url": "https://mcp.example.com", "auth": {"CLIENT_ID": "${env:ID}", "CLIENT_SECRET": "${env:SECRET}"}}
	}}`))
	r := m.discover(t)
	x := Expander{Getenv: m.opts.Getenv, Home: m.opts.Home, Folder: "/elsewhere"}
	out, err := named(r, "s").Expand(t.Context(), x)
	if err != nil || out.Env["A"] != "own" || out.Env["B"] != "from-the-file" {
		t.Errorf("%+v %v", out, err)
	}
	out, err = named(r, "r").Expand(t.Context(), x)
	if err != nil || out.Auth == nil || out.Auth.ClientID != "the-id" || out.Auth.ClientSecret != "the-long-secret" || len(out.Secrets) != 1 {
		t.Errorf("%+v %v", out, err)
	}
}
