//go:build unix

package trust

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

// These make a copy of this test binary a writer of the file they name, a
// holder of its lock, or somebody who is not root and tries both ways: see
// TestMain.
const (
	writerPath = "TRUST_TEST_WRITER"
	holderPath = "TRUST_TEST_HOLDER"
	nobodyPath = "TRUST_TEST_NOBODY"
)

const nobody = 65534

func TestMain(m *testing.M) {
	if path := os.Getenv(writerPath); path != "" {
		os.Exit(decide(path))
	}
	if path := os.Getenv(holderPath); path != "" {
		os.Exit(hold(path))
	}
	if path := os.Getenv(nobodyPath); path != "" {
		os.Exit(try(path))
	}
	m.Run()
}

const decisionsEach = 10

// decide records one decision after the other, and sees each.
func decide(path string) int {
	s := Open(path)
	for i := range decisionsEach {
		e := decided(fmt.Sprint("/", os.Getpid()), fmt.Sprint("server", i), "h", Allow)
		b, err := s.Record(context.Background(), e)
		if err == nil {
			if _, ok := b.Decision(e.Project, e.Server, e.Hash); !ok {
				err = fmt.Errorf("%v is not there", e)
			}
		}
		if err == nil {
			_, err = s.Load(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// hold holds the lock until it is killed.
func hold(path string) int {
	if _, err := lock(context.Background(), path+".lock"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("held")
	select {}
}

// try says what loading and recording come to for a user who is not root.
func try(path string) int {
	if os.Geteuid() == 0 {
		if err := syscall.Setuid(nobody); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	s := Open(path)
	b, err := s.Load(context.Background())
	fmt.Println(len(b.Entries()), err)
	_, err = s.Record(context.Background(), decided("/p", "fs", "2", Allow))
	fmt.Println(errors.Is(err, fs.ErrPermission), err)
	return 0
}

func TestWhatManyProcessesDecideAtOnceIsAllThere(t *testing.T) {
	s := store(t)
	writers := disktest.Selves(t, 6, writerPath, s.path)
	b := load(t, s)
	for _, pid := range writers {
		for i := range decisionsEach {
			if _, ok := b.Decision(fmt.Sprint("/", pid), fmt.Sprint("server", i), "h"); !ok {
				t.Errorf("decision %d of %d is lost", i, pid)
			}
		}
	}
	if left := disktest.Names(t, filepath.Dir(s.path)); len(left) != 2 {
		t.Errorf("left behind: %q", left)
	}
}

func TestWhatManyGoroutinesDecideAtOnceIsAllThere(t *testing.T) {
	s := store(t)
	ended := make(chan error)
	for i := range 10 {
		go func() {
			_, err := s.Record(t.Context(), decided("/p", fmt.Sprint(i), "h", Allow))
			ended <- err
		}()
	}
	for range 10 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if n := len(load(t, s).Entries()); n != 10 {
		t.Errorf("%d decisions", n)
	}
}

func TestTheLockOfAKilledProcessIsFree(t *testing.T) {
	s := store(t)
	place(t, s, "")
	holder := disktest.Self(t, holderPath, s.path)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Error(line, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Record(ctx, decided("/p", "fs", "1", Allow)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = holder.Wait() // it was killed
	mustRecord(t, s, decided("/p", "fs", "1", Allow))
}

func TestFileAndDirectoryAreForTheOwnerOnly(t *testing.T) {
	s := store(t)
	mustRecord(t, s, decided("/p", "fs", "1", Allow))
	// A file that others may read becomes one that they may not.
	if err := os.Chmod(s.path, 0o644); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, decided("/p", "fs", "2", Allow))
	for path, want := range map[string]fs.FileMode{
		s.path: 0o600, s.path + ".lock": 0o600, filepath.Dir(s.path): 0o700 | fs.ModeDir,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestAFileThatMayBeAnybodysTrustsNothingAndStays(t *testing.T) {
	for what, spoil := range map[string]struct {
		do   func(path string) error
		word string
	}{
		"others can write it":          {func(p string) error { return os.Chmod(p, 0o602) }, "chmod 600"},
		"a group can write it":         {func(p string) error { return os.Chmod(p, 0o660) }, "chmod 600"},
		"others can replace it":        {func(p string) error { return os.Chmod(filepath.Dir(p), 0o777) }, "chmod 700"},
		"a group can replace it":       {func(p string) error { return os.Chmod(filepath.Dir(p), 0o770) }, "chmod 700"},
		"it is somebody else's":        {func(p string) error { return os.Chown(p, nobody, nobody) }, "chown"},
		"a link to others' directory":  {func(p string) error { return linkInto(p, 0o777) }, "chmod 700"},
		"a FIFO":                       {func(p string) error { return errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o600)) }, "regular file"},
		"a link to a disk":             {func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/dev/zero", p)) }, "regular file"},
		"a link to itself":             {func(p string) error { return errors.Join(os.Remove(p), os.Symlink(p, p)) }, "symbolic links"},
		"a link to a file in a sticky": {func(p string) error { return linkInto(p, 0o777|fs.ModeSticky) }, ""},
		"others can read it":           {func(p string) error { return os.Chmod(p, 0o644) }, ""},
		"nobody can write it":          {func(p string) error { return os.Chmod(p, 0o400) }, ""},
	} {
		t.Run(what, func(t *testing.T) {
			s := store(t)
			mustRecord(t, s, decided("/p", "fs", "1", Allow))
			if err := spoil.do(s.path); err != nil {
				t.Skip(err)
			}
			before, _ := os.Lstat(s.path)
			b, err := s.Load(t.Context())
			if spoil.word == "" {
				if err != nil || len(b.Entries()) != 1 {
					t.Error(b, err)
				}
				return
			}
			if err == nil || len(b.Entries()) != 0 || !strings.Contains(err.Error(), spoil.word) || !strings.Contains(err.Error(), s.path) {
				t.Error(b, err)
			}
			if _, err := s.Record(t.Context(), decided("/p", "fs", "2", Allow)); err == nil {
				t.Error("recorded")
			}
			if after, err := os.Lstat(s.path); err != nil || !os.SameFile(before, after) || before.Mode() != after.Mode() {
				t.Error("it has changed", err)
			}
		})
	}
}

// linkInto moves the file at path into a directory with these permissions and
// leaves a link.
func linkInto(path string, mode fs.FileMode) error {
	dir := filepath.Join(filepath.Dir(path), "elsewhere")
	to := filepath.Join(dir, "trust.json")
	return errors.Join(os.Mkdir(dir, 0o700), os.Rename(path, to), os.Symlink("elsewhere/trust.json", path), os.Chmod(dir, mode))
}

func TestALinkStaysALink(t *testing.T) {
	for what, target := range map[string]string{
		"relative":                   "../dotfiles/trust.json",
		"absolute":                   "", // filled in below
		"to another link":            "../dotfiles/link.json",
		"to what is not there":       "../dotfiles/new.json",
		"to a missing directory":     "../dotfiles/new/er/trust.json",
		"through a linked directory": "../linked/../dotfiles/trust.json",
	} {
		t.Run(what, func(t *testing.T) {
			root := t.TempDir()
			dotfiles := filepath.Join(root, "dotfiles")
			s := Open(filepath.Join(root, "state", "trust.json"))
			if target == "" {
				target = filepath.Join(dotfiles, "trust.json")
			}
			err := errors.Join(
				os.Mkdir(dotfiles, 0o700), os.Mkdir(filepath.Dir(s.path), 0o700),
				// ../linked/.. is root, not its lexical parent.
				os.MkdirAll(filepath.Join(root, "far"), 0o700), os.Symlink("far", filepath.Join(root, "linked")),
				os.WriteFile(filepath.Join(dotfiles, "trust.json"), []byte(extended), 0o600),
				os.Symlink("trust.json", filepath.Join(dotfiles, "link.json")), os.Symlink(target, s.path))
			if err != nil {
				t.Fatal(err)
			}
			mustRecord(t, s, decided("/p", "fs", "9", Allow))
			if to, err := os.Readlink(s.path); err != nil || to != target {
				t.Error(to, err)
			}
			if _, ok := load(t, s).Decision("/p", "fs", "9"); !ok {
				t.Error("not recorded")
			}
			if there, err := filepath.EvalSymlinks(s.path); err != nil || !strings.HasPrefix(there, dotfiles) {
				t.Error(there, err)
			}
		})
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	s := store(t)
	for n := range 40 {
		e := decided("/p", fmt.Sprint("fs", n), "1", Allow)
		e.File = strings.Repeat("x", 30<<10)
		mustRecord(t, s, e)
	}
	before := text(t, s.path) // a megabyte
	disktest.Full(t, uint64(len(before)+10))
	if _, err := s.Record(t.Context(), decided("/p", "fs", "2", Allow)); err == nil {
		t.Error("recorded on a full disk")
	}
	if text(t, s.path) != before {
		t.Error("the file has changed")
	}
	if left := disktest.Names(t, filepath.Dir(s.path)); len(left) != 2 {
		t.Errorf("left behind: %q", left)
	}
}

func TestPermissionsThatAreMissingAreAnErrorAndLoseNothing(t *testing.T) {
	for what, tc := range map[string]struct {
		directory, file fs.FileMode
		loaded          string // its first word
	}{
		"read only":       {0o500, 0o600, "1"},
		"no new files":    {0o500, 0o400, "1"},
		"unreadable file": {0o700, 0o000, "0"},
		"closed":          {0o000, 0o600, "0"},
	} {
		t.Run(what, func(t *testing.T) {
			s := store(t)
			mustRecord(t, s, decided("/p", "fs", "1", Allow))
			before, dir := text(t, s.path), filepath.Dir(s.path)
			for up := filepath.Dir(dir); up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
				_ = os.Chmod(up, 0o755) // let nobody in; what is not ours is open
			}
			if os.Geteuid() == 0 {
				if err := errors.Join(os.Chown(s.path, nobody, nobody), os.Chown(dir, nobody, nobody), os.Remove(s.path+".lock")); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Chmod(s.path, tc.file), os.Chmod(dir, tc.directory)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
			out, err := disktest.Self(t, nobodyPath, s.path).Output()
			if err != nil {
				t.Fatal(err)
			}
			loaded, recorded, _ := strings.Cut(string(out), "\n")
			if !strings.HasPrefix(loaded, tc.loaded+" ") || strings.Contains(loaded, s.path) == (tc.loaded == "1") {
				t.Error("loaded:", loaded)
			}
			if !strings.HasPrefix(recorded, "true ") || !strings.Contains(recorded, s.path) {
				t.Error("recorded:", recorded)
			}
			if err := errors.Join(os.Chmod(dir, 0o700), os.Chmod(s.path, 0o600)); err != nil {
				t.Fatal(err)
			}
			if text(t, s.path) != before {
				t.Error("something is lost")
			}
		})
	}
}
