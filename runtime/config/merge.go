package config

import "slices"

// combined are the definitions of a row that merges: one of each name, in the
// order in which the names come first. One in which a project has a part is
// followed by what it is without, for the case that the user does not trust the
// project: nothing but the first of a name counts.
func combined(found []definition) []definition {
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
		all = append(all, merged(defs))
		own := slices.DeleteFunc(slices.Clone(defs), func(def definition) bool { return def.place.level == Project })
		if len(own) > 0 && len(own) < len(defs) {
			all = append(all, merged(own))
		}
	}
	return all
}

// merged combines what several places say about one server, as the owning tool
// does: objects member by member, and of anything else the strongest, which is
// the first. Every value keeps where it stands.
func merged(defs []definition) definition {
	strongest := defs[0]
	for _, weaker := range defs[1:] {
		strongest.node = overlaid(strongest.node, weaker.node)
	}
	return strongest
}

// overlaid is strong with what weak has beside it, as a tree of its own.
func overlaid(strong, weak *node) *node {
	if strong.kind != object || weak.kind != object {
		return strong.copied()
	}
	all := make([]member, 0, len(strong.members)+len(weak.members))
	for _, m := range strong.members {
		if other := weak.get(m.name); other != nil {
			all = append(all, member{m.name, overlaid(m.value, other)})
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
