package config

import (
	"cmp"
	"path/filepath"
	"slices"
)

func zedPlaces(s *site) []place {
	d := zedDialect()
	places := s.inProject(projectFile{path: ".zed/settings.json", dialect: d, read: readZed})
	return append(places, s.ofUser(filepath.Join(s.zedConfig(), "settings.json"), d, readZed))
}

// zedConfig is Zed's own directory: it heeds XDG's variable on Linux only.
func (s *site) zedConfig() string {
	switch s.os {
	case "darwin":
		return s.home(".config", "zed")
	case "windows":
		return filepath.Join(s.appConfig(), "Zed")
	}
	return filepath.Join(cmp.Or(s.pathFrom("FLATPAK_XDG_CONFIG_HOME"), s.configHome()), "zed")
}

// readZed reads the settings at the top. What an agent's profile says of
// context_servers is which of their tools it uses.
func readZed(r *reading) { r.readServersAt("context_servers", "mcpServers") }

func zedDialect() *dialect {
	return &dialect{
		decode: decodeZed,
		silent: []string{"source", "remote", "settings"},
	}
}

// startable says that an entry of Zed's says how its server is reached. One that
// does not is about a server that an extension brings.
func startable(n *node) bool {
	return n.kind != object || present(n.get("command")) != nil || present(n.get("url")) != nil
}

// zedMerged is how Zed takes the entries of one name: the stronger replaces the
// weaker, so that the variables of one never reach the command of the other. But
// one that is not startable may switch a weaker one on and off.
func zedMerged(strong, weak *node) *node {
	enabled := present(strong.get("enabled"))
	if startable(strong) || weak.kind != object {
		return strong.copied()
	}
	both := *strong
	both.origin, both.repeated = strong.written(), nil
	all := slices.Clone(weak.copied().members)
	if enabled != nil {
		all = slices.DeleteFunc(all, func(m member) bool { return m.name == "enabled" })
		all = append(all, member{"enabled", enabled.copied()})
	}
	both.setMembers(all)
	return &both
}

func decodeZed(f *fields) {
	e := f.e
	if !startable(f.obj) {
		f.skip(`neither "command" nor "url": taken for the settings of an extension of Zed, whose server is not started here`)
		return
	}
	if n := f.get("command"); n != nil && n.kind == object {
		f.zedCommand(n)
	} else {
		f.reach(nil)
	}
	e.CallTimeout = f.seconds("timeout")
	if n := f.object("oauth"); n != nil {
		e.Auth = &Auth{
			ClientID:     f.textOf(n.get("client_id")),
			ClientSecret: f.textOf(n.get("client_secret")),
		}
	}
	f.enabled()
	f.transport()
}

// zedCommand reads the command with its arguments in it, as Zed wrote it until
// 2025.
func (f *fields) zedCommand(n *node) {
	f.e.Command = f.textOf(n.get("path"))
	f.e.Args = f.listOf(n.get("args"))
	f.e.Env = f.tableOf(n.get("env"), nil)
	if f.e.Command == "" && f.e.Invalid == "" {
		f.invalid(n, `command: expected a string "path"`)
	}
}
