package transport

import (
	"context"
	"errors"
	"path/filepath"
)

// Location is where a command is, or was looked for.
type Location struct {
	Found string // the program, absolute; "" if there is none that may be executed
	// Searched are the directories of the PATH, in order; none for a command
	// that is a path.
	Searched []string
	// LoginShell: only the PATH of the login shell has it.
	LoginShell bool
}

// Locate says where Dial finds the command of spec. It starts nothing: the login
// shell's PATH counts if it has been asked for before. It is an error if ctx ends
// before the file system has answered.
func (d *Dialer) Locate(ctx context.Context, spec Spec) (Location, error) {
	var silent *unansweredError
	if isPath(spec.Command) {
		path, err := absolutePath(spec.Command, spec.Dir)
		if err == nil {
			err = answered(ctx, path, runnable)
		}
		switch {
		case errors.As(err, &silent):
			return Location{}, err
		case err != nil:
			path = ""
		}
		return Location{Found: path}, nil
	}
	own := getenv(spec.Env, "PATH")
	found, _, err := search(ctx, spec.Command, own, spec.Dir)
	if found != "" || err != nil {
		return Location{Found: found, Searched: filepath.SplitList(own)}, err
	}
	wider := joinPaths(own, d.login.told())
	found, _, err = search(ctx, spec.Command, wider, spec.Dir)
	return Location{Found: found, Searched: filepath.SplitList(wider), LoginShell: found != ""}, err
}

// told is the path if it is known, else "".
func (l *loginPath) told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}
