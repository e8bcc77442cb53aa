package config

import (
	"context"
	"strings"
)

// readEnvFile adds the variables of a file of NAME=value lines. What the entry
// itself says about a variable wins.
func (ex *expansion) readEnvFile(ctx context.Context, path string, out *Expanded) error {
	text, err := readText(ctx, path, ex.read)
	if err != nil {
		return err
	}
	if out.Env == nil {
		out.Env = make(map[string]string)
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			ex.warn("envFile: line %d is not NAME=value", i+1)
			continue
		}
		value = unquoted(strings.TrimSpace(value))
		ex.secret(value)
		if _, own := ex.e.Env[name]; own {
			continue
		}
		out.Env[name] = value
	}
	for _, name := range ex.e.UnsetEnv {
		delete(out.Env, name)
	}
	return nil
}

// CanRead says whether a file can be read that Uses names. It ends soon after ctx
// does.
func (e *Entry) CanRead(ctx context.Context, x Expander, file string) bool {
	return e.canRead(ctx, x, file, readFile)
}

func (e *Entry) canRead(ctx context.Context, x Expander, file string, read opener) bool {
	ex := &expansion{e: e, x: x, read: read}
	var err error
	if file == e.EnvFile {
		_, err = readText(ctx, ex.path("envFile", ex.text(ctx, "envFile", file, 0)), read)
	} else {
		ex.contents(ctx, "", piece{name: file}, 0)
	}
	return err == nil && ex.err == nil && !ex.unresolved
}

// unquoted is the value of a line: in single quotes as it is, in double quotes
// with the usual escapes, and without quotes up to a comment.
func unquoted(s string) string {
	if len(s) >= 2 {
		switch inner := s[1 : len(s)-1]; {
		case s[0] == '\'' && s[len(s)-1] == '\'':
			return inner
		case s[0] == '"' && s[len(s)-1] == '"':
			return strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(inner)
		}
	}
	if i := strings.Index(s, " #"); i >= 0 && !strings.ContainsAny(s[:1], `"'`) {
		s = strings.TrimSpace(s[:i])
	}
	return s
}

// readText is a file that a value refers to. Its errors name no path.
func readText(ctx context.Context, path string, read opener) (string, error) {
	data, err := await(ctx, func() ([]byte, error) {
		data, _, err := read(path)
		return data, err
	})
	if err != nil {
		return "", cause(err)
	}
	decoded, problem := decodeText(data)
	if problem != nil {
		return "", problem
	}
	return string(decoded), nil
}
