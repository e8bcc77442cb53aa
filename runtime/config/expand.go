package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MinSecret is the length, in characters, from which a value is a secret:
// shorter ones are in every second word, and would blank out half of every log.
const MinSecret = 8

var errNoHome = errors.New("there is no home directory")

// MissingInputError says that an entry needs values only the user has.
type MissingInputError struct{ IDs []string }

// Error implements error.
func (e *MissingInputError) Error() string {
	shown := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		shown[i] = "${input:" + shownReference(id) + "}"
	}
	return "no value for " + strings.Join(shown, ", ")
}

// Expand replaces what the entry refers to. Variables that are not set stay as
// written or are empty, as the dialect has it, and a value that is a command
// which fails loses its key, each with a warning. A file that cannot be read is
// an error, as are a command within a value that fails, a variable that is not
// set where the dialect demands it, and an input without a value
// (*MissingInputError). Errors leave it to the caller to name the server.
//
// It ends soon after ctx does. A read of a file that hangs is left behind, as in
// Discover.
func (e *Entry) Expand(ctx context.Context, x Expander) (Expanded, error) {
	return e.expand(ctx, x, readFile)
}

func (e *Entry) expand(ctx context.Context, x Expander, read opener) (Expanded, error) {
	if e.Invalid != "" {
		return Expanded{}, errors.New(e.Invalid)
	}
	missing := slices.DeleteFunc(slices.Clone(e.NeedsInput), func(id string) bool {
		_, ok := x.Inputs[id]
		return ok
	})
	if len(missing) > 0 {
		return Expanded{}, &MissingInputError{missing}
	}
	ex := &expansion{e: e, x: x, read: read}
	out, envFile := ex.entry(ctx)
	if ex.err != nil && ctx.Err() == nil {
		return Expanded{}, ex.err
	}
	if envFile != "" {
		if err := ex.readEnvFile(ctx, envFile, &out); err != nil {
			return Expanded{}, fmt.Errorf("envFile %s: %w", ShownText(e.EnvFile), err)
		}
	}
	if err := ctx.Err(); err != nil {
		return Expanded{}, fmt.Errorf("expand: %w", context.Cause(ctx))
	}
	for _, text := range e.literals(x.Getenv) {
		ex.secret(text)
	}
	out.Secrets, out.Warnings = ex.secrets, ex.warnings
	return out, nil
}

// expansion is one Entry being expanded.
type expansion struct {
	e *Entry
	x Expander
	// read is nil to leave files unread, for identities.
	read opener
	// inTable: what is expanded is a value of env or headers.
	inTable  bool
	secrets  []string
	warnings []string
	// own is the entry's env once it is expanded, where other values may refer to
	// it, and taken how many bytes they have of it.
	own   map[string]string
	taken int
	// unresolved: something stayed as written.
	unresolved bool
	// err is the first thing without which the server cannot be started.
	err error
}

// entry expands everything but the contents of the environment file, whose
// path it returns.
func (ex *expansion) entry(ctx context.Context) (out Expanded, envFile string) {
	e := ex.e
	env := ex.table(ctx, "env", e.Env)
	if e.forms&formOwnEnv != 0 {
		ex.own = env
	}
	out = Expanded{
		Command: ex.text(ctx, "command", e.Command, 0), UnsetEnv: slices.Clone(e.UnsetEnv),
		URL: ex.text(ctx, "url", e.URL, 0),
		Env: env, Headers: ex.variableHeaders(ex.table(ctx, "headers", e.Headers)),
	}
	if e.forms&formEmptyHeader != 0 {
		maps.DeleteFunc(out.Headers, func(_, value string) bool { return value == "" })
	}
	for i, arg := range e.Args {
		out.Args = append(out.Args, ex.text(ctx, "args["+strconv.Itoa(i)+"]", arg, 0))
	}
	// A name without a slash is looked for in PATH.
	if strings.ContainsAny(out.Command, "/"+string(filepath.Separator)) {
		out.Command = ex.path("command", out.Command)
	}
	if e.Cwd != "" {
		out.Cwd = ex.path("cwd", ex.text(ctx, "cwd", e.Cwd, 0))
	}
	if e.EnvFile != "" {
		envFile = ex.path("envFile", ex.text(ctx, "envFile", e.EnvFile, 0))
	}
	if e.Auth != nil {
		auth := *e.Auth
		auth.Scopes = slices.Clone(auth.Scopes)
		auth.ClientID = ex.text(ctx, "auth.clientId", auth.ClientID, 0)
		auth.ClientSecret = ex.text(ctx, "auth.clientSecret", auth.ClientSecret, 0)
		out.Auth = &auth
	}
	return out, envFile
}

func (ex *expansion) path(where, p string) string {
	if strings.HasPrefix(p, "${") {
		return p // nothing is known about where it leads
	}
	path, ok := absolute(p, ex.x.Home, ex.e.base)
	if !ok {
		ex.unresolved = true
		ex.warn("%s: there is no home directory, so ~ stays as written", where)
		return p
	}
	return path
}

// table expands the values of env and headers, in the order of their names.
func (ex *expansion) table(ctx context.Context, where string, table map[string]string) map[string]string {
	if table == nil {
		return nil
	}
	ex.inTable = true
	defer func() { ex.inTable = false }()
	out := make(map[string]string, len(table))
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if value, ok := ex.value(ctx, where+"."+shownName(name), table[name]); ok {
			out[name] = value
		}
	}
	return out
}

// value expands a value that may as a whole be a command or the name of a
// variable; ok is false when there is none.
func (ex *expansion) value(ctx context.Context, where, s string) (value string, ok bool) {
	f := ex.e.forms
	if command, isCommand := shellCommand(s, f); isCommand {
		if ex.x.Run == nil {
			ex.unresolved = true
			return s, true
		}
		out, err := ex.x.Run(ctx, command)
		if err != nil {
			ex.warn("%s: the command failed, so it is left out: %v", where, err)
			return "", false
		}
		ex.secret(out)
		return out, true
	}
	if f&formWhole != 0 && isVariableName(s) {
		if v, set := ex.getenv(s); set {
			ex.secretOf(s, v)
			return v, true
		}
	}
	return ex.text(ctx, where, unescaped(s, f), 0), true
}

// text expands the references in s. Depth counts the defaults around it.
func (ex *expansion) text(ctx context.Context, where, s string, depth int) string {
	if depth > maxFallbacks {
		ex.unresolved = true
		return s
	}
	var b strings.Builder
	for _, p := range split(s, ex.e.forms) {
		switch p.kind {
		case plain:
			b.WriteString(p.text)
		case variable:
			b.WriteString(ex.variable(ctx, where, p, depth))
		case input:
			v, ok := ex.x.Inputs[p.name]
			if !ok {
				ex.unresolved = true
				v = p.text
			} else {
				ex.secret(v)
			}
			b.WriteString(v)
		case fact:
			b.WriteString(ex.fact(where, p))
		case contents:
			b.WriteString(ex.contents(ctx, where, p, depth))
		case command:
			b.WriteString(ex.output(ctx, where, p))
		case escaped:
			b.WriteString(p.name)
		case foreignForm:
			ex.unresolved = true
			ex.warn("%s: ${%s} is not supported and stays as written", where, p.name)
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func (ex *expansion) variable(ctx context.Context, where string, p piece, depth int) string {
	v, set := ex.lookup(where, p.name)
	f := ex.e.forms
	switch p.test {
	case whenUnset:
		if !set || v == "" && f&formDefaultEmpty != 0 {
			return ex.text(ctx, where, p.fallback, depth+1)
		}
	case whenGiven:
		if v == "" {
			return ""
		}
		return ex.text(ctx, where, p.fallback, depth+1)
	case whenMissing:
		if v == "" {
			ex.fail(fmt.Errorf("%s: the variable %s is not set or empty", where, shownReference(p.name)))
		}
	case noFallback:
	}
	switch {
	case set:
		ex.secretOf(p.name, v)
		return v
	case f&formKeyring != 0:
		ex.fail(fmt.Errorf("%s: the variable %s is not set: what is kept in a keyring cannot be read", where, shownReference(p.name)))
	case f&formUnsetFails != 0:
		ex.fail(fmt.Errorf("%s: the variable %s is not set", where, shownReference(p.name)))
	case f&formUnsetEmpty != 0 || ex.inTable && f&formTableEmpty != 0:
		ex.warn("%s: the variable %s is not set, so it is empty", where, shownReference(p.name))
		return ""
	default:
		ex.warn("%s: the variable %s is not set, so its reference stays as written", where, shownReference(p.name))
	}
	ex.unresolved = true
	return p.text
}

// contents is the text of a file, without the white space around it. A relative
// path is relative to the file of the entry.
func (ex *expansion) contents(ctx context.Context, where string, p piece, depth int) string {
	if ex.read == nil {
		ex.unresolved = true
		return p.text
	}
	name := p.name
	if strings.Contains(name, "{env:") {
		name = ex.text(ctx, where, name, depth+1)
	}
	path, ok := absolute(name, ex.x.Home, filepath.Dir(ex.e.Path))
	text, err := "", errNoHome
	if ok {
		text, err = readText(ctx, path, ex.read)
	}
	if err != nil {
		ex.fail(fmt.Errorf("%s: the file %s: %w", where, shownPath(p.name), err))
		return p.text
	}
	text = strings.TrimSpace(text)
	ex.secret(text)
	return text
}

// output is what a command within a value prints.
func (ex *expansion) output(ctx context.Context, where string, p piece) string {
	if ex.x.Run == nil {
		ex.unresolved = true
		return p.text
	}
	out, err := ex.x.Run(ctx, p.name)
	if err != nil {
		ex.fail(fmt.Errorf("%s: the command failed: %w", where, err))
		return p.text
	}
	ex.secret(out)
	return out
}

// fact is what the editor would know. In a project's file the workspace folder
// is the project.
func (ex *expansion) fact(where string, p piece) string {
	folder := ex.x.Folder
	if ex.e.Level == Project {
		folder = ex.e.base
	}
	switch p.name {
	case "workspaceFolder":
		return folder
	case "workspaceFolderBasename":
		return filepath.Base(folder)
	case "userHome":
		if !filepath.IsAbs(ex.x.Home) {
			ex.unresolved = true
			ex.warn("%s: there is no home directory, so ${userHome} stays as written", where)
			return p.text
		}
		return ex.x.Home
	}
	return string(filepath.Separator) // pathSeparator, /
}

// known expands s without x.Run and by variables alone; ok is false when that leaves anything
// as written, or nothing at all.
func (ex *expansion) known(s string, whole bool) (value string, ok bool) {
	ex.unresolved = false
	if whole {
		value, _ = ex.value(context.Background(), "", s) // runs nothing
	} else {
		value = ex.text(context.Background(), "", s, 0)
	}
	return value, value != "" && !ex.unresolved
}

// lookup is the value of a variable: that of the entry's own env, where the
// dialect takes it from there, or the environment's. Within env, what is beside a
// value counts only if it is plain.
func (ex *expansion) lookup(where, name string) (string, bool) {
	if ex.e.forms&formOwnEnv == 0 {
		return ex.getenv(name)
	}
	own, has := ex.own[name]
	within := ex.own == nil
	if within {
		own, has = ex.e.Env[name]
	}
	if !has {
		return ex.getenv(name)
	}
	// A file of 8 MiB could else ask for terabytes.
	if ex.taken += len(own); ex.taken > maxFile {
		ex.fail(fmt.Errorf("%s: too long with the values of env in it", where))
		return "", true
	}
	if within && !isPlain(own, ex.e.forms) {
		return ex.getenv(name)
	}
	return own, true
}

func (ex *expansion) getenv(name string) (string, bool) {
	if ex.x.Getenv == nil {
		return "", false
	}
	return ex.x.Getenv(name)
}

// secretOf is secret for the value of a variable.
func (ex *expansion) secretOf(variable, v string) {
	if !isEverybodys(variable) {
		ex.secret(v)
	}
}

func (ex *expansion) secret(v string) {
	if utf8.RuneCountInString(v) >= MinSecret && !slices.Contains(ex.secrets, v) {
		ex.secrets = append(ex.secrets, v)
	}
}

// fail notes what keeps the server from being started.
func (ex *expansion) fail(err error) {
	if ex.err == nil {
		ex.err = err
	}
}

func (ex *expansion) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(ex.warnings, w) {
		ex.warnings = append(ex.warnings, w)
	}
}
