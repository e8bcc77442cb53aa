package watch

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// plan is what the kernel is to watch, and which names in an event matter.
type plan struct {
	dirs     map[string]identity
	names    map[string]bool // of files, of missing directories on the way to them, of dirs
	patterns []string        // sorted
}

func planOf(reports []report) plan {
	p := plan{dirs: make(map[string]identity), names: make(map[string]bool)}
	for _, r := range reports {
		if r.at == "" {
			continue
		}
		p.dirs[r.at] = r.which
		p.names[fold(filepath.Base(r.at))] = true
		if r.next != "" {
			p.names[fold(r.next)] = true
			continue
		}
		for _, f := range r.spot.files {
			p.names[fold(filepath.Base(f.Path))] = true
		}
		for _, f := range r.spot.patterns {
			p.patterns = append(p.patterns, fold(filepath.Base(f.Path)))
		}
	}
	slices.Sort(p.patterns)
	p.patterns = slices.Compact(p.patterns)
	return p
}

func (p *plan) equal(q *plan) bool {
	return maps.Equal(p.dirs, q.dirs) && maps.Equal(p.names, q.names) && slices.Equal(p.patterns, q.patterns)
}

// matters says whether an event for a file of this name can be of interest. It
// asks for the name only: a directory that has two names is watched by one, and
// its events bear that.
func (p *plan) matters(name string) bool {
	name = fold(name)
	if p.names[name] {
		return true
	}
	for _, pattern := range p.patterns {
		if ok, err := filepath.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// watches says whether one of the directories that are watched has this name.
func (p *plan) watches(name string) bool {
	for dir := range p.dirs {
		if fold(filepath.Base(dir)) == fold(name) {
			return true
		}
	}
	return false
}

// listener is an arrangement with the kernel, which leaves a hint when something
// that matters happens. It is made for one plan and not changed: the library
// mixes up two names of a directory, and keeps what was said about one that was
// replaced by another. An error that comes with a listener says that part of the
// plan is not watched.
type listener interface {
	lost() bool // a directory of the plan, or events, so that it must be made anew
	close()
}

// outlook is what passes need and remember. One goroutine at a time has it: the
// loop lends it to each pass.
type outlook struct {
	surveyor

	hints   chan<- struct{}
	options Options

	plan     *plan           // of listener; nil: there is none yet
	listener listener        // nil: nothing is watched but by the poll
	blind    bool            // part of the plan is not watched
	arming   <-chan struct{} // of a goroutine that was left behind: closed when it has ended
	logged   bool            // that something is not watched
}

// result is what a pass has found out.
type result struct {
	states    map[Path]state // without those that could not be looked at
	unsettled bool           // directories came and went; look again soon
	blind     bool           // the kernel does not watch everything
}

// maxRounds is how many directories may appear one below the other, each while
// the one before was being arranged for, until a pass leaves it to the next.
const maxRounds = 8

// pass looks at all spots when the kernel watches what is to be watched for
// them: whatever happens after the look leaves a hint.
func (o *outlook) pass(ctx context.Context, spots []spot) result {
	var r result
	for range maxRounds {
		reports := o.survey(ctx, spots)
		p := planOf(reports)
		settled := o.plan != nil && o.plan.equal(&p) && (o.listener == nil || !o.listener.lost())
		if settled || ctx.Err() != nil || !o.arrange(ctx, &p) {
			return result{states: statesOf(reports), blind: o.blind}
		}
		r = result{states: statesOf(reports), unsettled: true, blind: o.blind}
	}
	return r
}

// arrange has the kernel watch p, as far as that goes. It is false if that hangs
// or is given up.
func (o *outlook) arrange(ctx context.Context, p *plan) bool {
	if o.arming != nil {
		select {
		case <-o.arming:
			o.arming = nil
		default:
			return false
		}
	}
	if len(p.dirs) == 0 {
		o.close()
		o.plan = p
		return true
	}
	type outcome struct {
		listener listener
		err      error
	}
	made, gone, ended := make(chan outcome), make(chan struct{}), make(chan struct{})
	go func() { // ends when the file system has answered
		defer close(ended)
		l, err := o.sys.listen(*p, o.hints)
		select {
		case made <- outcome{l, err}:
		case <-gone:
			if l != nil {
				l.close()
			}
		}
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	cancelled := ctx.Done()
	for {
		select {
		case m := <-made:
			o.close()
			o.plan, o.listener, o.blind = p, m.listener, m.err != nil
			o.log(m.err)
			return true
		case <-cancelled:
			cancelled = nil
			limit.Reset(grace)
		case <-limit.C:
			close(gone)
			o.arming, o.blind = ended, true // what was arranged before goes on
			if ctx.Err() == nil {
				o.log(errors.New("the file system does not answer"))
			}
			return false
		}
	}
}

// log says once that the poll has to do.
func (o *outlook) log(err error) {
	if err == nil || o.logged || errors.Is(err, errors.ErrUnsupported) {
		return
	}
	o.logged = true
	o.options.Log.Warn("changes of configuration files are looked for instead of being told by the system",
		"every", min(o.options.QuickPoll, o.options.Poll), "error", err)
}

func (o *outlook) close() {
	if o.listener != nil {
		o.listener.close()
	}
	o.plan, o.listener, o.blind = nil, nil, false
}
