//go:build linux

package runtime

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestEndedProcessThatNobodyReapedDoesNotExist(t *testing.T) {
	if !processExists(os.Getpid()) {
		t.Error("this one does")
	}
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !processExists(cmd.Process.Pid) {
		t.Error("a running one does")
	}
	_ = in.Close()
	awaitZombie(t, cmd.Process.Pid)
	if processExists(cmd.Process.Pid) {
		t.Error("it has ended")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// awaitZombie waits for the end of a child without reaping it.
func awaitZombie(t *testing.T, pid int) {
	t.Helper()
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
}
