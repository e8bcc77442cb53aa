package config

import (
	"path/filepath"
	"strings"
)

// mcphubPlaces: MCPHub's own file of the user is below ~/.config whatever
// XDG_CONFIG_HOME says, but a setting of its own can say otherwise, and then it
// is most likely where XDG has it.
func mcphubPlaces(s *site) []place {
	d := mcphubDialect()
	places := s.inProject(projectFile{path: ".mcphub/servers.json", dialect: d, read: readMCPHub, language: parseJSON5})
	own := s.home(".config", "mcphub", "servers.json")
	places = append(places, s.ofUser(own, d, readMCPHub).in(parseJSON5))
	if xdg := filepath.Join(s.configHome(), "mcphub", "servers.json"); xdg != own {
		places = append(places, s.ofUser(xdg, d, readMCPHub).in(parseJSON5))
	}
	return places
}

// readMCPHub reads the servers under "servers", as VS Code has them, and only
// without that under "mcpServers".
func readMCPHub(r *reading) {
	r.repeated(r.root, "", nil, "servers", "mcpServers", "inputs")
	r.inputs = readInputs(r.report, r.root.get("inputs"))
	servers, usual := present(r.root.get("servers")), r.root.get("mcpServers")
	if servers == nil {
		r.servers(usual)
		return
	}
	r.servers(servers)
	if usual != nil && len(usual.members) > 0 {
		r.warn(usual, "", `"mcpServers" is not read in this file, since it has "servers": move its entries there`)
	}
}

func mcphubDialect() *dialect {
	return &dialect{
		forms: formVariable | formEnv | formCommand | formEditor | formInput |
			formOwnEnv | formUnsetFails,
		decode: decodeMCPHub,
		silent: []string{"$schema", "description", "name", "displayName", "autoApprove", "config_source"},
	}
}

func decodeMCPHub(f *fields) {
	e := f.e
	var inherited []string
	f.reach(func(name string) { inherited = append(inherited, name) })
	for i, arg := range e.Args {
		// An older way to write ${V}.
		if name, ok := strings.CutPrefix(arg, "$"); ok && name != "" && nameLength(name) == len(name) {
			e.Args[i] = "${" + name + "}"
		}
	}
	for name, value := range e.Env {
		if value == "" {
			inherited = append(inherited, name)
		}
	}
	for _, name := range inherited {
		e.Env[name] = "${env:" + name + "}"
	}
	e.Exclude = f.exactNames("disabled_tools")
	f.mcphubNotes()
	f.enabled()
	f.transport()
}

func (f *fields) mcphubNotes() {
	for _, name := range []string{"disabled_prompts", "disabled_resources", "disabled_resourceTemplates"} {
		if n := f.get(name); n != nil && len(n.items) > 0 {
			f.unsupported(n, "they stay available")
		}
	}
	if n := f.object("custom_instructions"); stringIn(n, "text") != "" {
		f.unsupported(n, "no agent gets to see them")
	}
	f.note(f.get("dev"), "for developing the server with MCPHub: it has no effect here")
}
