// Package disktest is what tests of files share: disks that are full or dead,
// and many processes that work on one directory at once.
package disktest

import (
	"os"
	"os/exec"
	"testing"
)

// Names are those of what is in a directory.
func Names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Self is another process of the test binary, whose TestMain finds out by the
// variable what it is to be.
func Self(t *testing.T, variable, value string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), binary)
	c.Env = append(os.Environ(), variable+"="+value)
	c.Stderr = t.Output()
	return c
}

// Selves runs n of them at once, and gives their numbers when all have ended.
func Selves(t *testing.T, n int, variable, value string) (pids []int) {
	t.Helper()
	var all []*exec.Cmd
	for range n {
		c := Self(t, variable, value)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
		pids = append(pids, c.Process.Pid)
	}
	return pids
}
