package transport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// deadFileSystem is a directory in which nothing ever answers, as on a network
// file system whose server is gone, until the test ends.
func deadFileSystem(t *testing.T) string {
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

func TestADeadFileSystemIsWaitedForAsLongAsTheAttemptMayTake(t *testing.T) {
	t.Parallel()
	dead, alive := deadFileSystem(t), t.TempDir()
	for what, spec := range map[string]Spec{
		"in PATH":                  {Command: "npx", Dir: alive, Env: []string{"PATH=" + dead + ":/bin"}},
		"of the command":           {Command: filepath.Join(dead, "bin/npx"), Dir: alive},
		"of the working directory": {Command: "/bin/true", Dir: filepath.Join(dead, "project")},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := &Dialer{}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			spec.Name, spec.Kind = "s", Stdio
			_, err := d.Dial(ctx, spec, Hooks{})
			var failure *Error
			if !errors.As(err, &failure) || failure.Code != CodeTimeout || failure.Stage != StageSpawn || !failure.NotSent {
				t.Fatalf("got %#v", err)
			}
			if !strings.Contains(failure.Hint, dead) {
				t.Errorf("it does not say what does not answer: %q", failure.Hint)
			}
			if what != "of the working directory" {
				if at, err := d.Locate(ctx, spec); err == nil {
					t.Errorf("located: %+v", at)
				}
			}
		})
	}
}
