package config

import (
	"path/filepath"
	"strings"
)

func geminiPlaces(s *site) []place {
	// The variable stands for the home directory, not for .gemini in it.
	dir := filepath.Join(s.dirFrom("GEMINI_CLI_HOME"), ".gemini")
	own := geminiDialect()
	places := s.inProject(projectFile{path: ".gemini/settings.json", dialect: own, read: readGemini})
	return append(
		places,
		s.ofUser(filepath.Join(dir, "settings.json"), own, readGemini),
		s.ofUser(filepath.Join(dir, "mcp-server-enablement.json"), nil, readGeminiEnablement),
	)
}

// geminiDialect: a variable that is not set stays as written when the settings
// are read, and becomes empty when env and headers are expanded once more.
func geminiDialect() *dialect {
	return &dialect{
		forms:  formBare | formVariable | formDefaultUnset | formTableEmpty,
		decode: decodeGemini,
		// trust is about asking before a call; the two targets belong to an
		// authProviderType, which is told.
		silent: []string{"$schema", "description", "extension", "name", "targetAudience", "targetServiceAccount", "trust"},
	}
}

func readGemini(r *reading) {
	readMCPServers(r)
	mcp := r.objectIn(r.root, "mcp")
	if mcp == nil {
		return
	}
	// Every file's lists count. A project's are about its own servers: it cannot
	// switch off the user's.
	own := rule{provider: r.provider.id, level: r.place.level, fold: true}
	if allowed := trimmed(r.names(mcp.get("allowed"))); len(allowed) > 0 {
		only := own
		only.names, only.others = allowed, true
		r.switches = append(r.switches, only)
	}
	if excluded := trimmed(r.names(mcp.get("excluded"))); len(excluded) > 0 {
		not := own
		not.names = excluded
		r.switches = append(r.switches, not)
	}
}

// readGeminiEnablement reads what "gemini mcp disable" writes: an object for
// each server, by its name in small letters.
func readGeminiEnablement(r *reading) {
	off := rule{provider: r.provider.id, fold: true}
	for _, m := range r.root.members {
		if n := m.value.get("enabled"); n != nil && n.kind == boolean && n.text == "false" {
			off.names = append(off.names, m.name)
		}
	}
	r.switches = append(r.switches, off)
}

func trimmed(names []string) []string {
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}

func decodeGemini(f *fields) {
	e := f.e
	f.words = map[string]string{"url": "httpUrl"}
	f.reach(nil)
	// One limit for every request, that of connecting among them.
	e.Timeout = f.milliseconds("timeout")
	e.CallTimeout = e.Timeout
	e.Include = f.exactNames("includeTools")
	for i, tool := range e.Include {
		// An older way to allow a tool with certain arguments.
		e.Include[i], _, _ = strings.Cut(tool, "(")
	}
	e.Exclude = f.exactNames("excludeTools")
	f.geminiOAuth()
	f.enabled()
	f.note(f.get("tcp"), "WebSocket servers are not supported")
	f.transport()
	// The older name is for one kind alone.
	if f.given("httpUrl") && e.Kind != "stdio" {
		e.Kind = "http"
		f.note(f.obj.get("url"), `not used, because "httpUrl" is set: remove one of them`)
	}
}

func (f *fields) geminiOAuth() {
	if n := f.object("oauth"); n != nil {
		f.e.Auth = &Auth{
			ClientID:     f.textOf(n.get("clientId")),
			ClientSecret: f.textOf(n.get("clientSecret")),
			Scopes:       f.listOf(n.get("scopes")),
		}
		for _, name := range []string{"authorizationUrl", "tokenUrl", "registrationUrl", "redirectUri", "audiences", "tokenParamName"} {
			f.unsupported(n.get(name), "the login is as the server describes it")
		}
	}
	// The default is the login that the server asks for.
	if n := f.get("authProviderType"); n != nil && f.textOf(n) != "dynamic_discovery" {
		f.unsupported(n, "the server is contacted without Google's credentials")
	}
}
