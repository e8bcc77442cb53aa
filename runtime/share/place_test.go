//go:build unix

package share

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

const nobody = 65534

func TestTwoDoorsInOnePlaceDoNotMindEachOther(t *testing.T) {
	place := filepath.Join(shortDir(t), "door")
	a, b := openIn(t, place, echo), openIn(t, place, echo)
	if all := disktest.Names(t, place); len(all) != 4 || a.String() == b.String() || a.Token() == b.Token() {
		t.Errorf("%q: %s, %s", all, a, b)
	}
	mustEcho(t, a.join(t))
	guest := b.join(t)
	a.Close()
	mustEcho(t, guest)
	mustEcho(t, b.join(t))
	if _, err := Dial(t.Context(), b.String()+"#"+a.Token()); err == nil {
		t.Error("the token of another session lets in")
	}
}

func TestWhatIsMadeIsForTheOwnerOnly(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	d := openDoor(t, echo)
	if info, err := os.Stat(d.place); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Error(info.Mode(), err)
	}
}

// unusable are places that a door must not be opened in, and why.
func unusable() map[string]struct {
	make func(place string) error
	why  string
} {
	return map[string]struct {
		make func(place string) error
		why  string
	}{
		"others can enter it":  {func(p string) error { return mkdir(p, 0o755) }, "chmod 700"},
		"a group can enter it": {func(p string) error { return mkdir(p, 0o710) }, "chmod 700"},
		"anybody can write it": {func(p string) error { return mkdir(p, 0o777|fs.ModeSticky) }, "chmod 700"},
		"a file":               {func(p string) error { return os.WriteFile(p, nil, 0o600) }, "not a directory"},
		"a link to elsewhere":  {func(p string) error { return errors.Join(os.Mkdir(p+"x", 0o700), os.Symlink(p+"x", p)) }, "not a directory"},
		"a link to nowhere":    {func(p string) error { return os.Symlink("nowhere", p) }, "not a directory"},
		"a FIFO":               {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "not a directory"},
		"somebody else's":      {func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chown(p, nobody, nobody)) }, "another user"},
		"in somebody else's":   {func(p string) error { return os.Chown(filepath.Dir(p), nobody, nobody) }, "another user"},
		"in nothing":           {func(p string) error { return os.Remove(filepath.Dir(p)) }, "no such file"},
		"in a file": {func(p string) error {
			d := filepath.Dir(p)
			return errors.Join(os.Remove(d), os.WriteFile(d, nil, 0o600))
		}, "not a directory"},
		"others can put it away":    {func(p string) error { return os.Chmod(filepath.Dir(p), 0o707) }, "others can replace"},
		"a group can put it away":   {func(p string) error { return os.Chmod(filepath.Dir(p), 0o770) }, "others can replace"},
		"others can, though linked": {func(p string) error { return linked(p, 0o777) }, "others can replace"},
	}
}

func mkdir(path string, mode fs.FileMode) error {
	return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, mode))
}

// linked makes the parent of a place a link to a directory with these permissions.
func linked(place string, mode fs.FileMode) error {
	parent := filepath.Dir(place)
	return errors.Join(os.Remove(parent), mkdir(parent+"x", mode), os.Symlink(parent+"x", parent))
}

func TestAPlaceThatIsUnusableIsLeftForTheNext(t *testing.T) {
	for what, tc := range unusable() {
		t.Run(what, func(t *testing.T) {
			root := shortDir(t)
			bad, good := filepath.Join(root, "parent", "bad"), filepath.Join(root, "good")
			if err := os.Mkdir(filepath.Dir(bad), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tc.make(bad); err != nil {
				t.Skip(err) // only root can give things away
			}
			before, _ := os.Lstat(bad)
			opt := Options{Places: []string{bad}, Serve: echo, Log: slog.New(slog.DiscardHandler)}
			e, err := Open(opt)
			if err == nil {
				e.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), bad+": ") || !strings.Contains(err.Error(), tc.why) {
				t.Error(err)
			}
			opt.Places = append(opt.Places, good)
			e, err = Open(opt)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if !strings.HasPrefix(e.String(), scheme+good+"/") {
				t.Error(e)
			}
			after, _ := os.Lstat(bad)
			if (before == nil) != (after == nil) || before != nil && (!os.SameFile(before, after) || before.Mode() != after.Mode()) {
				t.Error("it has changed")
			}
		})
	}
}

func TestTheLongestPathOfASocketIsUsedAndNoLonger(t *testing.T) {
	root := shortDir(t)
	room := pathLimit - len(root) - len("/") - len("/") - nameLength - len(socketSuffix)
	fits := filepath.Join(root, strings.Repeat("x", room))
	d := openIn(t, fits, echo)
	mustEcho(t, d.join(t))
	_, err := Open(Options{Places: []string{fits + "x"}})
	if err == nil || !strings.Contains(err.Error(), "104 bytes") {
		t.Error(err)
	}
	if _, err := os.Lstat(fits + "x"); err == nil {
		t.Error("a directory was made in vain")
	}
}

func TestWhenNoPlaceWillDoEachIsNamedWithItsReason(t *testing.T) {
	root := shortDir(t)
	open, file, nowhere := filepath.Join(root, "open"), filepath.Join(root, "file"), filepath.Join(root, "no", "where")
	if err := errors.Join(mkdir(open, 0o755), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Places: []string{open, file, nowhere}})
	if err == nil {
		t.Fatal("opened")
	}
	for _, want := range []string{
		open + ": others can enter it (mode 0755): chmod 700 it",
		file + ": it is not a directory: move it away", nowhere + ": ", "no such file",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %q\n%v", want, err)
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
	if _, err := Open(Options{}); err == nil {
		t.Error("opened nowhere")
	}
}

func TestTheUsualPlacesAreAbsolute(t *testing.T) {
	own := fmt.Sprintf("mcp-sidecar-%d", os.Geteuid())
	for what, tc := range map[string]struct {
		runtime, tmp string
		want         []string
	}{
		"both":             {"/run/user/1", "/var/t", []string{"/run/user/1/mcp-sidecar", "/var/t/" + own, "/tmp/" + own}},
		"neither":          {"", "", []string{"/tmp/" + own}},
		"the same":         {"", "/tmp/", []string{"/tmp/" + own}},
		"relative":         {"run", "tmp", []string{"/tmp/" + own}},
		"ending in slash":  {"/run/", "/var/t/", []string{"/run/mcp-sidecar", "/var/t/" + own, "/tmp/" + own}},
		"only for a login": {"/run", "/tmp", []string{"/run/mcp-sidecar", "/tmp/" + own}},
	} {
		t.Setenv("XDG_RUNTIME_DIR", tc.runtime)
		t.Setenv("TMPDIR", tc.tmp)
		if got := Places(os.LookupEnv); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func TestASweepTakesWhatNobodyHoldsAndMakesNothing(t *testing.T) {
	root := shortDir(t)
	dir, elsewhere := filepath.Join(root, "[a*b]"), filepath.Join(root, "elsewhere") // no pattern
	d := openIn(t, dir, echo)
	living := disktest.Names(t, dir)
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(file("dead.lock"), nil, 0o600), os.WriteFile(file("dead.sock"), nil, 0o600),
		os.WriteFile(file("alone.lock"), nil, 0o600), os.WriteFile(file("other"), nil, 0o600),
		os.WriteFile(file("without.sock"), nil, 0o600), // nothing says that it is ours
		os.Symlink(elsewhere, file("link.lock")), os.Symlink("other", file("linked.lock")),
		syscall.Mkfifo(file("fifo.lock"), 0o600), // does not hold it up
		os.Mkdir(file("full.lock"), 0o700), os.WriteFile(file("full.lock/x"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	sweep(dir)
	want := append(slices.Clone(living), "full.lock", "link.lock", "linked.lock", "other", "without.sock")
	slices.Sort(want)
	if got := disktest.Names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("a sweep has made a file")
	}
	mustEcho(t, d.join(t))
	sweep(filepath.Join(dir, "not there"))
}

func TestWhatIsClaimedIsNotSwept(t *testing.T) {
	dir := shortDir(t)
	var claimers, sweepers sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		sweepers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					sweep(dir)
				}
			}
		})
	}
	for range 4 {
		claimers.Go(func() {
			for range 100 {
				base, release, err := claim(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(base+socketSuffix, nil, 0o600); err != nil {
					t.Error(err)
				}
				sweep(dir)
				if !there(base+lockSuffix) || !there(base+socketSuffix) {
					t.Errorf("%s was swept though it was claimed", base)
				}
				_ = os.Remove(base + socketSuffix)
				release()
			}
		})
	}
	claimers.Wait()
	close(over)
	sweepers.Wait()
	if all := disktest.Names(t, dir); len(all) != 0 {
		t.Errorf("left behind: %q", all)
	}
}
