package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// reading is one place being read.
type reading struct {
	*report
	site     *site
	provider *provider
	place    place
	root     *node // an object; nil for row 0
	// inputs are those of the file, by id; set before its servers are read.
	inputs map[string]Input

	found    []definition
	switches []rule
}

// definition is one server as one place has it. Those of a whole row are found
// before the first is decoded, so that a row may combine them.
type definition struct {
	name   string
	node   *node
	place  place
	inputs map[string]Input
	// whole: where the row merges, what weaker places say of the name does not
	// count beside it.
	whole bool
	// part: it is in a merged definition of the name, which comes before it.
	part bool
	// parts are the paths of the files that have one in it, where it is merged.
	parts []string
}

// rule switches servers by name.
type rule struct {
	path  string // of the file that says it
	names []string
	on    bool
	// others: it is about all but those of these names; fold: whose case does not
	// matter.
	others, fold bool
	// provider, level and base, unless "", narrow it to that provider's entries, to
	// those of that level, and to files of that name.
	provider string
	level    Level
	base     string
}

func (r *rule) matches(e *Entry) bool {
	named := slices.ContainsFunc(r.names, func(name string) bool {
		return name == e.Name || r.fold && strings.EqualFold(name, e.Name)
	})
	return named != r.others &&
		(r.provider == "" || r.provider == e.Provider) &&
		(r.level == "" || r.level == e.Level) &&
		(r.base == "" || r.base == filepath.Base(e.Path))
}

// readMCPServers reads the form that most tools share.
func readMCPServers(r *reading) { r.readServersAt("mcpServers", "servers") }

// readServersAt reads the servers under a name of the file. Those under one of
// the names that other tools have for it are not read, which is told.
func (r *reading) readServersAt(name string, misnamed ...string) {
	r.repeated(r.root, "", nil, name)
	r.servers(r.root.get(name))
	if r.root.get(name) != nil {
		return
	}
	for _, wrong := range misnamed {
		r.misnamed(name, wrong)
	}
}

// servers reads the object that has the servers by name; nil is none.
func (r *reading) servers(n *node) {
	if n == nil {
		return
	}
	if n.kind != object {
		r.fail(n, "", "%s: expected an object, found %v", n.label(nil), n.kind)
		return
	}
	r.repeated(n, "", nil)
	for _, m := range n.members {
		r.define(m.name, m.value)
	}
}

// misnamed says so when a file has another tool's key.
func (r *reading) misnamed(right, wrong string) {
	if n := r.root.get(wrong); n != nil && n.kind == object {
		r.add(n, "", true, fmt.Sprintf("%q is not read in this file: rename it to %q", wrong, right),
			fmt.Sprintf("rename the key %q to %q", wrong, right))
	}
}

// objectIn is a member that is an object; any other is reported.
func (r *reading) objectIn(n *node, name string) *node {
	v := present(n.get(name))
	if v == nil || v.kind == object {
		return v
	}
	r.fail(v, "", "%s: expected an object, found %v", v.label(nil), v.kind)
	return nil
}

// off reads a list of names of this provider's servers that are switched off.
func (r *reading) off(n *node, base string) {
	if names := r.names(n); names != nil {
		r.switches = append(r.switches, rule{names: names, provider: r.provider.id, base: base})
	}
}

// maxName bounds the name of a server, in bytes: decisions about it are
// remembered by it.
const maxName = 1 << 10

// define takes what stands under a name for a server.
func (r *reading) define(name string, n *node) {
	switch {
	case name == "":
		r.add(n, "", false, "a server has no name: not used", "give it a name, or take it out")
		return
	case len(name) > maxName:
		r.add(n, "", false, fmt.Sprintf("a server has a name of %d bytes: not used", len(name)),
			fmt.Sprintf("give it a name of at most %d bytes", maxName))
		return
	}
	r.found = append(r.found, definition{name: name, node: n, place: r.place, inputs: r.inputs})
}

// decode makes an entry of a definition, in the dialect of its place; nil when
// the definition is of no server.
func (r *report) decode(p *provider, def definition) *Entry {
	n, at := def.node, def.place
	e := &Entry{
		Name: def.name, Provider: p.id, ProviderName: p.name, Level: at.level, Path: at.path,
		Raw: n.json(), Kind: "stdio", base: at.base, forms: at.dialect.forms,
	}
	if at.personal {
		e.Level = Project
	}
	for _, path := range def.parts {
		if path != at.path && !slices.Contains(e.Parts, path) {
			e.Parts = append(e.Parts, path)
		}
	}
	e.Line, e.Column = n.position()
	f := &fields{report: r, e: e, obj: n, used: make(map[string]bool)}
	if n.kind == object {
		if at.dialect.decode(f); f.skipped {
			return nil
		}
		f.unused(at.dialect.silent)
	} else {
		f.expected(n, "an object")
	}
	if f.invalidAt != nil {
		r.fail(f.invalidAt, e.Name, "%s", e.Invalid)
	}
	r.findInputs(e, def)
	return e
}

// findInputs notes which inputs the entry needs and what its file says about
// them.
func (r *report) findInputs(e *Entry, def definition) {
	e.NeedsInput = e.Uses().Inputs
	for _, id := range e.NeedsInput {
		in, ok := def.inputs[id]
		if !ok {
			in.ID = id
			r.warn(def.node, e.Name, `no input has the id %q: define it under "inputs"`, shownReference(id))
		}
		if in.Type == "" {
			in.Type = "promptString"
		}
		e.Inputs = append(e.Inputs, in)
	}
}
