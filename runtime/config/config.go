// Package config finds every MCP server the user has configured: files in,
// server entries with provenance and diagnostics out. It starts nothing, and it
// runs no command and reads no environment file until it is asked to.
//
//	providers (a table) ─▶ places ─▶ files, read in parallel ─▶ node trees
//	   ─▶ a dialect decodes each entry ─▶ names compete ─▶ Result
//
// A row of the table says where one tool keeps its servers and in which
// dialect; whatever language a file is in, it becomes the same tree of nodes,
// so that positions, pointers and the tolerance for odd values are the same
// for all. Promises: what one file or entry has wrong never changes what
// another gives; the result depends on the files alone, not on the order in
// which they were read; no diagnostic repeats a value, since values are often
// secrets.
package config

import (
	"context"
	"encoding/json"
	"time"
)

// Level is how near to the user a file is.
type Level string

// The levels.
const (
	User    Level = "user"
	Project Level = "project"
	Host    Level = "host"
)

// Options say where to look. Discover reads no environment but through Getenv.
type Options struct {
	Cwd     string   // absolute
	Folders []string // absolute; workspace folders in order; default: Cwd
	Home    string   // absolute; the user's home directory
	Getenv  func(key string) (string, bool)

	Servers       map[string]json.RawMessage // row 0: settings.servers
	ProjectConfig bool                       // false: leave out project entries before names compete
	Include       []string                   // providers; nil means all
	Exclude       []string
	Own           []string // providers whose servers the host's user has without us: see withoutOwn
	OwnFiles      []string // discovery.ownFiles: as Own, by file
	Files         []string // discovery.files
	FilterExa     bool

	// Denied, when given, says which entries are left out before names compete:
	// those the user refused to trust.
	Denied func(*Entry) bool
	// Waits, when given, says which entries the user has yet to trust.
	Waits func(*Entry) bool
	// Before, when given, is called before the first file is read, with all on
	// which the result depends.
	Before func([]Dependency)
	// Previous, when given, is an earlier Result: a file that cannot be parsed
	// now but could be then gives what it gave then, and its diagnostic.
	Previous *Result
}

// Result is what was found.
type Result struct {
	Entries     []Entry // one per name, in no particular order
	Denied      []Entry // those that Options.Denied left out, and that had won their name otherwise
	Diagnostics []Diagnostic
	ExaKeys     []string
	Files       []File // every place looked at, for doctor and for the watcher
	// LeftOut are the places that the host wants left out.
	LeftOut []File
	// Lost are the definitions that do not count because another one has their
	// name, in the order in which they lost it.
	Lost []Lost
	// Hard is set when discovery as a whole failed (cwd missing or unreadable, a
	// reader panicked): Entries is then empty.
	Hard error

	// good has what Options.Previous needs of the files that could be parsed, by
	// path: the last good text, and whose it was.
	good map[string]loaded
}

// Dependency is a file or directory, which may not be there yet, on whose state
// a Result depends.
type Dependency struct {
	Path string
	// Pattern says that the last element of Path is one, as of filepath.Match.
	Pattern bool
}

// File is one place that was looked at.
type File struct {
	Path         string
	Provider     string
	ProviderName string
	Level        Level
	State        FileState
	// Why says what is the matter with it, when it was broken or skipped.
	Why string
	// Entries are the names it defined, also those that lost to another file.
	Entries []string
}

// FileState is what became of a file.
type FileState string

// The states of a file.
const (
	FileAbsent  FileState = "absent"
	FileRead    FileState = "read"
	FileBroken  FileState = "broken"  // could not be read or parsed: see the diagnostics
	FileSkipped FileState = "skipped" // not looked into
)

// Diagnostic is one thing wrong with a file or an entry.
type Diagnostic struct {
	Path    string // the file, or "mcp:<server>" for row 0
	Server  string // "" when it is about the whole file
	Message string
	// Fix is what to do about it, where Message does not say so itself.
	Fix     string
	Warning bool
	Line    int // from 1; 0 when unknown
	Column  int // from 1, in bytes
	Pointer string
}

// Entry is one server as its file has it, mapped onto the native entry.
type Entry struct {
	Name         string
	Provider     string
	ProviderName string
	Level        Level
	Path         string   // "" for row 0
	Parts        []string // the other files that have a part in it
	Aliases      []Alias
	// Raw is the entry as written, as JSON (whatever the file's language):
	// what is shown, hashed and asked about.
	Raw json.RawMessage
	// Line and Column are where it stands in Path.
	Line, Column int

	// Invalid says why the entry cannot be used (L9), or "".
	Invalid string
	// InvalidPointer is the JSON pointer to the offending value, or "".
	InvalidPointer string
	Disabled       bool
	// OffIn is the file whose list of servers switched it off; "" when it is its own
	// entry that does, or nothing.
	OffIn string
	// NeedsInput names the ${input:…} ids it uses, and Inputs has what its file
	// says about each, in the same order.
	NeedsInput []string
	Inputs     []Input

	Kind     string // "stdio", "http", "sse"; of an invalid entry the best guess
	Command  string
	Args     []string
	Env      map[string]string
	UnsetEnv []string // variables to delete from the child's environment
	Passed   []string // variables that the child is to have as they are: it has them all
	EnvFile  string
	Cwd      string
	URL      string
	Headers  map[string]string
	// EnvHeaders are headers whose values are those of variables, which it names.
	// One whose variable is not set is left out.
	EnvHeaders map[string]string
	// TokenVariable, unless "", is the variable that holds the bearer token.
	TokenVariable string
	Timeout       time.Duration // 0: the session's default
	CallTimeout   time.Duration // 0: the session's default
	Include       []string      // globs over raw tool names; nil means all
	Exclude       []string

	Auth *Auth // nil: nothing was said

	// base is what relative paths are relative to (absolute), and forms how
	// values expand.
	base  string
	forms forms
}

// Input is what a file says about one ${input:id}.
type Input struct {
	ID          string
	Type        string // "promptString" (default), "pickString" or the tool's own word
	Description string
	Default     string
	Options     []string
	Password    bool
}

// Auth is what the user registered with an authorization server.
type Auth struct {
	ClientID     string
	ClientSecret string
	Scopes       []string
	CallbackPort int    // 0: any
	Flow         string // "browser" (default) or "client-credentials"
}

// Alias is another entry of the same identity, under another name.
type Alias struct {
	Name, Path   string
	Line, Column int
}

// Origin is where an entry stands.
type Origin struct {
	Provider, ProviderName string
	Level                  Level
	Path                   string // "" for row 0
	Line, Column           int
}

// Lost is a definition that does not count.
type Lost struct {
	Name string
	Origin
	// To is the definition that has the name.
	To Origin
	// Same says that both lead to the same server, so that nothing is lost.
	Same bool
}

// Expander is what expansion may use. Run is nil to leave commands unrun (for
// identities).
type Expander struct {
	Getenv func(key string) (string, bool)
	Home   string
	// Folder is the workspace folder that ${workspaceFolder} means in entries
	// of user files; in those of project files it is the file's project.
	Folder string
	// Run runs /bin/sh -c command and returns its output, trimmed. Its error is
	// shown, so it must not hold output.
	Run func(ctx context.Context, command string) (string, error)
	// Inputs holds the values of ${input:id}.
	Inputs map[string]string
}

// Expanded is an entry with every variable replaced, ready to be started.
type Expanded struct {
	Command  string
	Args     []string
	Env      map[string]string
	UnsetEnv []string
	Cwd      string // absolute, or "" for the session's
	URL      string
	Headers  map[string]string
	Auth     *Auth
	// Secrets are the values of 8 characters or more that came from variables,
	// commands, environment files and inputs, and those written out in the entry,
	// for the redactor.
	Secrets []string
	// Warnings name what could not be expanded (names, never values).
	Warnings []string
}
