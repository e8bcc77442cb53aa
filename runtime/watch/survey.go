package watch

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// patience is how long a directory may take to answer; it goes on without
	// those that take longer.
	patience = 2 * time.Second
	// grace is how much of it is left when nobody wants to know any more.
	grace = 100 * time.Millisecond
)

// system is what the package needs of the operating system.
type system struct {
	stat   func(path string) (fs.FileInfo, error)
	names  func(dir string) ([]string, error)
	listen func(p plan, hints chan<- struct{}) (listener, error) // see listener
}

func realSystem() system { return system{os.Stat, namesIn, listen} }

func namesIn(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// spot is one directory and what is watched in it.
type spot struct {
	dir             string
	files, patterns []Path
}

// spotsOf sorts clean paths by their directories.
func spotsOf(paths []Path) []spot {
	byDir := make(map[string]*spot)
	for _, p := range paths {
		dir := filepath.Dir(p.Path)
		s := byDir[dir]
		if s == nil {
			s = &spot{dir: dir}
			byDir[dir] = s
		}
		if p.Pattern {
			s.patterns = append(s.patterns, p)
		} else {
			s.files = append(s.files, p)
		}
	}
	var spots []spot
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		spots = append(spots, *byDir[dir])
	}
	return spots
}

// report is what was found at a spot.
type report struct {
	spot   spot
	at     string   // the spot's directory or its nearest ancestor that is there; "": none
	which  identity // of at
	next   string   // the name in at that the way to the spot ends before; "": at is the spot's directory
	states map[Path]state
}

// look looks at a spot. It may hang.
func look(sys system, s spot) report {
	r := report{spot: s, at: s.dir, states: make(map[Path]state, len(s.files)+len(s.patterns))}
	info, err := sys.stat(s.dir)
	found := stateOf(info, err)
	for there := found; there.kind != directory; there = stateOf(info, err) {
		parent := filepath.Dir(r.at)
		if parent == r.at { // a drive that is not there
			r.at = ""
			break
		}
		r.at, r.next = parent, filepath.Base(r.at)
		info, err = sys.stat(parent)
	}
	if found.kind != directory {
		if found.kind == file {
			found = state{kind: absent} // nothing can be in it
		}
		for _, p := range slices.Concat(s.files, s.patterns) {
			r.states[p] = found
		}
	}
	if r.at != "" {
		r.which = identify(info)
	}
	if found.kind == directory {
		r.lookInside(sys)
	}
	return r
}

// lookInside looks at what is in the spot's directory.
func (r *report) lookInside(sys system) {
	for _, p := range r.spot.files {
		r.states[p] = stateOf(sys.stat(p.Path))
	}
	if len(r.spot.patterns) == 0 {
		return
	}
	names, err := sys.names(r.spot.dir)
	slices.Sort(names)
	for _, p := range r.spot.patterns {
		if err != nil {
			r.states[p] = stateOf(nil, err)
			continue
		}
		var matching []string
		var states []state
		for _, name := range names {
			if ok, err := filepath.Match(filepath.Base(p.Path), name); ok && err == nil { // a bad pattern matches nothing
				matching = append(matching, name)
				states = append(states, stateOf(sys.stat(filepath.Join(r.spot.dir, name))))
			}
		}
		r.states[p] = matchesOf(matching, states)
	}
}

func statesOf(reports []report) map[Path]state {
	states := make(map[Path]state)
	for _, r := range reports {
		maps.Copy(states, r.states)
	}
	return states
}

// surveyor looks at many spots and remembers which of them hang. One goroutine
// at a time may use it.
type surveyor struct {
	sys system
	// hanging has the directories of goroutines that were left behind, with what
	// they close when they end.
	hanging map[string]<-chan struct{}
}

// survey looks at all spots at once, for at most patience, and gives a report
// of each that has answered and that did not hang before.
func (s *surveyor) survey(ctx context.Context, spots []spot) []report {
	waiting := make(map[string]<-chan struct{}, len(spots))
	results := make(chan report, len(spots))
	for _, spot := range spots {
		if s.hangs(spot.dir) {
			continue
		}
		ended := make(chan struct{})
		waiting[spot.dir] = ended
		go func() { // ends when the file system has answered; nobody waits for it longer than patience
			defer close(ended)
			results <- look(s.sys, spot)
		}()
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	cancelled := ctx.Done()
	var reports []report
	for len(waiting) > 0 {
		select {
		case r := <-results:
			delete(waiting, r.spot.dir)
			reports = append(reports, r)
		case <-cancelled:
			cancelled = nil
			limit.Reset(grace)
		case <-limit.C:
			if s.hanging == nil {
				s.hanging = make(map[string]<-chan struct{})
			}
			maps.Copy(s.hanging, waiting)
			return reports
		}
	}
	return reports
}

func (s *surveyor) hangs(dir string) bool {
	select {
	case <-s.hanging[dir]: // a nil channel is never ready
		delete(s.hanging, dir)
		return false
	default:
		return s.hanging[dir] != nil
	}
}
