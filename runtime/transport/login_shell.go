package transport

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

const (
	// loginShellTime is how long a login shell may take to tell its PATH.
	loginShellTime = 5 * time.Second
	// loginShellOutput is how much it may print before, in bytes.
	loginShellOutput = 1 << 20
	// pathMark surrounds PATH in the output of the login shell.
	pathMark = "_mcp_sidecar_path_"
	// tellPath prints it, in any shell's language. The mark is not in it as such,
	// so that a shell that repeats its commands is not misunderstood.
	tellPath = `echo _mcp_''sidecar_path_"$PATH"_mcp_''sidecar_path_`
)

// loginPath is the PATH of the user's login shell: an editor started from the
// desktop does not have it. It is asked for when a command is not found, and
// answered once in a Dialer's life.
type loginPath struct {
	mu     sync.Mutex
	asking chan struct{} // guarded by mu; nil while nobody asks, closed when they are done
	known  bool          // guarded by mu; path is what the shell told
	path   string        // guarded by mu; "" if it did not
}

// get returns "" if ctx ends first. The first caller asks the shell, and the
// others wait for it; if it cannot be asked, or the caller's ctx ends and with it
// the shell, the next one asks.
func (l *loginPath) get(ctx context.Context, ask func() (string, error)) string {
	for {
		path, known, wait := l.enter()
		switch {
		case known:
			return path
		case wait == nil:
			path, err := ask()
			return l.leave(path, err == nil && ctx.Err() == nil)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ""
		}
	}
}

// enter gives the path if it is known, or else whom to wait for: nil means that
// it is the caller's turn to ask, and to leave.
func (l *loginPath) enter() (path string, known bool, wait <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known || l.asking != nil {
		return l.path, l.known, l.asking
	}
	l.asking = make(chan struct{})
	return "", false, nil
}

// leave ends a turn with what the shell told, if it did.
func (l *loginPath) leave(path string, told bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if told {
		l.path, l.known = path, true
	}
	close(l.asking)
	l.asking = nil
	return path
}

// askLoginShell runs the user's shell as a login shell and an interactive one,
// since both kinds of start-up files set PATH, in the home directory and
// without a terminal. Only what stands between the marks is taken: start-up
// files talk. It returns "" when the shell does not tell within loginShellTime or
// before ctx ends, and an error when it cannot be started.
func (d *Dialer) askLoginShell(ctx context.Context, env []string) (string, error) {
	shell := getenv(env, "SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	ctx, cancel := context.WithTimeout(ctx, loginShellTime)
	defer cancel()
	home := getenv(env, "HOME")
	var silent *unansweredError
	if err := answered(ctx, home, enterable); errors.As(err, &silent) {
		return "", nil // nor would the shell
	}
	argv := []string{shell, "-l", "-i", "-c", tellPath}
	out, _, err := d.output(ctx, argv, home, env, func(out []byte) bool {
		return bytes.Count(out, []byte(pathMark)) > 1 || len(out) >= loginShellOutput
	})
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(out), pathMark)
	path, _, closed := strings.Cut(rest, pathMark)
	if !ok || !closed {
		return "", nil
	}
	return path, nil
}
