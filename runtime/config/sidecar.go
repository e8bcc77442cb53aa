package config

func sidecarPlaces(s *site) []place {
	native := nativeDialect()
	places := s.inProject(projectFile{path: ".mcp-sidecar/mcp.json", dialect: native, read: readSidecarProject})
	places = append(places, s.ofUser(s.userFile(), native, readSidecarUser))
	for _, file := range s.opts.Files {
		if path, ok := absolute(file, s.opts.Home, s.opts.Cwd); ok {
			named := s.ofUser(path, native, readMCPServers)
			named.named = true
			places = append(places, named)
		}
	}
	return places
}

func nativeDialect() *dialect {
	return &dialect{
		forms:  formVariable | formDefaultEmpty | formWhole | formShell,
		decode: decodeNative,
		silent: []string{"$schema", "description"},
	}
}

func readSidecarProject(r *reading) {
	readMCPServers(r)
	for _, name := range []string{"disabledServers", "enabledServers"} {
		if n := r.root.get(name); n != nil {
			r.warn(n, "", "%s: has an effect in the user's own mcp-sidecar/mcp.json only", name)
		}
	}
}

func readSidecarUser(r *reading) {
	readMCPServers(r)
	r.repeated(r.root, "", nil, "disabledServers", "enabledServers")
	// In this order: what is in both lists stays off.
	r.switches = append(
		r.switches,
		rule{names: r.names(r.root.get("enabledServers")), on: true},
		rule{names: r.names(r.root.get("disabledServers"))},
	)
}

func decodeNative(f *fields) {
	e := f.e
	f.reach(nil)
	e.Timeout = f.milliseconds("timeout")
	e.CallTimeout = f.milliseconds("callTimeout")
	if list := f.get("tools"); list != nil && list.kind == array {
		e.Include = f.list("tools") // as Copilot has it, which reads some of these files too
	} else if tools := f.object("tools"); tools != nil {
		e.Include = f.listOf(tools.get("include"))
		e.Exclude = f.listOf(tools.get("exclude"))
		f.unknown(tools, []string{"include", "exclude"})
	}
	f.auth()
	f.enabled()
	f.transport()
}

// auth reads the native "auth".
func (f *fields) auth() {
	n := f.object("auth")
	if n == nil {
		return
	}
	a := &Auth{
		ClientID:     f.textOf(n.get("clientId")),
		ClientSecret: f.textOf(n.get("clientSecret")),
		Scopes:       f.listOf(n.get("scopes")),
		CallbackPort: f.port(n.get("callbackPort")),
		Flow:         f.textOf(n.get("flow")),
	}
	if flow := n.get("flow"); a.Flow != "" && a.Flow != "browser" && a.Flow != "client-credentials" {
		f.invalid(flow, `%s: expected "browser" or "client-credentials"`, flow.label(f.obj))
	}
	f.unknown(n, []string{"clientId", "clientSecret", "scopes", "callbackPort", "flow"})
	f.e.Auth = a
}
