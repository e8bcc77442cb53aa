package config

func mcpJSONPlaces(s *site) []place {
	shared := sharedDialect()
	return s.inProject(
		projectFile{path: "mcp.json", dialect: shared, read: readMCPServers},
		projectFile{path: mcpJSON, dialect: shared, read: readMCPServers},
	)
}

// sharedDialect is native, in a file that other tools write too.
func sharedDialect() *dialect {
	d := nativeDialect()
	d.silent = append(d.silent, "name", "alwaysAllow", "autoApprove")
	return d
}
