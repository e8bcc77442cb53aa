package transport

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// awaitExit returns when a child has ended and leaves it unreaped.
func awaitExit(pid int) {
	if pollExit(pid) {
		return
	}
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// pollExit is awaitExit without a thread that does nothing but wait: with one a
// server the sidecar would meet the limit of processes that its servers have
// left. It is false where the kernel (before 5.10) does not have it.
func pollExit(pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	ended := false
	err = conn.Read(func(fd uintptr) bool {
		state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a file descriptor fits
		n, err := unix.Poll(state, 0)
		for errors.Is(err, unix.EINTR) {
			n, err = unix.Poll(state, 0)
		}
		ended = n > 0
		return ended || err != nil
	})
	return err == nil && ended
}

// othersAlive reports whether the group has a member besides its leader that
// has not ended. Signal 0 cannot tell: it finds zombies too.
func othersAlive(group int) bool {
	pids, err := processes()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(pids, func(pid int) bool {
		if pid == group {
			return false
		}
		of, err := unix.Getpgid(pid)
		if err != nil || of != group {
			return false
		}
		ended, known := hasEnded(pid)
		return known && !ended
	})
}

// processes are the numbers of all that are there, zombies too.
func processes() ([]int, error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// hasEnded reads the state behind the command's name, which stands in
// parentheses and may hold anything (proc_pid_stat(5)). A process that has gone
// altogether is not known, nor is one that may not be looked at.
func hasEnded(pid int) (ended, known bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false, false
	}
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 || end+2 >= len(stat) {
		return false, false
	}
	return stat[end+2] == 'Z' || stat[end+2] == 'X', true
}

// ownExecutable also works after the file was replaced by a newer version.
func ownExecutable() (string, error) { return "/proc/self/exe", nil }
