//go:build linux || darwin

package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supported is nil where there are process groups.
func supported() error { return nil }

// ownSession makes the child the leader of a new session and process group, so
// that its process id is the group's.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// executable asks the kernel, which knows about groups and access lists.
func executable(path string, _ fs.FileInfo) bool { return unix.Access(path, unix.X_OK) == nil }

// killGroup kills every member. The error is not of interest: there may be
// nobody left.
func killGroup(group int) { _ = unix.Kill(-group, unix.SIGKILL) }

// terminateGroup asks every member to end.
func terminateGroup(group int) { _ = unix.Kill(-group, unix.SIGTERM) }

// groupAlive reports whether a group whose leader has been reaped has a member
// that has not ended. Asking the kernel first is cheap, but a zombie that its
// new parent is slow to reap counts there.
func groupAlive(group int) bool {
	return !errors.Is(unix.Kill(-group, 0), unix.ESRCH) && othersAlive(group)
}

// reapLeader takes the exit status of a child that has ended.
func reapLeader(pid int) (code int, signal string) {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if status.Signaled() {
		return -1, status.Signal().String()
	}
	return status.ExitStatus(), ""
}

// spawnError explains why a file that is there could not be started.
func spawnError(spec *Spec, err error) *Error {
	e := &Error{Code: CodeSpawn, Stage: StageSpawn, NotSent: true, Err: err}
	var cause syscall.Errno
	if !errors.As(err, &cause) {
		e.Message = fmt.Sprintf("command %q cannot be started: %v", spec.Command, err)
		return e
	}
	e.Message = fmt.Sprintf("command %q cannot be started: %v", spec.Command, cause)
	switch cause {
	case syscall.ENOENT:
		e.Hint = "the interpreter its first line names is not there"
	case syscall.ENOEXEC:
		e.Hint = "it is no program for this system; a script needs a first line such as #!/bin/sh"
	case syscall.E2BIG:
		e.Hint = "its arguments and environment are too large"
	case syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE:
		e.Hint = "the system has run out of processes, memory or files"
	default: // the cause says it all
	}
	return e
}

// askLoginShell runs the user's shell as a login shell and an interactive one,
// since both kinds of start-up files set PATH, in the home directory and
// without a terminal. Only what stands between the marks is taken: start-up
// files talk. It returns "" when the shell does not tell within loginShellTime or
// before ctx ends.
func askLoginShell(ctx context.Context, env []string) string {
	shell := getenv(env, "SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	ctx, cancel := context.WithTimeout(ctx, loginShellTime)
	defer cancel()
	out, err := runShell(ctx, shell, env)
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(out, pathMark)
	path, _, closed := strings.Cut(rest, pathMark)
	if !ok || !closed {
		return ""
	}
	return path
}

const (
	// pathMark surrounds PATH in the output of the login shell.
	pathMark = "_mcp_sidecar_path_"
	// tellPath prints it, in any shell's language. The mark is not in it as such,
	// so that a shell that repeats its commands is not misunderstood.
	tellPath = `echo _mcp_''sidecar_path_"$PATH"_mcp_''sidecar_path_`
)

// runShell returns what the shell printed up to the second mark. Its whole group
// is killed before it returns.
func runShell(ctx context.Context, shell string, env []string) (string, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer read.Close()
	child, err := os.StartProcess(shell, []string{shell, "-l", "-i", "-c", tellPath}, &os.ProcAttr{
		Dir:   getenv(env, "HOME"),
		Env:   env,
		Files: []*os.File{null, write, null},
		Sys:   ownSession(),
	})
	_ = write.Close()
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = read.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	out := readMarked(read)
	killGroup(child.Pid)
	_, err = child.Wait()
	return out, err
}

// readMarked reads until the second mark, the end, or 1 MiB.
func readMarked(r io.Reader) string {
	var out bytes.Buffer
	buf := make([]byte, 4096)
	for out.Len() < 1<<20 && bytes.Count(out.Bytes(), []byte(pathMark)) < 2 {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			break
		}
	}
	return out.String()
}
