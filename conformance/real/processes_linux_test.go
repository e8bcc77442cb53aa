package real

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// marked finds the processes whose environment holds mark: a process that has
// left its group or its parent is found too. It returns their command lines by
// process id.
func marked(t *testing.T, mark string) map[int]string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, dir := range dirs {
		// Unreadable: it ended meanwhile, or is not ours.
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(environ, []byte(mark+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	}
	return found
}

// awaitGone waits up to limit for the end of every process with the mark and
// returns the command lines of those that stay.
func awaitGone(t *testing.T, mark string, limit time.Duration) []string {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		left := marked(t, mark)
		if len(left) == 0 {
			return nil
		}
		var lines []string
		for pid, line := range left {
			lines = append(lines, strconv.Itoa(pid)+" "+line)
			if fd, err := unix.PidfdOpen(pid, 0); err == nil {
				fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
				// An interrupted poll only means one more round.
				_, _ = unix.Poll(fds, int(max(time.Until(end), 0).Milliseconds()))
				unix.Close(fd)
			}
		}
		if time.Now().After(end) {
			return lines
		}
	}
}
