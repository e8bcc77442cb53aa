package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/timely"
)

// resolve finds the program of spec, and gives the environment it is to have:
// spec's own, with the login shell's PATH behind its own if that was needed. A
// file system that does not answer is waited for as long as ctx lasts.
func (d *Dialer) resolve(ctx context.Context, spec *Spec) (string, []string, error) {
	path, env, err := d.find(ctx, spec)
	var silent *unansweredError
	if errors.As(err, &silent) {
		e := interrupted(ctx, StageSpawn, "looking at "+silent.path, true)
		e.Hint = "the file system that " + silent.path + " is in does not answer: see whether a network drive is gone"
		err = e
	}
	return path, env, err
}

func (d *Dialer) find(ctx context.Context, spec *Spec) (string, []string, error) {
	// Looked at even if it is sure to be there: a child that hangs on entering it
	// would keep this process from starting any other.
	if err := answered(ctx, spec.Dir, enterable); err != nil {
		return "", nil, &Error{
			Code: CodeSpawn, Stage: StageSpawn, NotSent: true, Lasting: !heals(err), Err: err,
			Message: fmt.Sprintf("working directory %q cannot be entered: %v", spec.Dir, bare(err)),
			Hint:    `create it, or correct "cwd"`,
		}
	}
	if isPath(spec.Command) {
		path, err := absolutePath(spec.Command, spec.Dir)
		if err == nil {
			err = answered(ctx, path, runnable)
		}
		if err != nil {
			return "", nil, pathError(spec.Command, path, err)
		}
		return path, spec.Env, nil
	}
	searched := getenv(spec.Env, "PATH")
	path, refused, err := search(ctx, spec.Command, searched, spec.Dir)
	if path != "" || err != nil {
		return path, spec.Env, err
	}
	wider := joinPaths(searched, d.login.get(ctx, func() (string, error) { return d.askLoginShell(ctx, spec.Env) }))
	if ctx.Err() != nil {
		return "", nil, interrupted(ctx, StageSpawn, "looking for "+spec.Command, true)
	}
	if wider != searched {
		if path, refused, err = search(ctx, spec.Command, wider, spec.Dir); path != "" || err != nil {
			return path, setenv(spec.Env, "PATH", wider), err
		}
	}
	if refused != "" {
		return "", nil, pathError(spec.Command, refused, fs.ErrPermission)
	}
	return "", nil, notFound(spec.Command, wider)
}

// isPath says that a command is not looked for in PATH.
func isPath(command string) bool { return strings.ContainsRune(command, '/') }

// absolutePath is a path as seen from dir.
func absolutePath(path, dir string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Abs(path)
}

// unansweredError is about a path that nobody could look at: a network file
// system whose server is gone keeps whoever asks waiting.
type unansweredError struct {
	path  string
	cause error // of the end of the wait
}

func (e *unansweredError) Error() string {
	return fmt.Sprintf("looking at %s: no answer from the file system: %v", e.path, e.cause)
}
func (e *unansweredError) Unwrap() error { return e.cause }

// answered is what look says of path, or an *unansweredError when ctx ends
// before.
func answered(ctx context.Context, path string, look func(path string) error) error {
	err := timely.Run(ctx, func() error { return look(path) })
	var left *timely.LeftError
	if errors.As(err, &left) {
		return &unansweredError{path, left}
	}
	return err
}

// enterable is nil for a directory that a child can be started in, and for "".
func enterable(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is no directory")
	case !executable(dir, info):
		return fs.ErrPermission
	}
	return nil
}

// heals says whether a file or the system may be fine at the next attempt though
// nobody changes anything: processes end, and file systems come back.
func heals(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ETXTBSY,
		syscall.EIO, syscall.ESTALE, syscall.ENOTCONN, syscall.ETIMEDOUT,
	}, func(passing error) bool { return errors.Is(err, passing) })
}

// bare is an error without the path that it is about.
func bare(err error) error {
	var about *fs.PathError
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}

// search looks for a command in the directories of a PATH. Relative ones, and
// "" for the current one, are relative to dir. refused is a file of that name
// that may not be executed. The error is an *unansweredError.
func search(ctx context.Context, command, path, dir string) (found, refused string, err error) {
	for _, element := range filepath.SplitList(path) {
		// Absolute, because the child looks it up from its own directory.
		candidate, err := absolutePath(filepath.Join(element, command), dir)
		if err != nil {
			continue
		}
		err = answered(ctx, candidate, runnable)
		var silent *unansweredError
		switch {
		case err == nil:
			return candidate, "", nil
		case errors.As(err, &silent):
			return "", "", err
		case errors.Is(err, fs.ErrPermission) && refused == "":
			refused = candidate
		}
	}
	return "", refused, nil
}

// runnable is nil for a file that may be executed.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case !executable(path, info):
		return fs.ErrPermission
	default:
		return nil
	}
}

// joinPaths appends the elements of more that are not in path.
func joinPaths(path, more string) string {
	elements := filepath.SplitList(path)
	known := make(map[string]bool, len(elements))
	for _, e := range elements {
		known[e] = true
	}
	for _, e := range filepath.SplitList(more) {
		if !known[e] && filepath.IsAbs(e) {
			known[e] = true
			elements = append(elements, e)
		}
	}
	return strings.Join(elements, string(filepath.ListSeparator))
}

// getenv is the last value of a variable, as exec takes it.
func getenv(env []string, name string) string {
	value := ""
	for _, entry := range env {
		if k, v, ok := strings.Cut(entry, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// setenv is env with one variable changed; env stays as it is.
func setenv(env []string, name, value string) []string {
	changed := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if k, _, _ := strings.Cut(entry, "="); k != name {
			changed = append(changed, entry)
		}
	}
	return append(changed, name+"="+value)
}

// notFound names the command, the PATH and the likely fix.
func notFound(command, path string) *Error {
	where := "PATH is empty"
	if path != "" {
		where = "PATH searched: " + path
	}
	return &Error{
		Code: CodeNotFound, Stage: StageSpawn, NotSent: true, Lasting: true,
		Message: fmt.Sprintf("command %q not found; %s", command, where),
		Hint:    installHint(command),
		Err:     fs.ErrNotExist,
	}
}

// installHint is the likely fix for a missing command.
func installHint(command string) string {
	const orPath = ", or give its full path as the command"
	if strings.Contains(command, " ") {
		return `the command is the program alone: what follows it belongs into "args"`
	}
	switch command {
	case "npx", "npm", "node":
		return command + " comes with Node.js: install it (https://nodejs.org)" + orPath
	case "uvx", "uv":
		return command + " comes with uv: install it (https://docs.astral.sh/uv)" + orPath
	case "docker":
		return "install Docker (https://docs.docker.com/get-docker)" + orPath
	case "bunx", "bun":
		return command + " comes with Bun: install it (https://bun.sh)" + orPath
	case "python", "python3", "pip", "pipx":
		return "install Python (https://www.python.org)" + orPath
	default:
		return "install " + command + ", correct the name" + orPath
	}
}

// pathError is about a command given as a path.
func pathError(command, path string, err error) *Error {
	e := &Error{Code: CodeSpawn, Stage: StageSpawn, NotSent: true, Lasting: !heals(err), Err: err}
	named := fmt.Sprintf("%q", command)
	if command != path {
		named = fmt.Sprintf("%q (%s)", command, path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code = CodeNotFound
		e.Message = fmt.Sprintf("command %s not found", named)
		e.Hint = "correct the path"
		if strings.Contains(command, " ") {
			e.Hint += `, which has to be the program's alone: arguments belong into "args"`
		}
	case errors.Is(err, fs.ErrPermission):
		e.Message = fmt.Sprintf("command %s may not be executed", named)
		e.Hint = "chmod +x " + path
	default:
		e.Message = fmt.Sprintf("command %s cannot be started: %v", named, bare(err))
		e.Hint = "the command is a program: give the path of one"
	}
	return e
}
