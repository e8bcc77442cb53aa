package config

import (
	"path/filepath"
)

// mcpJSON is Claude Code's project file, which is also everybody's.
const mcpJSON = ".mcp.json"

func claudePlaces(s *site) []place {
	main, settings := s.home(".claude.json"), s.home(".claude", "settings.json")
	// A relative one would lead into the project.
	if dir, ok := absolute(s.env("CLAUDE_CONFIG_DIR"), s.opts.Home, ""); ok {
		main, settings = filepath.Join(dir, ".claude.json"), filepath.Join(dir, "settings.json")
	}
	own := claudeDialect()
	local := s.ofUser(main, own, readClaudeLocal)
	local.personal = true

	places := []place{local}
	places = append(places, s.inProject(projectFile{path: mcpJSON, dialect: claudeProjectDialect(), read: readMCPServers})...)
	places = append(places,
		s.ofUser(main, own, readMCPServers),
		s.ofUser(main, nil, readClaudeSwitches),
		s.ofUser(settings, nil, readClaudeSettings))
	return append(places, s.inProject(
		projectFile{path: ".claude/settings.local.json", read: readClaudeSettings},
		projectFile{path: ".claude/settings.json", read: readClaudeSettings},
	)...)
}

// claudeProject is what the user's file says about the working directory.
func (r *reading) claudeProject() *node {
	projects := present(r.root.get("projects"))
	if projects == nil {
		return nil
	}
	if projects.kind != object {
		return nil // readClaudeSwitches reports it
	}
	cwd := r.site.opts.Cwd
	for _, key := range []string{cwd, filepath.ToSlash(cwd), r.site.cwd} {
		if n := projects.get(key); n != nil && n.kind == object {
			return n
		}
	}
	return nil
}

func readClaudeLocal(r *reading) {
	r.servers(r.claudeProject().get("mcpServers"))
}

func readClaudeSwitches(r *reading) {
	if n := present(r.root.get("projects")); n != nil && n.kind != object {
		r.fail(n, "", "projects: expected an object, found %v", n.kind)
	}
	project := r.claudeProject()
	r.off(project.get("disabledMcpServers"), "")
	r.off(project.get("disabledMcpjsonServers"), mcpJSON)
}

func readClaudeSettings(r *reading) {
	r.off(r.root.get("disabledMcpjsonServers"), mcpJSON)
}
