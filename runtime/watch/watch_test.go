package watch

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// patient is how long a test waits for what must happen, on a busy machine.
const patient = 30 * time.Second

// watching is a Watcher with the calls it made.
type watching struct {
	*Watcher
	calls chan struct{} // one for each
	inbox string        // a directory on the same disk, for what is renamed into place
	probe string        // a path that is watched, see settle
}

// alarm fails a test at any line in the log: such as that events do not work
// and the poll has made the test pass.
func alarm(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(alarmed{t}, nil))
}

type alarmed struct{ t *testing.T }

func (a alarmed) Write(line []byte) (int, error) {
	a.t.Errorf("logged: %s", line)
	return len(line), nil
}

// watchIn watches paths, and a probe in dir, by events. Where there are none,
// the poll is quick.
func watchIn(t *testing.T, dir string, paths ...Path) *watching {
	t.Helper()
	return watchWith(t, dir, Options{Poll: time.Hour, QuickPoll: 5 * time.Millisecond, Log: alarm(t)}, paths...)
}

func watchWith(t *testing.T, dir string, o Options, paths ...Path) *watching {
	t.Helper()
	v := &watching{calls: make(chan struct{}, 1000), inbox: t.TempDir(), probe: filepath.Join(dir, "probe")}
	v.Watcher = Start(func() { v.calls <- struct{}{} }, o)
	t.Cleanup(v.Close)
	paths = append([]Path{{Path: v.probe}}, paths...)
	v.Set(paths, Take(t.Context(), paths))
	v.settle(t)
	return v
}

// settle makes one change and waits for its call. After that everything has
// been arranged for and seen, so the next call is about what happens next.
func (v *watching) settle(t *testing.T) {
	t.Helper()
	v.put(t, v.probe, time.Now().String())
	v.wait(t)
}

func (v *watching) wait(t *testing.T) {
	t.Helper()
	select {
	case <-v.calls:
	case <-time.After(patient):
		t.Fatal("changed was not called")
	}
}

// put has a file appear at path as a whole: one change.
func (v *watching) put(t *testing.T, path, text string) {
	t.Helper()
	from := filepath.Join(v.inbox, "new")
	must(t, os.WriteFile(from, []byte(text), 0o600), os.Rename(from, path))
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// change is something that happens to what is watched in a directory.
type change struct {
	what   string
	path   string // relative to the directory; with a * it is a pattern
	before func(at func(string) string) error
	then   func(at func(string) string) error
}

func changes() []change {
	nothing := func(func(string) string) error { return nil }
	file := func(at func(string) string) error { return write(at("f"), "one") }
	deep := func(at func(string) string) error {
		return errors.Join(os.MkdirAll(at("a/b"), 0o700), write(at("a/b/f"), "one"))
	}
	return []change{
		{"a file appears", "f", nothing, file},
		{"a file is written in place", "f", file, func(at func(string) string) error { return write(at("f"), "other") }},
		{"a file grows", "f", file, func(at func(string) string) error { return appendTo(at("f"), "+") }},
		{"a file is replaced", "f", file, func(at func(string) string) error {
			return errors.Join(write(at("f~"), "two"), os.Rename(at("f~"), at("f")))
		}},
		{"a file is replaced, its time kept", "f", file, func(at func(string) string) error {
			info, err := os.Stat(at("f"))
			if err != nil {
				return err
			}
			return errors.Join(write(at("f~"), "two"), os.Chtimes(at("f~"), info.ModTime(), info.ModTime()), os.Rename(at("f~"), at("f")))
		}},
		{"a file goes", "f", file, func(at func(string) string) error { return os.Remove(at("f")) }},
		{"a file is renamed", "f", file, func(at func(string) string) error { return os.Rename(at("f"), at("g")) }},
		{"a file's mode changes", "f", file, func(at func(string) string) error { return os.Chmod(at("f"), 0o400) }},
		{"a file becomes a directory", "f", file, func(at func(string) string) error {
			return errors.Join(os.Remove(at("f")), os.Mkdir(at("f"), 0o700))
		}},
		{"a directory appears", ".git", nothing, func(at func(string) string) error { return os.Mkdir(at(".git"), 0o700) }},
		{
			"a directory goes", ".git", func(at func(string) string) error { return os.MkdirAll(at(".git/x"), 0o700) },
			func(at func(string) string) error { return os.RemoveAll(at(".git")) },
		},
		{"a file appears with its directories", "a/b/c/f", nothing, func(at func(string) string) error {
			return errors.Join(os.MkdirAll(at("a/b/c"), 0o700), write(at("a/b/c/f"), "one"))
		}},
		{"a file appears where its directory is", "a/b/g", deep, func(at func(string) string) error { return write(at("a/b/g"), "one") }},
		{"a file goes with its directories", "a/b/f", deep, func(at func(string) string) error { return os.RemoveAll(at("a")) }},
		{"a file's directory is renamed", "a/b/f", deep, func(at func(string) string) error { return os.Rename(at("a/b"), at("a/c")) }},
		{"a directory is renamed to where a file's should be", "x/f", deep, func(at func(string) string) error { return os.Rename(at("a/b"), at("x")) }},
		{"a file's directory is another one", "a/b/f", deep, func(at func(string) string) error {
			return errors.Join(os.Rename(at("a/b"), at("old")), os.Mkdir(at("a/b"), 0o700), write(at("a/b/f"), "two"))
		}},
		{
			"what was in the way goes and a file appears", "a/f", func(at func(string) string) error { return write(at("a"), "") },
			func(at func(string) string) error {
				return errors.Join(os.Remove(at("a")), os.Mkdir(at("a"), 0o700), write(at("a/f"), "one"))
			},
		},
		{"a match appears", "*.code-workspace", file, func(at func(string) string) error { return write(at("x.code-workspace"), "one") }},
		{"a match appears with its directory", "a/*.x", nothing, func(at func(string) string) error {
			return errors.Join(os.Mkdir(at("a"), 0o700), write(at("a/1.x"), ""))
		}},
		{"a second match appears", "f*", file, func(at func(string) string) error { return write(at("f2"), "one") }},
		{"a match is written", "f*", file, func(at func(string) string) error { return write(at("f"), "other") }},
		{"a match goes", "f*", file, func(at func(string) string) error { return os.Remove(at("f")) }},
		{"a match is renamed to another", "f*", file, func(at func(string) string) error { return os.Rename(at("f"), at("fg")) }},
	}
}

func pathAt(at func(string) string, path string) Path {
	return Path{Path: at(path), Pattern: filepath.Base(path) != path && filepath.Ext(path) == ".x" || path[0] == '*' || path[len(path)-1] == '*'}
}

func TestChangesAreTold(t *testing.T) {
	for _, c := range append(changes(), linkChanges()...) {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
			must(t, c.before(at))
			v := watchIn(t, dir, pathAt(at, c.path))
			must(t, c.then(at))
			v.wait(t)
		})
	}
}

// What happened between the caller's reading and Set is told at once, and what
// is as it was then is not.
func TestNothingIsMissedBetweenReadingAndSet(t *testing.T) {
	for _, c := range append(changes(), linkChanges()...) {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			at := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
			must(t, c.before(at))
			v := watchIn(t, dir)
			paths := []Path{pathAt(at, c.path)}
			taken := Take(t.Context(), paths)
			must(t, c.then(at))
			v.Set(paths, taken)
			v.wait(t)
		})
	}
}

func TestWhatIsAsItWasIsNotTold(t *testing.T) {
	dir := t.TempDir()
	at := func(path string) string { return filepath.Join(dir, path) }
	must(t, write(at("f"), "one"), os.Mkdir(at("dir"), 0o700), write(at("1.x"), ""))
	v := watchIn(t, dir)
	paths := []Path{{Path: at("f")}, {Path: at("f") + "/"}, {Path: at("none")}, {Path: at("dir")}, {Path: at("*.x"), Pattern: true}, {Path: "relative"}, {Path: at("["), Pattern: true}, {Path: v.probe}}
	taken := Take(t.Context(), paths)
	v.Set(paths, taken)
	v.Set(paths, Signatures{})
	v.Set(append(paths, Path{Path: at("g")}), Signatures{})
	// None of these is watched, though all are in watched directories.
	for i := range 50 {
		must(t, write(at(fmt.Sprint("other", i)), "x"), write(at(fmt.Sprint("dir/f", i)), "x"))
	}
	must(t, os.Remove(at("other0")), os.Rename(at("other1"), at("other2")), os.Mkdir(at("none.d"), 0o700))
	v.settle(t)
	v.settle(t)
	v.Close()
	if n := len(v.calls); n > 0 {
		t.Errorf("%d calls too many", n)
	}
}

// A watch on a directory ends with it; the next directory of that name needs
// another, however often that happens.
func TestDirectoriesThatComeAndGoAreWatchedEachTime(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "a", "b")
	v := watchIn(t, dir, Path{Path: filepath.Join(sub, "f")})
	for range 8 {
		must(t, os.MkdirAll(sub, 0o700))
		v.put(t, filepath.Join(sub, "f"), "one")
		v.wait(t)
		v.put(t, filepath.Join(sub, "f"), "two")
		v.wait(t)
		must(t, os.RemoveAll(filepath.Join(dir, "a")))
		v.wait(t)
	}
}

func TestSetReplacesWhatIsWatched(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	v := watchIn(t, dir, Path{Path: filepath.Join(dir, "f")})
	next := []Path{{Path: filepath.Join(other, "f")}, {Path: v.probe}}
	v.Set(next, Take(t.Context(), next))
	v.settle(t)
	v.put(t, filepath.Join(dir, "f"), "not watched any more")
	v.put(t, filepath.Join(other, "f"), "watched")
	v.wait(t)
	v.Set(nil, Signatures{})
	v.put(t, filepath.Join(other, "f"), "nothing is")
	probe := []Path{{Path: v.probe}}
	v.Set(probe, Take(t.Context(), probe))
	v.settle(t)
	v.Close()
	if n := len(v.calls); n > 0 {
		t.Errorf("%d calls too many", n)
	}
}

func TestNoCallAfterClose(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // changes the file until stop is closed
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				_ = write(path, fmt.Sprint(i)) // if not this time, then the next
			}
		}
	}()
	for range 15 {
		var closed atomic.Bool
		called := make(chan struct{}, 1)
		w := Start(func() {
			if closed.Load() {
				t.Error("called after Close")
			}
			signal(called)
		}, Options{Poll: time.Millisecond})
		w.Set([]Path{{Path: path}}, Signatures{})
		<-called
		w.Close()
		closed.Store(true)
		w.Set([]Path{{Path: path}}, Signatures{}) // is nothing
		w.Close()
	}
	close(stop)
	<-stopped
}

func TestSetFromWithinTheCall(t *testing.T) {
	path := []Path{{Path: filepath.Join(t.TempDir(), "f")}}
	var w *Watcher
	called := make(chan struct{}, 1)
	set := make(chan struct{})
	w = Start(func() {
		<-set
		w.Set(path, Take(t.Context(), path))
		signal(called)
	}, Options{})
	defer w.Close()
	taken := Take(t.Context(), path)
	must(t, write(path[0].Path, "one"))
	w.Set(path, taken)
	close(set)
	<-called
}

// BenchmarkPass is what each poll costs: 60 paths in 30 directories, of which a
// third is not there.
func BenchmarkPass(b *testing.B) {
	dir := b.TempDir()
	var paths []Path
	for i := range 30 {
		sub := filepath.Join(dir, fmt.Sprint(i))
		if i%3 > 0 {
			if err := errors.Join(os.Mkdir(sub, 0o700), write(filepath.Join(sub, "f"), "one")); err != nil {
				b.Fatal(err)
			}
		}
		paths = append(paths, Path{Path: filepath.Join(sub, "f")}, Path{Path: filepath.Join(sub, "g")})
	}
	spots := spotsOf(cleaned(paths))
	o := &outlook{surveyor: surveyor{sys: realSystem()}, hints: make(chan struct{}, 1)}
	o.options.Log = slog.New(slog.DiscardHandler)
	defer o.close()
	for b.Loop() {
		if r := o.pass(b.Context(), spots); len(r.states) != len(paths) {
			b.Fatal(len(r.states))
		}
	}
}
