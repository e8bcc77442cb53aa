package config

import "testing"

func TestZedExpandsNothing(t *testing.T) {
	cases := make(map[string]string)
	for _, in := range []string{
		"${SET}", "$SET", "${env:SET}", "{env:SET}", "${input:token}", "${workspaceFolder}", "$(true)", "${file:/x}", "!true", "API_KEY",
	} {
		cases[in] = in
	}
	expandsTo(t, zedDialect(), cases)
}

func TestZedTakesTheStrongerEntryWhole(t *testing.T) {
	cases := []struct{ name, strong, weak, want string }{
		{"both startable", `{"command": "a"}`, `{"command": "b", "env": {"K": "secret"}}`, `{"command":"a"}`},
		{"a url over a command", `{"url": "u"}`, `{"command": "b"}`, `{"url":"u"}`},
		{"switched off", `{"enabled": false}`, `{"command": "b", "enabled": true}`, `{"command":"b","enabled":false}`},
		{"switched on", `{"enabled": true}`, `{"enabled": false, "command": "b"}`, `{"command":"b","enabled":true}`},
		{"no variables from the stronger", `{"env": {"K": "x"}, "args": ["y"]}`, `{"command": "b"}`, `{"command":"b"}`},
		{"null, which says nothing", `{"enabled": null}`, `{"command": "b", "enabled": false}`, `{"command":"b","enabled":false}`},
		{"an extension's", `{"settings": {"a": 1}}`, `{"command": "b", "enabled": false}`, `{"command":"b","enabled":false}`},
		{"of what is no object", `{"enabled": false}`, `"x"`, `{"enabled":false}`},
		{"what is no object", `"x"`, `{"command": "b"}`, `"x"`},
	}
	for _, c := range cases {
		defs := []definition{parsed(t, "strong", c.strong), parsed(t, "weak", c.weak)}
		got := merged(defs, zedMerged)
		if json := string(got.node.json()); json != c.want {
			t.Errorf("%s: got %s, want %s", c.name, json, c.want)
		}
		if got.node.doc.path != "strong" {
			t.Errorf("%s: stands in %s", c.name, got.node.doc.path)
		}
	}
}

func TestAZedProjectThatIsDeniedSwitchesNothingOff(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.zed/settings.json", []byte(`{"context_servers": {"a": {"enabled": false}, "b": {"command": "theirs"}}}`))
	m.write(t, "home/.config/zed/settings.json", []byte(`{"context_servers": {"a": {"command": "mine"}, "b": {"command": "mine-too"}}}`))
	m.opts.Denied = (*Entry).NeedsTrust
	r := m.discover(t)
	for name, command := range map[string]string{"a": "mine", "b": "mine-too"} {
		if e := named(r, name); e == nil || e.Command != command || e.Disabled || e.Level != User {
			t.Errorf("%s is %+v", name, e)
		}
	}
}
