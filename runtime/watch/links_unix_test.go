//go:build unix

package watch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// linkChanges are changes of symbolic links themselves.
func linkChanges() []change {
	linked := func(at func(string) string) error {
		return errors.Join(write(at("1"), "one"), write(at("2"), "two"), os.Symlink("1", at("f")))
	}
	point := func(at func(string) string) error {
		return errors.Join(os.Symlink("2", at("new")), os.Rename(at("new"), at("f")))
	}
	return []change{
		{"a link is pointed elsewhere", "f", linked, point},
		{"a matching link is pointed elsewhere", "f*", linked, point},
		{
			"a link appears", "f", func(at func(string) string) error { return write(at("1"), "one") },
			func(at func(string) string) error { return os.Symlink("1", at("f")) },
		},
		{
			"a file in a linked directory is written", "l/f",
			func(at func(string) string) error {
				return errors.Join(os.Mkdir(at("d"), 0o700), write(at("d/f"), "one"), os.Symlink("d", at("l")))
			},
			func(at func(string) string) error { return write(at("d/f"), "other") },
		},
	}
}

// No event tells of these.
func TestThePollSeesWhatIsBehindLinks(t *testing.T) {
	for what, then := range map[string]func(dir string) error{
		"the target is written":             func(dir string) error { return write(filepath.Join(dir, "far", "f"), "other") },
		"the target goes":                   func(dir string) error { return os.Remove(filepath.Join(dir, "far", "f")) },
		"a link on the way points to other": func(dir string) error { return repoint(dir) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "near"), 0o700), os.Mkdir(filepath.Join(dir, "far"), 0o700),
				write(filepath.Join(dir, "far", "f"), "one"),
				os.Symlink("far", filepath.Join(dir, "way")),
				os.Symlink("../way/f", filepath.Join(dir, "near", "f")))
			v := watchWith(t, filepath.Join(dir, "near"), Options{Poll: 5 * time.Millisecond, Log: alarm(t)}, Path{Path: filepath.Join(dir, "near", "f")})
			must(t, then(dir))
			v.wait(t)
		})
	}
}

func repoint(dir string) error {
	return errors.Join(os.Mkdir(filepath.Join(dir, "other"), 0o700), write(filepath.Join(dir, "other", "f"), "one"),
		os.Symlink("other", filepath.Join(dir, "new")), os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "way")))
}

// One directory with two names is one watch for the system.
func TestADirectoryWithTwoNamesIsWatchedByBoth(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	must(t, os.Mkdir(real, 0o700), os.Symlink("real", link))
	v := watchIn(t, dir, Path{Path: filepath.Join(real, "a")}, Path{Path: filepath.Join(link, "b")})
	v.put(t, filepath.Join(link, "a"), "one")
	v.wait(t)
	v.put(t, filepath.Join(real, "b"), "one")
	v.wait(t)
	rest := []Path{{Path: filepath.Join(link, "b")}, {Path: v.probe}}
	v.Set(rest, Signatures{})
	v.settle(t)
	v.put(t, filepath.Join(real, "b"), "two")
	v.wait(t)
}
