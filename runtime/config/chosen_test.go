package config

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// What the host names itself is read whatever the rows it wants, and the rest of
// its row is among the files that are left out.
func TestIncludeIsNotAboutWhatTheHostNames(t *testing.T) {
	m := newMachine(t)
	for name, file := range map[string]string{
		"project": "home/project/.mcp-sidecar/mcp.json", "user": "home/.config/mcp-sidecar/mcp.json",
		"named": "home/named.json", "claude": "home/.claude.json", "cursor": "home/.cursor/mcp.json",
	} {
		m.write(t, file, []byte(`{"mcpServers": {"`+name+`": {"command": "c-`+name+`"}}}`))
	}
	m.opts.Files, m.opts.Servers = []string{"~/named.json"}, map[string]json.RawMessage{"host": json.RawMessage(`{"command": "h"}`)}
	for _, c := range []struct {
		include, exclude []string
		want             string
		left             bool // the files of mcp-sidecar
	}{
		{nil, nil, "claude cursor host named project user", false},
		{[]string{"claude"}, nil, "claude host named", true},
		{[]string{"claude", sidecarID}, nil, "claude host named project user", false},
		{[]string{}, nil, "host named", true},
		{nil, []string{sidecarID, HostID}, "claude cursor", true},
		{[]string{sidecarID}, []string{sidecarID}, "host", true},
	} {
		m.opts.Include, m.opts.Exclude = c.include, c.exclude
		r := m.discover(t)
		var names, left []string
		for i := range r.Entries {
			names = append(names, r.Entries[i].Name)
		}
		for _, f := range r.LeftOut {
			left = append(left, f.Path)
		}
		if slices.Sort(names); strings.Join(names, " ") != c.want {
			t.Errorf("include %q, exclude %q: %q, want %q", c.include, c.exclude, names, c.want)
		}
		for _, file := range []string{"home/project/.mcp-sidecar/mcp.json", "home/.config/mcp-sidecar/mcp.json"} {
			if slices.Contains(left, m.path(file)) != c.left {
				t.Errorf("include %q, exclude %q: is %s left out? %v", c.include, c.exclude, file, !c.left)
			}
		}
	}
}

func TestProvidersThatDoNotExistAreNamed(t *testing.T) {
	r := Discover(context.Background(), Options{
		Cwd: t.TempDir(), Home: t.TempDir(), Getenv: func(string) (string, bool) { return "", false },
		ProjectConfig: true, Include: []string{"claude", "claud"}, Exclude: []string{"vscod"}, Own: []string{"curser"},
	})
	if len(r.Diagnostics) != 3 {
		t.Fatalf("%+v", r.Diagnostics)
	}
	for i, want := range []string{`settings.discovery.include: there is no provider "claud"; this version reads host, mcp-sidecar, claude`, `settings.discovery.exclude: there is no provider "vscod"`, `settings.discovery.own: there is no provider "curser"`} {
		if d := r.Diagnostics[i]; !d.Warning || !strings.HasPrefix(d.Path+": "+d.Message, want) {
			t.Errorf("%+v", d)
		}
	}
}
