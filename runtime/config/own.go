package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// withoutOwn leaves out what the host's user has without us: the servers of the
// providers in own, and whatever has the name of one or starts the same. What a
// project's file says that needs trust covers nothing but its like: a repository
// cannot take the user's own servers away. What is left out keeps its name from what
// is weaker: that would not count without own either. What the host names itself stays.
func withoutOwn(entries []*Entry, own []string, x Expander) []*Entry {
	if len(own) == 0 {
		return entries
	}
	var names, targets [2]map[string]bool // of those that need no trust, and of those that do
	for i := range names {
		names[i], targets[i] = map[string]bool{}, map[string]bool{}
	}
	isOwn := func(e *Entry) bool { return slices.Contains(own, e.Provider) }
	rankOf := func(e *Entry) int {
		if e.NeedsTrust() {
			return 1
		}
		return 0
	}
	for _, e := range entries {
		if !isOwn(e) {
			continue
		}
		rank := rankOf(e)
		names[rank][e.Name] = true
		if !e.Disabled && e.Invalid == "" {
			targets[rank][e.target(x)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool {
		covered := func(rank int) bool {
			return names[rank][e.Name] || e.Invalid == "" && targets[rank][e.target(x)]
		}
		if e.Level == Host { // the host has it of us on purpose
			return false
		}
		rank := rankOf(e)
		leave := isOwn(e) || covered(0) || covered(rank)
		if leave {
			names[rank][e.Name] = true
		}
		return leave
	})
}

// withoutServers leaves out, from one on, what is said about servers: it is for those
// that are not ours to start.
func withoutServers(all []Diagnostic, from int) []Diagnostic {
	kept := slices.DeleteFunc(slices.Clone(all[from:]), func(d Diagnostic) bool { return d.Server != "" })
	return append(all[:from], kept...)
}

// withoutSelf leaves out entries that would start us as one of our own servers: that
// has no tools, since who starts it has them all. One that cannot be told by its
// command (npx) finds out by itself.
func withoutSelf(entries []*Entry) []*Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool {
		name := strings.TrimSuffix(filepath.Base(e.Command), ".exe")
		return e.Kind == "stdio" && name == "mcp-sidecar" && slices.Contains(e.Args, "mcp")
	})
}
