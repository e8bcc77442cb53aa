package config

import "path/filepath"

// windsurfPlaces are those of Windsurf and of Devin Desktop, as it is called
// since June 2026. The newer program reads its own files; the older ones stay
// where they were, and so do the servers in them.
func windsurfPlaces(s *site) []place {
	d := windsurfDialect()
	const file = "mcp_config.json"
	config := s.configHome()
	if s.os == "windows" {
		config = s.appConfig()
	}
	places := s.inProject(projectFile{path: ".devin/" + file, dialect: d, read: readMCPServers})
	for _, path := range []string{
		filepath.Join(config, "devin", file),
		s.home(".codeium", "windsurf", file),
		s.home(".codeium", "windsurf-next", file),
		s.home(".codeium", "windsurf-insiders", file),
		s.home(".codeium", file), // of its plugins for other editors
	} {
		places = append(places, s.ofUser(path, d, readMCPServers))
	}
	return places
}

func windsurfDialect() *dialect {
	return &dialect{
		forms:  formEnv | formFile,
		decode: decodeWindsurf,
		silent: []string{"$schema", "description", "name"},
	}
}

func decodeWindsurf(f *fields) {
	f.words = map[string]string{"url": "serverUrl", "type": "transport"}
	f.reach(nil)
	f.e.Exclude = f.exactNames("disabledTools")
	f.enabled()
	f.transport()
}
