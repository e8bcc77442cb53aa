//go:build unix

package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// hasReader says whether somebody still holds the other end of a pipe or
// socket. A file has a reader always.
func hasReader(c syscall.Conn) bool {
	raw, err := c.SyscallConn()
	held := false
	if err == nil {
		err = raw.Control(func(fd uintptr) { held = polled(fd) })
	}
	return err == nil && held
}

func polled(fd uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a file descriptor fits
	for {
		_, err := unix.Poll(fds, 0)
		if err == unix.EINTR {
			continue
		}
		return err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) == 0
	}
}
