package rpc

import (
	"bytes"
	"maps"
	"slices"
)

// diffTools tells how to get from one tool set to another. from may be nil: a
// host that was told nothing has revision 0 and no tools. Both sets are sorted
// by name, so the work is linear. A change of state alone is no difference.
func diffTools(from, to *Snapshot, reason ChangeReason) *ToolsChanged {
	change := &ToolsChanged{
		PreviousRevision: revisionOf(from),
		Revision:         to.Revision,
		Hash:             to.Hash,
		Reason:           reason,
	}
	var before []Tool
	if from != nil {
		before = from.Tools
	}
	after := to.Tools
	servers := map[string]struct{}{}
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || (len(before) > 0 && before[0].Name < after[0].Name):
			change.Removed = append(change.Removed, before[0].Name)
			servers[before[0].Server] = struct{}{}
			before = before[1:]
		case len(before) == 0 || after[0].Name < before[0].Name:
			change.Added = append(change.Added, after[0])
			servers[after[0].Server] = struct{}{}
			after = after[1:]
		default:
			if !sameTool(&before[0], &after[0]) {
				change.Updated = append(change.Updated, after[0])
				servers[before[0].Server] = struct{}{}
				servers[after[0].Server] = struct{}{}
			}
			before, after = before[1:], after[1:]
		}
	}
	change.Servers = slices.Sorted(maps.Keys(servers))
	return change
}

// sameTool compares everything but the state.
func sameTool(a, b *Tool) bool {
	return a.Name == b.Name && a.Label == b.Label && a.Server == b.Server && a.Path == b.Path &&
		a.Provider == b.Provider && a.ProviderName == b.ProviderName && bytes.Equal(a.Definition, b.Definition)
}

// revisionOf is 0 for no snapshot.
func revisionOf(s *Snapshot) int {
	if s == nil {
		return 0
	}
	return s.Revision
}
