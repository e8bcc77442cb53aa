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

// MissingInputError says that an entry needs values only the user has.
type MissingInputError struct{ IDs []string }

// Error implements error.
func (e *MissingInputError) Error() string {
	return fmt.Sprintf("no value for ${input:%s}", strings.Join(e.IDs, "}, ${input:"))
}

// Expand replaces what the entry refers to. Variables that are not set stay as
// written and commands that fail drop their key, each with a warning; an
// environment file that cannot be read is an error, as is an input without a
// value (*MissingInputError). Errors leave it to the caller to name the server.
//
// It ends soon after ctx does. A read of the environment file that hangs is left
// behind, as in Discover.
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
	ex := &expansion{e: e, x: x}
	out, envFile := ex.entry(ctx)
	if envFile != "" {
		if err := ex.readEnvFile(ctx, envFile, read, &out); err != nil {
			return Expanded{}, fmt.Errorf("envFile %s: %w", e.EnvFile, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return Expanded{}, fmt.Errorf("expand: %w", context.Cause(ctx))
	}
	out.Secrets, out.Warnings = ex.secrets, ex.warnings
	return out, nil
}

// expansion is one Entry being expanded.
type expansion struct {
	e        *Entry
	x        Expander
	secrets  []string
	warnings []string
	// unresolved: something stayed as written.
	unresolved bool
}

// entry expands everything but the contents of the environment file, whose
// path it returns.
func (ex *expansion) entry(ctx context.Context) (out Expanded, envFile string) {
	e := ex.e
	out = Expanded{
		Command: ex.text("command", e.Command, 0), UnsetEnv: slices.Clone(e.UnsetEnv),
		URL: ex.text("url", e.URL, 0),
		Env: ex.table(ctx, "env", e.Env), Headers: ex.table(ctx, "headers", e.Headers),
	}
	for i, arg := range e.Args {
		out.Args = append(out.Args, ex.text("args["+strconv.Itoa(i)+"]", arg, 0))
	}
	// A name without a slash is looked for in PATH.
	if strings.ContainsAny(out.Command, "/"+string(filepath.Separator)) {
		out.Command = ex.path("command", out.Command)
	}
	if e.Cwd != "" {
		out.Cwd = ex.path("cwd", ex.text("cwd", e.Cwd, 0))
	}
	if e.EnvFile != "" {
		envFile = ex.path("envFile", ex.text("envFile", e.EnvFile, 0))
	}
	if e.Auth != nil {
		auth := *e.Auth
		auth.Scopes = slices.Clone(auth.Scopes)
		auth.ClientID = ex.text("auth.clientId", auth.ClientID, 0)
		auth.ClientSecret = ex.text("auth.clientSecret", auth.ClientSecret, 0)
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
	out := make(map[string]string, len(table))
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if value, ok := ex.value(ctx, where+"."+name, table[name]); ok {
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
			ex.secret(v)
			return v, true
		}
	}
	return ex.text(where, unescaped(s, f), 0), true
}

// text expands the references in s. Depth counts the defaults around it.
func (ex *expansion) text(where, s string, depth int) string {
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
			b.WriteString(ex.variable(where, p, depth))
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
		case foreignForm:
			ex.unresolved = true
			ex.warn("%s: ${%s} is not supported and stays as written", where, p.name)
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func (ex *expansion) variable(where string, p piece, depth int) string {
	v, set := ex.getenv(p.name)
	if p.hasFallback && (!set || v == "" && ex.e.forms&formDefaultEmpty != 0) {
		return ex.text(where, p.fallback, depth+1)
	}
	if !set {
		ex.unresolved = true
		ex.warn("%s: the variable %s is not set, so its reference stays as written", where, p.name)
		return p.text
	}
	ex.secret(v)
	return v
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
	return string(filepath.Separator) // pathSeparator
}

// known expands s without x.Run and by variables alone; ok is false when that leaves anything
// as written, or nothing at all.
func (ex *expansion) known(s string, whole bool) (value string, ok bool) {
	ex.unresolved = false
	if whole {
		value, _ = ex.value(context.Background(), "", s) // runs nothing
	} else {
		value = ex.text("", s, 0)
	}
	return value, value != "" && !ex.unresolved
}

func (ex *expansion) getenv(name string) (string, bool) {
	if ex.x.Getenv == nil {
		return "", false
	}
	return ex.x.Getenv(name)
}

func (ex *expansion) secret(v string) {
	if utf8.RuneCountInString(v) >= MinSecret && !slices.Contains(ex.secrets, v) {
		ex.secrets = append(ex.secrets, v)
	}
}

func (ex *expansion) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(ex.warnings, w) {
		ex.warnings = append(ex.warnings, w)
	}
}
