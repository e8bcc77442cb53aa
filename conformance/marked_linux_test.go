package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// awaitUnmarked waits until no process has mark in its environment, but for
// those spared and this one.
func awaitUnmarked(ctx context.Context, mark string, spared map[int]bool) error {
	for _, pid := range marked(mark) {
		if spared[pid] || pid == os.Getpid() {
			continue
		}
		command := commandLine(pid)
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // it has ended
		}
		ended := awaitPidfd(ctx, fd)
		unix.Close(fd)
		if !ended {
			return fmt.Errorf("process %d is left: %s", pid, command)
		}
	}
	return nil
}

func awaitPidfd(ctx context.Context, fd int) bool {
	until, _ := ctx.Deadline()
	for {
		left := time.Until(until)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if n > 0 {
			return true
		}
		if err != nil && err != unix.EINTR {
			return false
		}
	}
}

// marked are the processes with mark in their environment. A zombie has none.
func marked(mark string) []int {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	var pids []int
	for _, path := range paths {
		environment, err := os.ReadFile(path)
		if err != nil || !slices.ContainsFunc(bytes.Split(environment, []byte{0}), func(v []byte) bool { return string(v) == mark }) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// commandLines are those of all processes.
func commandLines() []string {
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is good
	var lines []string
	for _, path := range paths {
		if pid, err := strconv.Atoi(filepath.Base(path)); err == nil {
			lines = append(lines, commandLine(pid))
		}
	}
	return lines
}

func commandLine(pid int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return err.Error()
	}
	return string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
}
