package config

import (
	"path/filepath"
	"strings"
	"time"
)

// Copilot's files: the one of a project, and the one of the user, in its directory.
const (
	copilotProjectFile = ".github/mcp.json"
	copilotUserFile    = "mcp-config.json"
)

// ofCopilot says that this is one of them. They are of one provider with VS Code's,
// which does not start their servers by itself.
func ofCopilot(path string) bool {
	return filepath.Base(path) == copilotUserFile || strings.HasSuffix(filepath.ToSlash(path), "/"+copilotProjectFile)
}

// copilotDialect is that of the files of the Copilot command line, which the
// editor reads too. Theirs are the variables of a shell; the editor's own are
// taken for what they mean in its other files.
func copilotDialect() *dialect {
	return &dialect{
		forms:  formBare | formVariable | formDefaultUnset | formEnv | formInput | formEditor,
		decode: decodeCopilot,
		silent: []string{
			"$schema", "description", "name", "displayName", "source", "sourcePath", "isDefaultServer",
			"deferTools", "disableToolCache", "slowConnectionThresholdMs", "oauthPublicClient",
		},
	}
}

func decodeCopilot(f *fields) {
	decodeVSCode(f)
	e := f.e
	// It bounds each request; to connect, Copilot gives a minute at the least.
	e.CallTimeout = f.milliseconds("timeout")
	if e.CallTimeout > 0 {
		e.Timeout = max(e.CallTimeout, time.Minute)
	}
	e.Include = f.exactNames("tools")
	for i, name := range e.Include {
		if name == `\*` { // the one that is no name
			e.Include[i] = "*"
		}
	}
	f.copilotAuth()
	if n := f.get("oidc"); n != nil && n.text != "false" {
		f.unsupported(n, "the server gets no token of GitHub's")
	}
	f.unsupported(f.get("filterMapping"), "results are passed on as they are")
}

func (f *fields) copilotAuth() {
	id, scopes, grant := f.str("oauthClientId"), f.list("oauthScopes"), f.str("oauthGrantType")
	if id == "" || f.e.Auth != nil {
		return
	}
	f.e.Auth = &Auth{ClientID: id, Scopes: scopes}
	if grant == "client_credentials" {
		f.e.Auth.Flow = "client-credentials"
	}
}
