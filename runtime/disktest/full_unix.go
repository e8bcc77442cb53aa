//go:build unix

package disktest

import (
	"syscall"
	"testing"
)

// Full lets this process write files of n bytes only until the test ends, as a
// full disk would. It is for a large n: what the test program itself writes, such
// as its log of the files that it opens, is limited as well.
func Full(t *testing.T, n uint64) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = n
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	})
}
