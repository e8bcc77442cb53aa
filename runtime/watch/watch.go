// Package watch tells when configuration files may have changed: files that
// exist, files that do not yet, in directories that do not yet, and whatever
// matches a pattern in one directory.
//
//	kernel ─ event, if its name matters ─▶ hint ─┐
//	Set ─────────────────────────────────────────┼─▶ loop ─▶ pass ─▶ states ─▶ changed()
//	poll ────────────────────────────────────────┘
//
// An event is only a hint. What counts is the state of every path: whether it
// is there, its size, time, mode, owner and which file it is, symbolic links
// followed; of a directory only that it is one, and its mode. A pass looks at
// all of them. It first has the kernel watch the directories that hold them or,
// where one is missing, the nearest that would hold it, and looks once more
// after that, so that nothing can come in between. The poll makes the same pass
// every few seconds, for what no event tells: network file systems, a link's
// target that is written, a directory further up that is renamed.
//
// Promises. changed is called when a state is another one than it was when
// changed was called last, or than the caller took before it read the files
// (Take), and never otherwise. It is called from the Watcher's one goroutine.
// An event for a name that matters to nobody costs no look at the disk, so a
// home directory can be watched. A file system that does not answer delays
// neither Set nor Close, nor for long the other paths: goroutines that hang in
// it are left behind, at most one for each directory and one for the
// arrangement with the kernel, and one for each directory by every Take; they
// touch nothing that anybody uses, and end when it answers.
//
// Absences. There is no debouncing: one save may be several calls. Contents are
// not read: a file that is written in place twice within one tick of its
// clock, a few milliseconds, at the same length has not changed. No path but
// those given is looked at, so nothing is recursive. Where the kernel watches a
// directory by opening every file in it (macOS, BSD), the poll is all there is,
// and quick: opening what lies in a home directory takes descriptors, and may
// ask the user for permissions that we do not need; some sixty stats a second
// do neither.
package watch

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Path is something to watch.
type Path struct {
	// Path is absolute. One that is not is never there.
	Path string
	// Pattern says that Path's last element is a pattern as of filepath.Match:
	// the state is that of everything in its directory that matches.
	Pattern bool
}

// Options are how to watch.
type Options struct {
	Poll      time.Duration // between two passes that nothing has hinted at; 0: 5 s
	QuickPoll time.Duration // the same, while there are directories that the kernel does not watch; 0: 1 s
	Log       *slog.Logger  // nil: silent
}

const (
	defaultPoll      = 5 * time.Second
	defaultQuickPoll = time.Second
	// gap is the least time between a pass and the next that a hint asks for: a
	// file that is written in many pieces must not be looked at for each.
	gap = 50 * time.Millisecond
)

// Watcher is one watch. Its methods may be called concurrently; all but Close
// also from within changed. It is made by Start and must be closed.
type Watcher struct {
	cancel context.CancelFunc
	ended  chan struct{} // closed when the loop has ended
	inbox  inbox
}

// Start makes a Watcher that watches nothing yet: see Set. changed is called
// from its goroutine and must not block.
func Start(changed func(), o Options) *Watcher { return start(changed, o, realSystem()) }

func start(changed func(), o Options, sys system) *Watcher {
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.QuickPoll <= 0 {
		o.QuickPoll = defaultQuickPoll
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{cancel: cancel, ended: make(chan struct{}), inbox: inbox{wake: make(chan struct{}, 1)}}
	hints := make(chan struct{}, 1)
	l := &loop{
		changed: changed, options: o, hints: hints, inbox: &w.inbox,
		outlook: &outlook{surveyor: surveyor{sys: sys}, hints: hints, options: o},
	}
	go func() { // ends by cancel, which Close calls and waits for
		defer close(w.ended)
		l.run(ctx)
	}()
	return w
}

// Set replaces what is watched, soon. taken is what Take gave for these paths
// before the caller read them: if the state of one is another by now, changed
// is called at once. A path that is not in taken continues with the state that
// it had here or, if it is new, starts with the one that is found.
func (w *Watcher) Set(paths []Path, taken Signatures) {
	w.inbox.put(wish{cleaned(paths), taken})
}

// Close ends the watch. changed is not called after it has returned; so it must
// not be called from within changed.
func (w *Watcher) Close() {
	w.cancel()
	<-w.ended
}

// wish is what one Set asks for.
type wish struct {
	paths []Path
	taken Signatures
}

// inbox hands wishes to the loop without making their sender wait.
type inbox struct {
	wake chan struct{} // holds one when there are wishes

	mu     sync.Mutex
	wishes []wish // guarded by mu; in order
}

func (b *inbox) put(w wish) {
	b.mu.Lock()
	b.wishes = append(b.wishes, w)
	b.mu.Unlock()
	signal(b.wake)
}

func (b *inbox) take() []wish {
	b.mu.Lock()
	defer b.mu.Unlock()
	wishes := b.wishes
	b.wishes = nil
	return wishes
}

// signal leaves one token in c, which has place for one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// loop is what the Watcher's goroutine owns. It waits in its select only.
type loop struct {
	changed func()
	options Options
	hints   <-chan struct{}
	inbox   *inbox
	outlook *outlook // lent to the pass while there is one

	spots []spot
	told  map[Path]state // of what is watched, as changed's caller knows it
}

func (l *loop) run(ctx context.Context) {
	timer := time.NewTimer(0) // of the next pass
	timer.Stop()              // there is nothing to look at yet
	defer timer.Stop()
	var (
		running chan result // not nil while there is a pass
		again   bool        // there was a hint since it began
		stale   bool        // there was a Set since it began
		last    time.Time   // its end
	)
	for {
		select {
		case <-ctx.Done():
			if running != nil {
				<-running // it ends soon, by ctx
			}
			l.outlook.close()
			return
		case <-l.inbox.wake:
			for _, w := range l.inbox.take() {
				l.set(w)
			}
			if stale = running != nil; !stale {
				timer.Reset(0)
			}
		case <-l.hints:
			if again = running != nil; !again {
				timer.Reset(max(0, gap-time.Since(last)))
			}
		case <-timer.C:
			running, again, stale = make(chan result, 1), false, false
			go func(ended chan<- result, spots []spot) { // ends within a few times patience, or soon after ctx
				ended <- l.outlook.pass(ctx, spots)
			}(running, l.spots)
		case r := <-running:
			running, last = nil, time.Now()
			switch {
			case stale: // it was about what is not watched any more
				timer.Reset(0)
			case again || r.unsettled:
				timer.Reset(gap)
			case len(l.spots) > 0:
				timer.Reset(l.pause(r))
			}
			if !stale && ctx.Err() == nil && l.learn(r.states) {
				l.changed()
			}
		}
	}
}

// pause is how long nothing needs to be looked at after a pass.
func (l *loop) pause(r result) time.Duration {
	if r.blind {
		return min(l.options.QuickPoll, l.options.Poll)
	}
	return l.options.Poll
}

// set takes over a wish.
func (l *loop) set(w wish) {
	told := make(map[Path]state, len(w.paths))
	for _, p := range w.paths {
		if s, ok := w.taken.states[p]; ok {
			told[p] = s
		} else if s, ok := l.told[p]; ok {
			told[p] = s
		}
	}
	l.told, l.spots = told, spotsOf(w.paths)
}

// learn takes over what a pass has found and says whether that is a change. A
// path that it could not look at stays as it was.
func (l *loop) learn(found map[Path]state) (changed bool) {
	for p, s := range found {
		before, known := l.told[p]
		changed = changed || known && before != s
		l.told[p] = s
	}
	return changed
}

// cleaned is paths in one spelling, each once.
func cleaned(paths []Path) []Path {
	unique := make(map[Path]bool, len(paths))
	for _, p := range paths {
		if p.Path = filepath.Clean(p.Path); filepath.IsAbs(p.Path) {
			unique[p] = true
		}
	}
	return slices.Collect(maps.Keys(unique))
}
