package transport

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// zombieState is SZOMB of sys/proc.h.
const zombieState = 5

// awaitExit returns when a child has ended and leaves it unreaped.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	for {
		// ESRCH: it has ended already.
		_, err := unix.Kevent(queue, []unix.Kevent_t{change}, make([]unix.Kevent_t, 1), nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// othersAlive reports whether the group has a member besides its leader that
// has not ended. Signal 0 cannot tell: it finds zombies too.
func othersAlive(group int) bool {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return true
	}
	for i := range members {
		if p := &members[i].Proc; int(p.P_pid) != group && p.P_stat != zombieState {
			return true
		}
	}
	return false
}

// hasEnded asks the kernel. A process that has gone altogether is not known.
func hasEnded(pid int) (ended, known bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return false, false
	}
	return info.Proc.P_stat == zombieState, true
}

// ownExecutable is the program to start as the guard.
func ownExecutable() (string, error) { return os.Executable() }
