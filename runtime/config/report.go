package config

import (
	"fmt"
	"slices"
	"strings"
)

// report collects diagnostics. Messages name keys and kinds, never values.
type report struct {
	diagnostics []Diagnostic
	// told are those that came by add: what is in two merged entries is read
	// twice, and told once.
	told map[Diagnostic]bool
}

func (r *report) add(n *node, server string, warning bool, message, fix string) {
	if n.doc.stale {
		return
	}
	d := Diagnostic{Path: n.doc.path, Server: server, Message: message, Fix: fix, Warning: warning, Pointer: n.pointer()}
	d.Line, d.Column = n.position()
	if r.told[d] {
		return
	}
	if r.told == nil {
		r.told = make(map[Diagnostic]bool)
	}
	r.told[d] = true
	r.diagnostics = append(r.diagnostics, d)
}

func (r *report) warn(n *node, server, format string, args ...any) {
	r.add(n, server, true, fmt.Sprintf(format, args...), "")
}

func (r *report) fail(n *node, server, format string, args ...any) {
	r.add(n, server, false, fmt.Sprintf(format, args...), "")
}

// repeated warns of each of n's own names, or of those given only, that occurs
// more than once.
func (r *report) repeated(n *node, server string, from *node, only ...string) {
	warned := make(map[string]bool)
	for _, lost := range n.repeated {
		if warned[lost.key] || only != nil && !slices.Contains(only, lost.key) {
			continue
		}
		warned[lost.key] = true
		kept := n.get(lost.key)
		r.warn(kept, server, "%s: defined more than once, the last one counts", kept.label(from))
	}
}

// names reads a list of names, such as a list of servers to switch off.
func (r *report) names(n *node) []string {
	if n == nil || n.kind == null {
		return nil
	}
	if n.kind != array {
		r.fail(n, "", "%s: expected an array of strings, found %v", n.label(nil), n.kind)
		return nil
	}
	var names []string
	for _, item := range n.items {
		if item.kind != text {
			r.fail(item, "", "%s: expected a string, found %v", item.label(nil), item.kind)
			continue
		}
		names = append(names, item.text)
	}
	return names
}

// label is how a message calls n: the names that lead to it from the root, or
// from an entry.
func (n *node) label(from *node) string {
	var parts []string
	for ; n.parent != nil && n != from; n = n.parent {
		if n.parent.kind == array {
			parts = append(parts, "["+n.key+"]")
			continue
		}
		parts = append(parts, shownName(n.key))
	}
	slices.Reverse(parts)
	return strings.ReplaceAll(strings.Join(parts, "."), ".[", "[")
}
