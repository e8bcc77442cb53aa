package runtime

import (
	"maps"
	"slices"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// desired is one server as the configuration wants it.
type desired struct {
	entry *config.Entry
	// rest is the phase it rests in without an attempt, or "" to connect.
	rest rpc.Phase
	// waits: the user has yet to trust it. A disabled one may, too.
	waits bool
}

// running is one server as it is.
type running struct {
	desired      // what it was started from
	stopped bool // by mcp/disconnect, which a change of its entry does not undo
	over    bool // it was told to end: whatever its entry says, it starts again
}

// deed is what to do about one server.
type deed int

const (
	deedKeep    deed = iota // it goes on, with what needs no restart
	deedStart               // it is new
	deedRestart             // stop it, start it as desired
	deedReplace             // it stays stopped, but as desired when it is started
	deedRemove              // it is gone from the configuration
)

// action is one deed.
type action struct {
	name string
	do   deed
}

// reconcile says what turns have into want, sorted by name.
func reconcile(want map[string]desired, have map[string]running) []action {
	names := slices.Collect(maps.Keys(want))
	for name := range have {
		if _, ok := want[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	actions := make([]action, 0, len(names))
	for _, name := range names {
		w, wanted := want[name]
		h, there := have[name]
		do := deedRemove
		switch {
		case wanted && there:
			do = compare(w, h)
		case wanted:
			do = deedStart
		}
		actions = append(actions, action{name, do})
	}
	return actions
}

func compare(w desired, h running) deed {
	if h.over {
		return deedRestart
	}
	restart := config.NeedsRestart(h.entry, w.entry) || w.rest != h.rest
	switch {
	case restart && h.stopped && w.rest == "":
		return deedReplace
	case restart:
		return deedRestart
	}
	return deedKeep
}
