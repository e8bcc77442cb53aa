package config

import "path/filepath"

func codexPlaces(s *site) []place {
	own := codexDialect()
	user := s.ofUser(filepath.Join(s.dirFrom("CODEX_HOME", ".codex"), "config.toml"), own, readCodex).in(parseTOML)
	return append(s.inProject(
		projectFile{path: ".codex/config.toml", dialect: own, read: readCodex, language: parseTOML},
	), user)
}

// codexDialect expands nothing: what comes from variables is named in keys of
// its own.
func codexDialect() *dialect {
	return &dialect{
		decode: decodeCodex,
		// The approvals are about asking before a call.
		silent: []string{
			"default_tools_approval_mode", "environment_id", "name", "required", "supports_parallel_tool_calls", "tools",
		},
	}
}

func readCodex(r *reading) { r.readServersAt("mcp_servers", "mcpServers", "mcp-servers") }

func decodeCodex(f *fields) {
	e := f.e
	e.Command = f.str("command")
	e.Args = f.list("args")
	e.Env = f.table("env", nil)
	e.Cwd = f.str("cwd")
	e.URL = f.str("url")
	e.Headers = f.table("http_headers", nil)
	e.EnvHeaders = f.table("env_http_headers", nil)
	e.TokenVariable = f.str("bearer_token_env_var")
	f.note(f.get("bearer_token"), "not read: name a variable that holds the token in \"bearer_token_env_var\"")
	f.codexVariables()
	f.codexAuth()
	if e.Timeout = f.seconds("startup_timeout_sec"); e.Timeout == 0 {
		e.Timeout = f.milliseconds("startup_timeout_ms")
	}
	f.used["startup_timeout_ms"] = true
	e.CallTimeout = f.seconds("tool_timeout_sec")
	e.Include = f.exactNames("enabled_tools")
	e.Exclude = f.exactNames("disabled_tools")
	if n := f.get("experimental_environment"); n != nil && f.textOf(n) != "local" {
		f.unsupported(n, "the server runs on this machine")
	}
	f.enabled()
	f.transport()
}

// codexVariables checks "env_vars", the variables that the server is to have of
// the environment. Here it has all of them.
func (f *fields) codexVariables() {
	n := f.get("env_vars")
	if n == nil {
		return
	}
	if n.kind != array {
		f.expected(n, "an array of strings")
		return
	}
	for _, item := range n.items {
		switch item.kind {
		case text:
			f.e.Passed = append(f.e.Passed, item.text)
		case object:
			f.e.Passed = append(f.e.Passed, f.textOf(item.get("name")))
			if source := item.get("source"); source != nil && f.textOf(source) == "remote" {
				f.unsupported(source, "the server runs on this machine, with its variables")
			}
		case null, boolean, number, array:
			f.expected(item, "a string")
			return
		}
	}
}

func (f *fields) codexAuth() {
	scopes, login := f.list("scopes"), f.object("oauth")
	f.unsupported(f.get("oauth_resource"), "the login is for the address of the server")
	if scopes == nil && login == nil {
		return
	}
	f.e.Auth = &Auth{Scopes: scopes}
	if login != nil {
		f.e.Auth.ClientID = f.textOf(login.get("client_id"))
		f.e.Auth.CallbackPort = f.port(login.get("callback_port"))
	}
}
