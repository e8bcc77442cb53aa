package config

import (
	"bytes"
	"slices"
)

// merger makes one node of what two places say about the same thing, as a tree
// of its own in which every value keeps where it stands.
type merger func(strong, weak *node) *node

// combined are the definitions of a row that merges: one of each name, in the
// order in which the names come first. One in which a project has a part is
// followed by what it is without, for the case that the user does not trust the
// project: nothing but the first of a name counts.
func combined(found []definition, merge merger) []definition {
	byName := make(map[string][]definition, len(found))
	var names []string
	for _, def := range found {
		if byName[def.name] == nil {
			names = append(names, def.name)
		}
		byName[def.name] = append(byName[def.name], def)
	}
	all := make([]definition, 0, len(names))
	for _, name := range names {
		defs := byName[name]
		def := merged(defs, merge)
		all = append(all, def)
		if !def.ofProject() {
			continue
		}
		var own, theirs []definition
		for _, d := range defs {
			if d.ofProject() {
				theirs = append(theirs, d)
			} else {
				own = append(own, d)
			}
		}
		if len(own) > 0 {
			rest := merged(own, merge)
			rest.part = !bytes.Equal(def.node.json(), merged(theirs, merge).node.json())
			all = append(all, rest)
		}
	}
	return all
}

func (def definition) ofProject() bool { return def.place.level == Project }

// merged combines what several places say about one server, strongest first. It
// is where the strongest is, but in a project once a project has a part in it:
// then it needs trust, though the user's own part be the stronger.
func merged(defs []definition, merge merger) definition {
	both := defs[0]
	var parts []string
	for i, def := range defs {
		parts = append(parts, def.place.path)
		if i > 0 {
			stands := both
			if def.ofProject() && !both.ofProject() {
				stands = def
			}
			both.node = merge(both.node, def.node)
			both = both.at(stands)
		}
		if def.whole {
			break
		}
	}
	both.parts = parts
	return both
}

// at is def, whose node is a tree of its own, where another one stands.
func (def definition) at(other definition) definition {
	n := def.node
	n.doc, n.line, n.column, n.origin = other.node.doc, other.node.line, other.node.column, other.node.written()
	other.node = n
	return other
}

// overlaid merges objects member by member, however deep, and takes of anything
// else the strong one.
func overlaid(strong, weak *node) *node {
	if strong.kind != object || weak.kind != object {
		return strong.copied()
	}
	return memberwise(strong, weak, overlaid)
}

// appended is overlaid, but arrays are joined, the weak one's items first, and
// null says nothing.
func appended(strong, weak *node) *node {
	switch {
	case strong.kind == null:
		return weak.copied()
	case strong.kind == array && weak.kind == array:
		both := strong.copied()
		both.setItems(append(weak.copied().items, both.items...))
		return both
	case strong.kind == object && weak.kind == object:
		return memberwise(strong, weak, appended)
	}
	return strong.copied()
}

// replaced merges two objects, of whose members it takes the strong one whole.
func replaced(strong, weak *node) *node {
	if strong.kind != object || weak.kind != object {
		return strong.copied()
	}
	return memberwise(strong, weak, func(strong, _ *node) *node { return strong.copied() })
}

// memberwise is strong with what weak has beside it; merge makes one of a member
// that both have.
func memberwise(strong, weak *node, merge merger) *node {
	all := make([]member, 0, len(strong.members)+len(weak.members))
	for _, m := range strong.members {
		if other := weak.get(m.name); other != nil {
			all = append(all, member{m.name, merge(m.value, other)})
		} else {
			all = append(all, member{m.name, m.value.copied()})
		}
	}
	for _, m := range weak.members {
		if strong.get(m.name) == nil {
			all = append(all, member{m.name, m.value.copied()})
		}
	}
	both := *strong
	both.origin = strong.written()
	both.setMembers(all)
	return &both
}

// without is n as a tree of its own, but for the member of that name.
func (n *node) without(name string) *node {
	c := n.copied()
	c.setMembers(slices.DeleteFunc(c.members, func(m member) bool { return m.name == name }))
	c.repeated = slices.DeleteFunc(slices.Clone(c.repeated), func(lost *node) bool { return lost.key == name })
	return c
}

// copied is n as a tree of its own, which can be put elsewhere.
func (n *node) copied() *node {
	c := *n
	c.origin = n.written()
	switch n.kind {
	case object:
		all := make([]member, len(n.members))
		for i, m := range n.members {
			all[i] = member{m.name, m.value.copied()}
		}
		c.setMembers(all)
	case array:
		items := make([]*node, len(n.items))
		for i, item := range n.items {
			items[i] = item.copied()
		}
		c.setItems(items)
	case null, boolean, number, text:
	}
	return &c
}

// written is n where its file has it.
func (n *node) written() *node {
	if n.origin != nil {
		return n.origin
	}
	return n
}
