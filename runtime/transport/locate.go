package transport

import (
	"path/filepath"
	"strings"
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
// shell's PATH counts if it has been asked for before.
func (d *Dialer) Locate(spec Spec) Location {
	if strings.ContainsRune(spec.Command, '/') {
		path := spec.Command
		if !filepath.IsAbs(path) {
			path = filepath.Join(spec.Dir, path)
		}
		if runnable(path) != nil {
			path = ""
		}
		return Location{Found: path}
	}
	own := getenv(spec.Env, "PATH")
	if found, _ := search(spec.Command, own, spec.Dir); found != "" {
		return Location{Found: found, Searched: filepath.SplitList(own)}
	}
	wider := joinPaths(own, d.login.told())
	found, _ := search(spec.Command, wider, spec.Dir)
	return Location{Found: found, Searched: filepath.SplitList(wider), LoginShell: found != ""}
}

// told is the path if it is known, else "".
func (l *loginPath) told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}
