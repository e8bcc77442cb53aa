package disktest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// Dead is a directory in which nothing ever answers, as on a network file system
// whose server is gone, until the test ends. The test is skipped where that takes
// rights that it does not have.
func Dead(t *testing.T) string {
	t.Helper()
	fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("it takes a file system of one's own:", err)
	}
	dir := t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fuse.Fd(), os.Getuid(), os.Getgid())
	if err := syscall.Mount("dead", dir, "fuse", 0, options); err != nil {
		_ = fuse.Close()
		t.Skip("it takes the right to mount:", err)
	}
	t.Cleanup(func() {
		_ = fuse.Close() // whoever still waits gets an error
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
