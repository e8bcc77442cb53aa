//go:build linux || darwin

package transport

import (
	"os"
	"os/exec"
	"testing"
)

func TestEndedProcessThatNobodyReapedDoesNotExist(t *testing.T) {
	if !ProcessExists(os.Getpid()) {
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
	if !ProcessExists(cmd.Process.Pid) {
		t.Error("a running one does")
	}
	_ = in.Close()
	awaitExit(cmd.Process.Pid) // does not reap it
	if ProcessExists(cmd.Process.Pid) {
		t.Error("it has ended")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
