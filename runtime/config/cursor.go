package config

func cursorPlaces(s *site) []place {
	d := cursorDialect()
	places := s.inProject(projectFile{path: ".cursor/mcp.json", dialect: d, read: readMCPServers})
	return append(places, s.ofUser(s.home(".cursor", "mcp.json"), d, readMCPServers))
}

func cursorDialect() *dialect {
	return &dialect{
		forms:  formEnv | formEditor,
		decode: decodeCursor,
		silent: []string{"$schema", "description", "name"},
	}
}

func decodeCursor(f *fields) {
	f.reach(nil)
	// The client that the user registered; the names are those of variables.
	if n := f.object("auth"); n != nil {
		f.e.Auth = &Auth{
			ClientID:     f.textOf(n.get("CLIENT_ID")),
			ClientSecret: f.textOf(n.get("CLIENT_SECRET")),
			Scopes:       f.listOf(n.get("scopes")),
		}
	}
	f.enabled()
	f.transport()
	f.envFile()
}
