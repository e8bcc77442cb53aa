package config

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mcpJSON is Claude Code's project file, which is also everybody's.
const mcpJSON = ".mcp.json"

func claudePlaces(s *site) []place {
	main, settings := s.home(".claude.json"), s.home(".claude", "settings.json")
	// A relative one would lead into the project.
	if dir, ok := absolute(s.env("CLAUDE_CONFIG_DIR"), s.opts.Home, ""); ok {
		main, settings = filepath.Join(dir, ".claude.json"), filepath.Join(dir, "settings.json")
	}
	own, keys := claudeDialect(), s.claudeKeys()
	local := s.ofUser(main, own, func(r *reading) { readClaudeLocal(r, keys) })
	local.personal = true

	places := []place{local}
	places = append(places, s.inProject(projectFile{path: mcpJSON, dialect: claudeProjectDialect(), read: readMCPServers})...)
	places = append(places,
		s.ofUser(main, own, readMCPServers),
		s.ofUser(main, nil, func(r *reading) { readClaudeSwitches(r, keys) }),
		s.ofUser(settings, nil, readClaudeSettings))
	return append(places, s.inProject(
		projectFile{path: ".claude/settings.local.json", read: readClaudeSettings},
		projectFile{path: ".claude/settings.json", read: readClaudeSettings},
	)...)
}

// claudeKeys are the names that the working directory may have under "projects"
// in the user's file: the path as it is and without symbolic links, and, since a
// repository is one project with all its worktrees, that of the repository.
func (s *site) claudeKeys() []string {
	var keys []string
	for _, dir := range []string{s.opts.Cwd, s.cwd} {
		root := repository(dir)
		for _, path := range []string{dir, root, mainWorktree(root)} {
			for _, key := range []string{path, filepath.ToSlash(path)} {
				if path != "" && !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
	}
	return keys
}

// claudeProjects is what the user's file says about the working directory.
func (r *reading) claudeProjects(keys []string) []*node {
	projects := r.objectIn(r.root, "projects")
	var found []*node
	for _, key := range keys {
		if n := projects.get(key); n != nil && n.kind == object {
			found = append(found, n)
		}
	}
	return found
}

func readClaudeLocal(r *reading, keys []string) {
	for _, project := range r.claudeProjects(keys) {
		r.servers(project.get("mcpServers"))
	}
}

func readClaudeSwitches(r *reading, keys []string) {
	for _, project := range r.claudeProjects(keys) {
		r.off(project.get("disabledMcpServers"), "")
		r.off(project.get("disabledMcpjsonServers"), mcpJSON)
	}
}

func readClaudeSettings(r *reading) {
	r.off(r.root.get("disabledMcpjsonServers"), mcpJSON)
}

// claudeDialect is that of Claude Code's own file.
func claudeDialect() *dialect {
	return &dialect{
		forms:  formVariable | formDefaultUnset,
		decode: decodeClaude,
		silent: []string{"$schema", "description", "name", "alwaysLoad"},
	}
}

// claudeProjectDialect is that of .mcp.json, which is Claude Code's and
// everybody's.
func claudeProjectDialect() *dialect {
	d := claudeDialect()
	d.forms |= formWhole | formShell
	return d
}

func decodeClaude(f *fields) {
	decodeNative(f)
	f.claudeTimeout()
	if n := f.object("oauth"); n != nil && f.e.Auth == nil {
		f.e.Auth = &Auth{
			ClientID:     f.textOf(n.get("clientId")),
			CallbackPort: f.port(n.get("callbackPort")),
			// One string of scopes with spaces between, as OAuth writes them.
			Scopes: strings.Fields(f.textOf(n.get("scopes"))),
		}
		f.unsupported(n.get("authServerMetadataUrl"), "the authorization server is looked for as usual")
	}
	f.unsupported(f.get("headersHelper"), "the server is contacted without these headers")
}

// claudeTimeout takes "timeout" for a limit of calls as well, which it is in
// Claude Code: less than a second counts for nothing there. For connecting, as
// in native entries, it counts because others write this file for that.
func (f *fields) claudeTimeout() {
	if e := f.e; e.CallTimeout == 0 && e.Timeout >= time.Second {
		e.CallTimeout = e.Timeout
	}
}
