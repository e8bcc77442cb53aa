package config

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// kind is what a node is, in JSON's terms whatever the file's language.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// String is the kind as a diagnostic says it.
func (k kind) String() string {
	switch k {
	case null:
		return "null"
	case boolean:
		return "a boolean"
	case number:
		return "a number"
	case text:
		return "a string"
	case array:
		return "an array"
	case object:
		return "an object"
	}
	return "nothing"
}

// document is where a tree of nodes was read from.
type document struct {
	path string
	// unplaced: lines and columns mean nothing to the user, because the text is
	// a fragment.
	unplaced bool
	// stale: the tree is that of an earlier, good text of the file; what was
	// wrong with that one is not told again.
	stale bool
}

// node is one value of a document. A tree is not changed once it is parsed.
type node struct {
	kind kind
	// text is the value of a string, and the JSON literal of a boolean or a
	// number.
	text string
	// members of an object have unique names: of several the last is kept, and
	// the others are in repeated.
	members  []member
	repeated []*node
	items    []*node

	doc    *document
	parent *node  // nil at the root
	key    string // the name or index in parent
	// line and column count from 1, in bytes of the text as UTF-8.
	line, column int
	// origin is the node of the document that this one is a copy of; nil for one
	// that is itself of a document.
	origin *node
}

type member struct {
	name  string
	value *node
}

// get is the member of that name, or nil: also of a node that is no object.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// pointer is the JSON pointer of n in its document (RFC 6901), in which a name
// that holds a secret by mistake is shown without it.
func (n *node) pointer() string {
	n = n.written()
	if n.parent == nil {
		return ""
	}
	return n.parent.pointer() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(shownName(n.key))
}

// position is where n stands, or 0, 0.
func (n *node) position() (line, column int) {
	if n.doc.unplaced {
		return 0, 0
	}
	return n.line, n.column
}

// json is n as JSON: compact, names in the order of the file.
func (n *node) json() json.RawMessage {
	return n.appendJSON(nil)
}

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case null:
		return append(b, "null"...)
	case boolean, number:
		return append(b, n.text...)
	case text:
		return append(b, hujson.String(n.text)...)
	case array:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, hujson.String(m.name)...)
			b = append(b, ':')
			b = m.value.appendJSON(b)
		}
		return append(b, '}')
	}
	return b
}

// setMembers makes n an object, keeping of each name the last value, at the
// place of the first.
func (n *node) setMembers(all []member) {
	n.kind = object
	n.members = all[:0]
	var at map[string]int // place in n.members; nil while there are few
	for _, m := range all {
		m.value.parent, m.value.key = n, m.name
		if at == nil && len(n.members) == fewMembers {
			at = make(map[string]int, len(all))
			for i, earlier := range n.members {
				at[earlier.name] = i
			}
		}
		i, again := at[m.name]
		if at == nil {
			i = slices.IndexFunc(n.members, func(earlier member) bool { return earlier.name == m.name })
			again = i >= 0
		}
		if again {
			n.repeated = append(n.repeated, n.members[i].value)
			n.members[i] = m
			continue
		}
		if at != nil {
			at[m.name] = len(n.members)
		}
		n.members = append(n.members, m)
	}
}

// fewMembers is how many are faster to look through than to look up.
const fewMembers = 16

func (n *node) setItems(items []*node) {
	n.kind = array
	n.items = items
	for i, item := range items {
		item.parent, item.key = n, strconv.Itoa(i)
	}
}
