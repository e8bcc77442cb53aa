package runtime

import (
	"log/slog"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/watch"
)

// Watch tells when files change: by the changed it was made with, which does not
// block. *watch.Watcher is one.
type Watch interface {
	// Set replaces what is watched. A state other than taken is a change.
	Set(paths []watch.Path, taken watch.Signatures)
	Close()
}

// Watcher makes a Watch.
type Watcher func(changed func(), log *slog.Logger) Watch

// watched is what a discovery depended on, and the state it was in before.
type watched struct {
	paths []watch.Path
	taken watch.Signatures
}

// watches says whether changes of files are to be noticed.
func (o *Options) watches(set settings) bool {
	return o.Watch != nil && !o.Nested && set.enabled && orTrue(set.discovery.Watch)
}

// watchFiles has changes of what the last discovery depended on noticed, if
// that is wanted. One that failed may not have got as far as to know: what was
// watched before stays then. What watches ends with the Manager.
func (m *Manager) watchFiles(w watched, whole bool) {
	wanted := m.opt.watches(m.set)
	switch {
	case m.files == nil && !wanted, m.files != nil && wanted && !whole:
		return
	case m.files == nil:
		files := m.opt.Watch(func() { m.inbox.post(m.filesChanged) }, m.log)
		m.files = files
		m.children.Go(func() {
			<-m.ctx.Done()
			files.Close()
		})
	case !wanted:
		m.changes.stop()
		w = watched{}
	}
	m.files.Set(w.paths, w.taken)
}

// filesChanged reads the files again when they have been left alone for a while.
func (m *Manager) filesChanged() {
	if m.stopping == nil && m.opt.watches(m.set) {
		m.changes.note(time.Now())
	}
}

// changeTimer waits out a burst of changes.
type changeTimer struct {
	timer *time.Timer
	first time.Time // of the burst; zero when there is none
}

func (c *changeTimer) note(now time.Time) {
	if c.first.IsZero() {
		c.first = now
	}
	c.timer.Reset(min(changePause, max(0, c.first.Add(changePatience).Sub(now))))
}

func (c *changeTimer) stop() {
	c.first = time.Time{}
	c.timer.Stop()
}
