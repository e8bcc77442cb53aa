package runtime

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

// toolSource is what one server contributes to the catalog.
type toolSource struct {
	server       string
	provider     string
	providerName string // "" when unknown
	state        rpc.ToolState
	// defs are filtered, and no raw name is in them twice. The slice is not
	// changed once it is here: a source with the very same slice is not looked
	// at again.
	defs []toolDef
	// off are the tools that only settings.disabled keeps out, by their own names,
	// sorted. The catalog has no use for them.
	off []string
}

// catalog is the set of tools that are offered, and every name that ever was.
// It is never changed: with makes the next one. The zero value is the catalog
// before the first set, at revision 0.
type catalog struct {
	revision int    // grows by one exactly when hash changes
	hash     string // SHA-256, in hex, of tools without their state; "" before the first set
	tools    []rpc.Tool
	// offered has every name since the session began. A name is never given to
	// another tool, also when its own is gone.
	offered map[string]toolname.Target
	parts   []*toolPart // sorted by server
	// style and states are what with was given, to see that nothing changed.
	style  rpc.ToolNames
	states map[string]rpc.ToolState // by server
	// places are the positions in tools of the definitions of all parts, one
	// part after the other; first is where in places each part begins.
	places []int
	first  []int
}

// formOf is how names of a style are put together.
func formOf(style rpc.ToolNames) toolname.Form {
	if style == rpc.ToolNamesDouble {
		return toolname.Form{Prefix: "mcp__", Separator: "__", Limit: nameLimit}
	}
	return toolname.Form{Prefix: "mcp_", Separator: "_", Limit: nameLimit}
}

// toolPart is what can be computed of a source on its own, kept for the next
// catalogs. Nothing in it changes but the index, which is made when first
// asked for.
type toolPart struct {
	source toolSource          // but not its state
	tag    string              // the server's part of names
	tags   []string            // the tools' parts of names, as source.defs
	tools  []rpc.Tool          // without name and state, as source.defs
	sums   [][sha256.Size]byte // of everything about a tool but name and state, as source.defs
	at     map[string]int      // by raw name, the position in source.defs
	index  func() *searchIndex
}

// with is the catalog that has exactly the tools of these sources, one source
// a server, in any order.
func (c *catalog) with(sources []toolSource, style rpc.ToolNames) *catalog {
	parts := make([]*toolPart, len(sources))
	states := make(map[string]rpc.ToolState, len(sources))
	for i, s := range sources {
		parts[i] = c.part(s)
		states[s.server] = s.state
	}
	slices.SortFunc(parts, func(a, b *toolPart) int { return cmp.Compare(a.source.server, b.source.server) })
	if c.hash != "" && c.style == style && slices.Equal(parts, c.parts) && maps.Equal(states, c.states) {
		return c // most events of a server are not about its tools
	}
	rows := namedRows(parts, formOf(style), c.offered)

	next := &catalog{
		revision: c.revision, offered: c.offered, parts: parts, style: style, states: states,
		tools: make([]rpc.Tool, len(rows)), places: make([]int, len(rows)), first: make([]int, len(parts)),
	}
	for i := range parts[:max(len(parts)-1, 0)] {
		next.first[i+1] = next.first[i] + len(parts[i].source.defs)
	}
	fresh := make(map[string]toolname.Target)
	sums := make([]byte, 0, len(rows)*(1+nameLimit+sha256.Size))
	for i, r := range rows {
		t := r.part.tools[r.i]
		t.Name, t.State = r.name, states[r.id.Server]
		next.tools[i] = t
		next.places[r.nth] = i
		if _, known := c.offered[r.name]; !known {
			fresh[r.name] = r.id
		}
		sums = append(appendField(sums, r.name), r.part.sums[r.i][:]...)
	}
	switch {
	case len(fresh) == 0:
	case len(c.offered)+len(fresh) > offeredLimit: // somebody invents names without end
		next.offered = make(map[string]toolname.Target, len(rows))
		for _, r := range rows {
			next.offered[r.name] = r.id
		}
	default:
		next.offered = make(map[string]toolname.Target, len(c.offered)+len(fresh))
		maps.Copy(next.offered, c.offered)
		maps.Copy(next.offered, fresh)
	}
	sum := sha256.Sum256(sums)
	next.hash = hex.EncodeToString(sum[:])
	if next.hash != c.hash {
		next.revision++
	}
	return next
}

// toolRow is one tool on its way into a catalog.
type toolRow struct {
	name string
	id   toolname.Target
	part *toolPart
	i    int // position in the part
	nth  int // position among the definitions of all parts
}

// namedRows are all tools of the parts, sorted by name.
func namedRows(parts []*toolPart, form toolname.Form, taken map[string]toolname.Target) []toolRow {
	var rows []toolRow
	var tools []toolname.Tool
	for _, p := range parts {
		for i, d := range p.source.defs {
			id := toolname.Target{Server: p.source.server, Tool: d.name}
			rows = append(rows, toolRow{id: id, part: p, i: i, nth: len(rows)})
			tools = append(tools, toolname.Tool{Target: id, ServerPart: p.tag, ToolPart: p.tags[i]})
		}
	}
	for i, name := range form.Names(tools, taken) {
		rows[i].name = name
	}
	slices.SortFunc(rows, func(a, b toolRow) int { return cmp.Compare(a.name, b.name) })
	return rows
}

// part is the part of s: the one there was, if s is what it was.
func (c *catalog) part(s toolSource) *toolPart {
	if i, ok := c.partOf(s.server); ok && c.parts[i].of(s) {
		return c.parts[i]
	}
	return newToolPart(s)
}

// partOf is the position of a server's part.
func (c *catalog) partOf(server string) (int, bool) {
	return slices.BinarySearchFunc(c.parts, server, func(p *toolPart, server string) int {
		return cmp.Compare(p.source.server, server)
	})
}

// of says whether p was made of s; the state does not matter.
func (p *toolPart) of(s toolSource) bool {
	return p.source.provider == s.provider && p.source.providerName == s.providerName &&
		len(p.source.defs) == len(s.defs) && (len(s.defs) == 0 || &p.source.defs[0] == &s.defs[0])
}

func newToolPart(s toolSource) *toolPart {
	p := &toolPart{
		source: s,
		tag:    toolname.ServerPart(s.server),
		tags:   make([]string, len(s.defs)),
		tools:  make([]rpc.Tool, len(s.defs)),
		sums:   make([][sha256.Size]byte, len(s.defs)),
		at:     make(map[string]int, len(s.defs)),
	}
	path := "mcp:" + s.server
	if s.providerName != "" {
		path += " via " + s.providerName
	}
	var b []byte
	for i, d := range s.defs {
		p.at[d.name] = i
		p.tags[i] = toolname.ToolPart(d.name)
		p.tools[i] = rpc.Tool{
			Label: s.server + "/" + d.name, Server: s.server, Path: path,
			Provider: s.provider, ProviderName: s.providerName, Definition: d.raw,
		}
		b = b[:0]
		for _, field := range []string{s.server, s.provider, s.providerName, d.name} {
			b = appendField(b, field)
		}
		p.sums[i] = sha256.Sum256(append(b, d.raw...)) // the last one needs no length
	}
	p.index = sync.OnceValue(func() *searchIndex { return newSearchIndex(s) })
	return p
}

// appendField appends s with its length before it, so that what is hashed says
// where one field ends and the next begins.
func appendField(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// lookup is the tool of a name that is, or once was, offered. Whether the tool
// is still there is another question: raw answers it.
func (c *catalog) lookup(name string) (toolname.Target, bool) {
	t, ok := c.offered[name]
	return t, ok
}

// raw is the tool that its server knows by this name, if it is offered.
func (c *catalog) raw(t toolname.Target) (rpc.Tool, bool) {
	k, ok := c.partOf(t.Server)
	if !ok {
		return rpc.Tool{}, false
	}
	i, ok := c.parts[k].at[t.Tool]
	if !ok {
		return rpc.Tool{}, false
	}
	return c.tools[c.places[c.first[k]+i]], true
}
