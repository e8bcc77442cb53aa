package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// isOwn says that the host's user has the servers without us which this provider has in
// this file.
func (s *site) isOwn(provider, path string) bool {
	byProvider := slices.Contains(s.opts.Own, provider) && !ofCopilot(path)
	return byProvider || slices.Contains(s.ownFiles(), path)
}

// ownFiles are those of discovery.ownFiles, as absolute paths.
func (s *site) ownFiles() []string {
	var paths []string
	for _, file := range s.opts.OwnFiles {
		if path, ok := absolute(file, s.opts.Home, s.opts.Cwd); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// withoutOwn leaves out what the host's user has without us: the servers that are own,
// and whatever has the name of one or starts the same. What a
// project's file says that needs trust covers nothing but its like: a repository
// cannot take the user's own servers away. What is left out keeps its name from what
// is weaker: that would not count without own either. What the host names itself stays.
func (s *site) withoutOwn(entries []*Entry, x Expander) []*Entry {
	if len(s.opts.Own)+len(s.opts.OwnFiles) == 0 {
		return entries
	}
	isOwn := func(e *Entry) bool { return s.isOwn(e.Provider, e.Path) }
	target := make(map[*Entry]string, len(entries)) // "" for an invalid one
	covers := []cover{newCover(), newCover()}       // by entries that need no trust, and by those that do
	of := func(e *Entry) cover {
		if e.NeedsTrust() {
			return covers[1]
		}
		return covers[0]
	}
	for _, e := range entries {
		if e.Invalid == "" {
			target[e] = e.target(x)
		}
		if isOwn(e) {
			of(e).names[e.Name] = true
		}
		if isOwn(e) && !e.Disabled && e.Invalid == "" {
			of(e).targets[target[e]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool {
		if e.Level == Host { // the host has it of us on purpose
			return false
		}
		leave := isOwn(e) || covers[0].has(e.Name, target[e]) || of(e).has(e.Name, target[e])
		if leave {
			of(e).names[e.Name] = true
		}
		return leave
	})
}

// cover is what the user has already: names, and what is started.
type cover struct{ names, targets map[string]bool }

func newCover() cover { return cover{map[string]bool{}, map[string]bool{}} }

func (c cover) has(name, target string) bool { return c.names[name] || c.targets[target] }

// sayNothingOfOwn takes back what is said, from one diagnostic on, about a provider's
// servers that are not ours to start.
func (d *discovery) sayNothingOfOwn(provider string, from int) {
	said := d.report.diagnostics
	kept := slices.DeleteFunc(slices.Clone(said[from:]), func(x Diagnostic) bool {
		return x.Server != "" && d.site.isOwn(provider, x.Path)
	})
	d.report.diagnostics = append(said[:from], kept...)
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
