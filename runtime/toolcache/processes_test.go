//go:build unix

package toolcache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

// writerDir makes a copy of this test binary a writer: see TestMain.
const writerDir = "TOOLCACHE_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		os.Exit(hammer(dir))
	}
	m.Run()
}

func sharedKey() Key { return NewKey("shared") }

// versionOf is a list every part of which says which one it is, so that a
// mixture would show.
func versionOf(n int) List {
	l := list()
	l.Instructions = fmt.Sprint("version ", n)
	l.Tools = nil
	for range 50 + n%50 {
		l.Tools = append(l.Tools, json.RawMessage(fmt.Sprintf(`{"name":"t","version":%d,"pad":%q}`, n, strings.Repeat("x", n%997))))
	}
	return l
}

// whole says whether a list is one version from end to end.
func whole(l List) error {
	var n int
	if _, err := fmt.Sscanf(l.Instructions, "version %d", &n); err != nil {
		return err
	}
	want := versionOf(n)
	if len(want.Tools) != len(l.Tools) {
		return fmt.Errorf("version %d with %d tools", n, len(l.Tools))
	}
	for i := range want.Tools {
		if !bytes.Equal(want.Tools[i], l.Tools[i]) {
			return fmt.Errorf("version %d has a tool of another: %s", n, l.Tools[i])
		}
	}
	return nil
}

// hammer saves, loads and drops; its exit code is 0 when every list it saw was
// whole.
func hammer(dir string) int {
	c, log := open(dir)
	for i := range 60 {
		if err := c.Save(sharedKey(), versionOf(os.Getpid()+i)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if i%20 == 19 {
			c.Drop(sharedKey())
		}
		if l, ok := c.Load(sharedKey(), month, noon()); ok {
			if err := whole(l); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	if log.b.Len() > 0 {
		fmt.Fprintln(os.Stderr, log.b.String())
		return 1
	}
	if c.Save(sharedKey(), versionOf(0)) != nil { // after every Drop of its own
		return 1
	}
	return 0
}

func TestManyProcessesShareADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	disktest.Selves(t, 4, writerDir, dir)
	c, _ := open(dir)
	l, ok := c.Load(sharedKey(), month, noon())
	if !ok {
		t.Fatal("a miss in the end")
	}
	if err := whole(l); err != nil {
		t.Error(err)
	}
	if left := disktest.Names(t, dir); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

func TestFilesAndDirectoryAreForTheOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c, _ := open(dir)
	key := NewKey("s")
	// A file somebody made readable for all is replaced by one that is not.
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.path(key), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(key, list()); err != nil {
		t.Fatal(err)
	}
	fresh, _ := open(filepath.Join(dir, "new"))
	if err := fresh.Save(key, list()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{c.path(key): 0o600, fresh.path(key): 0o600, fresh.dir: 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestNothingIsWaitedFor(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"a FIFO": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to a FIFO": func(path string) error {
			return errors.Join(syscall.Mkfifo(path+"x", 0o600), os.Symlink(path+"x", path))
		},
		"a link to a disk":  func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to nothing": func(path string) error { return os.Symlink(path+"x", path) },
		"a link to itself":  func(path string) error { return os.Symlink(path, path) },
	} {
		t.Run(what, func(t *testing.T) {
			c, log := open(t.TempDir())
			key := NewKey("s")
			if err := put(c.path(key)); err != nil {
				t.Fatal(err)
			}
			if _, ok := c.Load(key, month, noon()); ok {
				t.Error("a hit")
			}
			log.expect(t, 1, "not a regular file")
			if err := c.Save(key, list()); err != nil {
				t.Error(err)
			}
			if _, ok := c.Load(key, month, noon()); !ok {
				t.Error("a miss after saving over it")
			}
		})
	}
	// What comes in between the first look and the opening.
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestAFullDiskIsOneWarningAndLeavesTheOldList(t *testing.T) {
	c, log := open(t.TempDir())
	key := NewKey("s")
	if err := c.Save(key, list()); err != nil {
		t.Fatal(err)
	}
	disktest.Full(t, 1<<20)
	large := versionOf(7)
	large.Instructions = strings.Repeat("x", 2<<20)
	for range 3 {
		if c.Save(key, large) == nil {
			t.Error("saved on a full disk")
		}
	}
	log.expect(t, 1, "tools are not cached")
	if l, ok := c.Load(key, month, noon()); !ok || len(l.Tools) != 2 {
		t.Errorf("the old list is gone: %v", ok)
	}
	if left := disktest.Names(t, c.dir); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

func TestAReadOnlyDirectoryIsOneWarning(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	c, log := open(t.TempDir())
	if err := c.Save(NewKey("s"), list()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(c.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(c.dir, 0o700) })
	for range 3 {
		if c.Save(NewKey("s"), list()) == nil {
			t.Error("saved")
		}
	}
	log.expect(t, 1, "tools are not cached")
	if _, ok := c.Load(NewKey("s"), month, noon()); !ok {
		t.Error("a miss")
	}
}
