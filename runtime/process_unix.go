//go:build unix

package runtime

import (
	"errors"

	"golang.org/x/sys/unix"
)

// processExists says whether a process runs, whoever owns it. One that has
// ended and was not reaped does not.
func processExists(pid int) bool {
	err := unix.Kill(pid, 0)
	return (err == nil || errors.Is(err, unix.EPERM)) && !isZombie(pid)
}
