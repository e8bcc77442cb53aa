package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Signatures is what was known of some paths at one time. It never changes; the
// zero Signatures knows nothing.
type Signatures struct {
	states map[Path]state
}

// Take looks at paths, for Set: take, then read the files, then Set. It returns
// within some 2 s, or soon after ctx has ended. A path that could not be looked
// at by then differs from whatever is found later.
func Take(ctx context.Context, paths []Path) Signatures { return take(ctx, realSystem(), paths) }

func take(ctx context.Context, sys system, paths []Path) Signatures {
	paths = cleaned(paths)
	s := surveyor{sys: sys}
	states := statesOf(s.survey(ctx, spotsOf(paths)))
	for _, p := range paths {
		if _, ok := states[p]; !ok {
			states[p] = state{kind: unknown}
		}
	}
	return Signatures{states}
}

// state is what a path is like. States are compared with ==.
type state struct {
	kind  kind
	mode  fs.FileMode
	size  int64    // of a file
	mtime int64    // of a file, in nanoseconds
	which identity // of a file
	text  string   // of a pattern: its matches; of an error: what it says
}

type kind string

const (
	unknown   kind = "unknown"   // nobody could look
	absent    kind = "absent"    // nothing is there, or nothing matches
	failed    kind = "failed"    // looking gave an error
	directory kind = "directory" // what is in it is no part of its state
	file      kind = "file"      // anything but a directory
	matches   kind = "matches"
)

// identity tells a file from another at the same path, as far as the system
// does.
type identity struct{ device, file, owner uint64 }

// stateOf is the state that the outcome of a stat means.
func stateOf(info fs.FileInfo, err error) state {
	switch {
	case err != nil && missing(err):
		return state{kind: absent}
	case err != nil:
		var of *fs.PathError
		if errors.As(err, &of) {
			err = of.Err // the path is known
		}
		return state{kind: failed, text: err.Error()}
	case info.IsDir():
		return state{kind: directory, mode: info.Mode()}
	default:
		return state{kind: file, mode: info.Mode(), size: info.Size(), mtime: info.ModTime().UnixNano(), which: identify(info)}
	}
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// matchesOf is the state of a pattern that these names match, with the state
// of each.
func matchesOf(names []string, states []state) state {
	if len(names) == 0 {
		return state{kind: absent}
	}
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "%q %v\n", name, states[i])
	}
	return state{kind: matches, text: b.String()}
}
