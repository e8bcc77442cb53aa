package transport

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// sweepTime bounds a sweep: what multiplies faster than it is killed is not
	// chased for ever.
	sweepTime = time.Second
	// sweepPause lies between two looks at the process table.
	sweepPause = 20 * time.Millisecond
	// sweepQuiet is how many looks in a row find nothing before a sweep ends.
	//
	// A child between fork and exec shows its parent's environment, and in the
	// middle of exec none. The former cannot escape, since it holds a copy of the
	// guard's pipe until it gets to exec, and so the pipe has not ended before;
	// the latter lasts microseconds of its own, but it may be kept from running.
	sweepQuiet = 5
)

// sweep kills every process of this user whose environment holds the mark, with
// its process group, and those they start meanwhile, until sweepQuiet looks in a
// row have found none. What has dropped the mark or changed its user is not
// found.
func sweep(mark string) {
	limit := time.Now().Add(sweepTime)
	for quiet := 0; ; time.Sleep(sweepPause) {
		if quiet++; killMarked(mark) {
			quiet = 0
		}
		if quiet >= sweepQuiet || time.Now().After(limit) {
			return
		}
	}
}

// killMarked looks once, and reports whether it found any.
func killMarked(mark string) bool {
	pids, err := processes()
	if err != nil {
		return false
	}
	found := false
	for _, pid := range pids {
		if pid <= 1 || pid == os.Getpid() || !isMarked(pid, mark) {
			continue
		}
		found = true
		// The group is 0 for one whose leader is outside our namespace: to kill
		// that would mean our own.
		if group, err := unix.Getpgid(pid); err == nil && group > 1 && group != unix.Getpgrp() {
			killGroup(group)
		}
		_ = unix.Kill(pid, unix.SIGKILL) // it may have gone with its group
	}
	return found
}

// isMarked is false for a zombie, which has no environment any more.
func isMarked(pid int, mark string) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return false
	}
	environ, err := os.ReadFile(dir + "/environ")
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == mark {
			return true
		}
	}
	return false
}
