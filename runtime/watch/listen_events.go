//go:build linux || windows

package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// events is a listener to inotify or its like.
type events struct {
	watcher *fsnotify.Watcher
	plan    plan
	hints   chan<- struct{}
	gaps    atomic.Bool   // something may have been missed
	ended   chan struct{} // closed when run has ended
}

// listen has the system watch p's directories. It may hang.
func listen(p plan, hints chan<- struct{}) (listener, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	e := &events{watcher: w, plan: p, hints: hints, ended: make(chan struct{})}
	go e.run() // ends when w is closed; from the start, for w waits for its reader
	var first error
	for _, dir := range slices.Sorted(maps.Keys(p.dirs)) {
		switch err := w.Add(dir); {
		case errors.Is(err, fs.ErrNotExist):
			e.gaps.Store(true) // it was there a moment ago
		case err != nil && first == nil:
			first = fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	return e, first
}

func (e *events) run() {
	defer close(e.ended)
	for {
		select {
		case event, ok := <-e.watcher.Events:
			if !ok {
				return
			}
			e.take(event)
		case _, ok := <-e.watcher.Errors: // such as a queue that ran over
			if !ok {
				return
			}
			e.gaps.Store(true)
			signal(e.hints)
		}
	}
}

func (e *events) take(event fsnotify.Event) {
	name := filepath.Base(event.Name)
	if !e.plan.matters(name) {
		return
	}
	// With a directory the watch on it is gone, also if there is another by now.
	if (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) && e.plan.watches(name) {
		e.gaps.Store(true)
	}
	signal(e.hints)
}

func (e *events) lost() bool { return e.gaps.Load() }

func (e *events) close() {
	_ = e.watcher.Close() // it is only read
	<-e.ended
}
