package config

import "path/filepath"

func claudeDesktopPlaces(s *site) []place {
	file := filepath.Join(s.appConfig(), "Claude", "claude_desktop_config.json")
	return []place{s.ofUser(file, claudeDesktopDialect(), readMCPServers)}
}

// claudeDesktopDialect is that of an application that starts commands and
// expands nothing. Entries that are written for other tools are read too: a
// server that somebody switched off there is not one to start here.
func claudeDesktopDialect() *dialect {
	return &dialect{decode: decodeClaudeDesktop, silent: []string{"$schema", "description", "name"}}
}

func decodeClaudeDesktop(f *fields) {
	f.reach(nil)
	f.enabled()
	f.transport()
}
