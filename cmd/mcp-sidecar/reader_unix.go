//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// hasReader says whether somebody still holds the other end of a pipe or
// socket. A file has a reader always.
func hasReader(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} //nolint:gosec // a file descriptor fits
	for {
		_, err := unix.Poll(fds, 0)
		if err == unix.EINTR {
			continue
		}
		return err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) == 0
	}
}
