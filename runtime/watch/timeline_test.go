package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// disk is a file system whose directories may hang, and what happens over fake
// time.
type disk struct {
	start time.Time
	hints chan<- struct{} // of the last listener

	mu      sync.Mutex // guards what follows
	files   fstest.MapFS
	hanging map[string]chan struct{} // by prefix of paths: closed to let them go on
	looks   int                      // stats so far
	events  []string
}

func newDisk(files ...string) *disk {
	d := &disk{start: time.Now(), files: fstest.MapFS{}, hanging: make(map[string]chan struct{})}
	for _, f := range files {
		d.write(f, "one")
	}
	return d
}

func (d *disk) write(path, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[path[1:]] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
}

// hang has everything below prefix wait until the returned function is called.
func (d *disk) hang(prefix string) (goOn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := make(chan struct{})
	d.hanging[prefix] = c
	return func() {
		d.mu.Lock()
		delete(d.hanging, prefix)
		d.mu.Unlock()
		close(c)
	}
}

func (d *disk) wait(path string) {
	d.mu.Lock()
	d.looks++
	var until chan struct{}
	for prefix, c := range d.hanging {
		if strings.HasPrefix(path, prefix) {
			until = c
		}
	}
	d.mu.Unlock()
	if until != nil {
		<-until
	}
}

func (d *disk) stat(path string) (fs.FileInfo, error) {
	d.wait(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	name := strings.TrimPrefix(path, "/")
	if name == "" {
		name = "."
	}
	return d.files.Stat(name)
}

func (d *disk) names(dir string) ([]string, error) {
	d.wait(dir)
	d.mu.Lock()
	defer d.mu.Unlock()
	entries, err := d.files.ReadDir(strings.TrimPrefix(dir, "/"))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (d *disk) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, fmt.Sprintf("%v ", time.Since(d.start))+fmt.Sprintf(format, args...))
}

// silent is a listener that the test speaks for.
type silent struct{ d *disk }

func (s silent) lost() bool { return false }
func (s silent) close()     { s.d.note("closed") }

// system is d with a listener that comes with this error.
func (d *disk) system(err error) system {
	return system{d.stat, d.names, func(_ plan, hints chan<- struct{}) (listener, error) {
		d.note("listen")
		d.hints = hints
		return silent{d}, err
	}}
}

func (d *disk) watch(t *testing.T, sys system, o Options, paths ...string) *Watcher {
	t.Helper()
	w := start(func() { d.note("changed") }, o, sys)
	w.Set(files(paths...), take(t.Context(), sys, files(paths...)))
	synctest.Wait()
	return w
}

func files(paths ...string) []Path {
	var list []Path
	for _, p := range paths {
		list = append(list, Path{Path: p})
	}
	return list
}

func (d *disk) expect(t *testing.T, events ...string) {
	t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(events, d.events); diff != "" {
		t.Error(diff)
	}
}

func TestThePollIsSlowWhereThereAreEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f")
		w := d.watch(t, d.system(nil), Options{}, "/p/f", "/p/q/g")
		d.write("/p/f", "other")
		time.Sleep(4 * time.Second)
		d.expect(t, "0s listen")
		time.Sleep(20 * time.Second)
		d.write("/p/f", "and another")
		signal(d.hints)
		d.expect(t, "0s listen", "5s changed", "24s changed")
		d.write("/p/q/g", "one") // its directory is new
		time.Sleep(time.Minute)
		w.Close()
		d.expect(t, "0s listen", "5s changed", "24s changed", "29s listen", "29s closed", "29s changed", "1m24s closed")
	})
}

func TestThePollIsQuickAndSaysSoWhereTheSystemDoesNotWatch(t *testing.T) {
	for what, tc := range map[string]struct {
		listen func(d *disk, s system) system
		lines  int
		word   string
	}{
		"too many watches": {func(d *disk, _ system) system {
			return d.system(fmt.Errorf("watch /p: %w", syscall.ENOSPC))
		}, 1, "/p: no space left"},
		"no listener": {func(_ *disk, s system) system {
			s.listen = func(plan, chan<- struct{}) (listener, error) { return nil, syscall.EMFILE }
			return s
		}, 1, "too many open files"},
		"never asked": {func(_ *disk, s system) system {
			s.listen = func(plan, chan<- struct{}) (listener, error) { return nil, errors.ErrUnsupported }
			return s
		}, 0, ""},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDisk("/p/f")
				var log bytes.Buffer
				o := Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
				w := d.watch(t, tc.listen(d, d.system(nil)), o, "/p/f", "/p/q/g")
				d.events = nil
				d.write("/p/f", "other")
				time.Sleep(1500 * time.Millisecond)
				d.expect(t, "1s changed")
				d.write("/p/q/g", "one")
				time.Sleep(time.Minute)
				synctest.Wait()
				if last := d.events[len(d.events)-1]; last != "2s changed" {
					t.Error(last)
				}
				w.Close()
				if n := strings.Count(log.String(), "\n"); n != tc.lines || !strings.Contains(log.String(), tc.word) {
					t.Errorf("%d lines: %s", n, log.String())
				}
			})
		})
	}
}

// What happens after the look and before the kernel watches leaves no hint.
func TestNothingIsMissedWhileItIsArrangedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/x")
		sys := d.system(nil)
		listen, step := sys.listen, 0
		sys.listen = func(p plan, hints chan<- struct{}) (listener, error) {
			if step++; step <= 3 {
				d.write("/"+strings.Repeat("d/", step)+"x", "one")
			}
			return listen(p, hints)
		}
		w := d.watch(t, sys, Options{Poll: time.Hour}, "/d/x", "/d/d/d/x")
		d.expect(t, "0s listen", "0s listen", "0s closed", "0s listen", "0s closed", "0s listen", "0s closed", "0s changed")
		w.Close()
	})
}

// A path whose directories appear while they are being arranged for, further
// than one pass goes, is left to the next.
func TestManyDirectoriesAtOnceTakeMoreThanOnePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/x")
		sys := d.system(nil)
		step := 0
		sys.listen = func(plan, chan<- struct{}) (listener, error) {
			if step++; step <= maxRounds+2 {
				d.write("/"+strings.Repeat("d/", step)+"x", "one")
			}
			return nil, errors.ErrUnsupported
		}
		w := d.watch(t, sys, Options{Poll: time.Hour}, "/"+strings.Repeat("d/", maxRounds+2)+"x")
		d.expect(t)
		time.Sleep(gap)
		d.expect(t, "50ms changed")
		w.Close()
	})
}

func TestManyHintsAreFewLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f")
		w := d.watch(t, d.system(nil), Options{Poll: time.Hour}, "/p/f")
		d.looks = 0
		for range 1000 {
			signal(d.hints)
			time.Sleep(time.Millisecond)
		}
		w.Close()
		if looks := d.looks / 2; looks < 10 || looks > 25 { // at /p and /p/f
			t.Errorf("%d looks in 1 s", looks)
		}
		d.expect(t, "0s listen", "1s closed")
	})
}

func TestNothingIsLookedAtWithoutPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f")
		w := d.watch(t, d.system(nil), Options{}, "/p/f")
		w.Set(nil, Signatures{})
		synctest.Wait()
		d.looks = 0
		time.Sleep(time.Hour)
		w.Close()
		if d.looks > 0 {
			t.Errorf("%d looks", d.looks)
		}
		d.expect(t, "0s listen", "0s closed")
	})
}

// A directory that hangs costs 2 s once; after that the others are looked at
// as ever, and it again when it answers.
func TestADirectoryThatHangsHoldsUpNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f", "/net/f")
		sys := d.system(nil)
		w := d.watch(t, sys, Options{}, "/p/f", "/net/f", "/net/sub/f")
		goOn := d.hang("/net")
		time.Sleep(6 * time.Second) // the poll at 5 s begins to hang
		d.write("/p/f", "other")
		time.Sleep(2 * time.Second)
		// What hangs is not watched for the time being; the state that it had stays.
		d.expect(t, "0s listen", "7s listen", "7s closed", "7s changed")
		w.Set(files("/p/f", "/net/f", "/net/sub/f"), Signatures{}) // waits for nothing
		d.write("/p/f", "once more")
		d.write("/net/f", "other")
		signal(d.hints)
		d.expect(t, "0s listen", "7s listen", "7s closed", "7s changed", "8s changed")
		time.Sleep(4 * time.Second)
		goOn()
		time.Sleep(4 * time.Second)
		d.expect(t, "0s listen", "7s listen", "7s closed", "7s changed", "8s changed", "13s listen", "13s closed", "13s changed")
		w.Close()
	})
}

// A pass that began before Set knows less than what Set says.
func TestAPassThatWasOvertakenBySetCountsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f", "/p/g", "/net/x")
		sys := d.system(nil)
		w := d.watch(t, sys, Options{}, "/p/f", "/p/g", "/net/x")
		goOn := d.hang("/net")
		time.Sleep(5500 * time.Millisecond) // the poll has seen /p, and waits for /net
		before := take(t.Context(), sys, files("/p/g"))
		d.write("/p/f", "read")
		d.write("/p/g", "not read")
		taken := take(t.Context(), sys, files("/p/f"))
		taken.states[Path{Path: "/p/g"}] = before.states[Path{Path: "/p/g"}]
		w.Set(files("/p/f", "/p/g"), taken)
		d.expect(t, "0s listen")
		goOn()
		d.expect(t, "0s listen", "5.5s listen", "5.5s closed", "5.5s changed")
		w.Close()
	})
}

func TestCloseDoesNotWaitForWhatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/net/f")
		goOn := d.hang("/net")
		w := start(func() { d.note("changed") }, Options{}, d.system(nil))
		w.Set(files("/net/f"), Signatures{})
		synctest.Wait()
		before := time.Now()
		w.Close()
		if took := time.Since(before); took > grace {
			t.Errorf("%v", took)
		}
		goOn()
		d.expect(t)
	})
}

func TestAnArrangementThatHangsIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f")
		sys := d.system(nil)
		answer := make(chan struct{})
		listen := sys.listen
		sys.listen = func(p plan, hints chan<- struct{}) (listener, error) {
			<-answer
			return listen(p, hints)
		}
		var log bytes.Buffer
		w := d.watch(t, sys, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, "/p/f")
		time.Sleep(2100 * time.Millisecond)
		d.write("/p/f", "other")
		time.Sleep(time.Second)
		d.expect(t, "3s changed") // by the quick poll
		close(answer)             // it is of no use any more; another is made
		time.Sleep(time.Second)
		d.expect(t, "3s changed", "3.1s listen", "3.1s closed", "4s listen")
		w.Close()
		d.expect(t, "3s changed", "3.1s listen", "3.1s closed", "4s listen", "4.1s closed")
		if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "does not answer") {
			t.Error(log.String())
		}
	})
}

func TestWhatHungWhileItWasTakenIsToldWhenItAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f", "/net/f")
		sys := d.system(nil)
		goOn := d.hang("/net")
		before := time.Now()
		taken := take(t.Context(), sys, files("/p/f", "/net/f"))
		if took := time.Since(before); took != patience {
			t.Errorf("taken in %v", took)
		}
		w := start(func() { d.note("changed") }, Options{}, sys)
		w.Set(files("/p/f", "/net/f"), taken)
		time.Sleep(5 * time.Second) // 2 s of which are spent hanging
		goOn()
		time.Sleep(5 * time.Second)
		d.expect(t, "4s listen", "9s listen", "9s closed", "9s changed")
		w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		goOn = d.hang("/p")
		before = time.Now()
		if s := take(ctx, sys, files("/p/f")); s.states[Path{Path: "/p/f"}].kind != unknown || time.Since(before) > grace {
			t.Errorf("%v in %v", s, time.Since(before))
		}
		goOn()
	})
}

func TestAPathThatStaysKeepsTheStateThatWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk("/p/f", "/p/g")
		w := d.watch(t, d.system(nil), Options{}, "/p/f")
		d.write("/p/f", "not yet seen")
		w.Set(files("/p/f", "/p/g"), Signatures{})
		d.expect(t, "0s listen", "0s listen", "0s closed", "0s changed")
		w.Set(files("/p/g"), Signatures{})
		synctest.Wait()
		d.write("/p/f", "not watched")
		w.Set(files("/p/f"), Signatures{}) // new again: as it is found
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := strings.Count(strings.Join(d.events, "\n"), "changed"); n != 1 {
			t.Error(d.events)
		}
		w.Close()
	})
}

func TestErrorsAreStatesToo(t *testing.T) {
	denied := &fs.PathError{Op: "stat", Path: "/p/f", Err: syscall.EACCES}
	for what, tc := range map[string]struct {
		a, b error
		same bool
	}{
		"missing and under a file":      {fs.ErrNotExist, &fs.PathError{Err: syscall.ENOTDIR}, true},
		"missing and denied":            {fs.ErrNotExist, denied, false},
		"denied and denied elsewhere":   {denied, &fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}, true},
		"denied and a circle of links":  {denied, &fs.PathError{Err: syscall.ELOOP}, false},
		"a missing file and no match":   {syscall.ENOENT, nil, true},
		"a denied directory, no match":  {denied, nil, false},
		"wrapped and not, both missing": {fmt.Errorf("x: %w", fs.ErrNotExist), syscall.ENOENT, true},
	} {
		other := matchesOf(nil, nil)
		if tc.b != nil {
			other = stateOf(nil, tc.b)
		}
		if same := stateOf(nil, tc.a) == other; same != tc.same {
			t.Errorf("%s: same %v", what, same)
		}
	}
}
