//go:build unix

package transport

import (
	"errors"

	"golang.org/x/sys/unix"
)

// ProcessExists says whether a process runs, whoever owns it. One that has ended
// and was not reaped does not; one that may not be looked at does.
func ProcessExists(pid int) bool {
	if err := unix.Kill(pid, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return false
	}
	ended, known := hasEnded(pid)
	return !known || !ended
}
