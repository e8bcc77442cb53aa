//go:build linux || darwin

package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

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
	e := &Error{Code: CodeSpawn, Stage: StageSpawn, NotSent: true, Lasting: !heals(err), Err: err}
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
		name, size := largest(spec)
		e.Hint = fmt.Sprintf("its arguments and environment are too large: %s alone has %d bytes", name, size)
	case syscall.EMFILE:
		e.Hint = "mcp-sidecar may open no more files: see ulimit -n"
	case syscall.EAGAIN:
		e.Hint = "no more processes may be started: see ulimit -u"
	default: // the cause says it all
	}
	return e
}

// largest is what takes the most room of what a child is given.
func largest(spec *Spec) (name string, size int) {
	for what, text := range given(spec) {
		if len(text) > size {
			name, size = what, len(text)
		}
	}
	return name, size
}
