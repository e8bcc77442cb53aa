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
