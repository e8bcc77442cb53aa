package config

// forms are the ways in which a dialect lets a value refer to something else.
// They are part of Entry.TrustHash: a new one is added at the end, lest users
// are asked again about all they have decided.
type forms uint32

const (
	formVariable     forms = 1 << iota // ${V}
	formDefaultUnset                   // ${V:-d}, d when V is not set
	formDefaultEmpty                   // ${V:-d}, d when V is not set or empty
	formEnv                            // ${env:V}
	formInput                          // ${input:id}
	formEditor                         // ${workspaceFolder}, ${workspaceFolderBasename}, ${userHome}, ${pathSeparator}, ${/}
	formWhole                          // in env and headers: a value that is the name of a set variable
	formShell                          // in env and headers: !command, !!literal
	formBare                           // $V
	formSingleBraces                   // {env:V}, {file:path}
	formFile                           // ${file:path}
	formSubstitution                   // $(command)
	formCommand                        // ${cmd: command}
	formUnsetEmpty                     // a variable that is not set is empty
	formUnsetFails                     // the server does not start when a variable is not set
	formWord                           // ${V:?message}, ${V:+word}, and \$, \\ and \` for the characters
	formOwnEnv                         // the entry's env has variables for its other values
	formEmptyHeader                    // a header whose value comes out empty is left out
	formKeyring                        // a variable that is not set may be in a keyring
	formTableEmpty                     // in env and headers: a variable that is not set is empty
)

// dialect is how one tool writes an entry.
type dialect struct {
	forms  forms
	decode func(*fields)
	// silent are names that the tool knows and that change nothing here.
	silent []string
}

func nativeDialect() *dialect {
	return &dialect{
		forms:  formVariable | formDefaultEmpty | formWhole | formShell,
		decode: decodeNative,
		silent: []string{"$schema", "description"},
	}
}

// sharedDialect is native, in a file that other tools write too.
func sharedDialect() *dialect {
	d := nativeDialect()
	d.silent = append(d.silent, "name", "alwaysAllow", "autoApprove")
	return d
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

func decodeNative(f *fields) {
	e := f.e
	f.reach(nil)
	e.Timeout = f.milliseconds("timeout")
	e.CallTimeout = f.milliseconds("callTimeout")
	if tools := f.object("tools"); tools != nil {
		e.Include = f.listOf(tools.get("include"))
		e.Exclude = f.listOf(tools.get("exclude"))
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
	f.e.Auth = a
}

func (f *fields) port(n *node) int {
	return int(f.numberOf(n, 65535))
}
