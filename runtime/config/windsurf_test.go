package config

import "testing"

func TestWindsurfExpandsItsOwnForms(t *testing.T) {
	expandsTo(t, windsurfDialect(), map[string]string{
		"${env:SET}|${env:EMPTY}|${env:UNSET}": "value||${env:UNSET}",
		"${SET} $SET {env:SET} {file:/x}":      "${SET} $SET {env:SET} {file:/x}",
		"${workspaceFolder} ${userHome} ${/}":  "${workspaceFolder} ${userHome} ${/}",
		"${input:token} ${file:}":              "${input:token} ${file:}",
		"API_KEY":                              "API_KEY",
	})
}

func TestWindsurfsFilesAreValues(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.secrets/token", []byte("tok-from-a-file\n"))
	m.write(t, "home/.codeium/windsurf/near", []byte("near-text"))
	m.write(t, "home/.codeium/windsurf/mcp_config.json", []byte(`{"mcpServers": {
		"s": {"serverUrl": "https://mcp.example.com", "headers": {"A": "Bearer ${file:~/.secrets/token}", "B": "${file:near}"}},
		"gone": {"command": "c", "args": ["${file:/nowhere/at/all}"]}
	}}`))
	r := m.discover(t)
	x := Expander{Getenv: m.opts.Getenv, Home: m.opts.Home}
	out, err := named(r, "s").Expand(t.Context(), x)
	if err != nil || out.Headers["A"] != "Bearer tok-from-a-file" || out.Headers["B"] != "near-text" || len(out.Secrets) != 2 {
		t.Errorf("%+v %v", out, err)
	}
	if _, err := named(r, "gone").Expand(t.Context(), x); err == nil {
		t.Error("a server whose file is not there would start")
	}
}

func TestWindsurfsToolsThatAreSwitchedOffAreNames(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.codeium/windsurf/mcp_config.json", []byte(`{"mcpServers": {"s": {"command": "c", "disabledTools": ["a*b", "c"]}}}`))
	if e := named(m.discover(t), "s"); len(e.Exclude) != 2 || e.Exclude[0] != `a\*b` || e.Exclude[1] != "c" {
		t.Errorf("%q", e.Exclude)
	}
}
