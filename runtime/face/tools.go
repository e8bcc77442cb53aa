package face

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

// catalog is the session's tools as the client sees them.
type catalog struct {
	mu    sync.Mutex          // guards what follows
	tools map[string]rpc.Tool // by the session's name; never changed, but replaced
	set   *toolSet            // of tools; nil until somebody asks for it
	// told are the tools by the names that the client has been told. A name is never
	// given to another tool, also when its own is gone.
	told map[string]toolname.Target
	// known: the client has been told a list.
	known bool
}

// toolSet is the tools at one moment, named. It is never changed.
type toolSet struct {
	tools  map[string]rpc.Tool        // by the session's name
	named  map[string]toolname.Target // by the face's name
	names  map[toolname.Target]string // the other way round
	listed func() []byte              // the JSON array, made when first asked for
}

func newCatalog() *catalog {
	return &catalog{tools: map[string]rpc.Tool{}, told: map[string]toolname.Target{}}
}

// current is the set of the moment.
func (c *catalog) current() *toolSet {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.named()
}

// named is current, for those that hold mu. Tools are named when they are asked for:
// they may change many times before, and nobody has been told the names.
func (c *catalog) named() *toolSet {
	if c.set == nil {
		c.set = namedSet(c.tools, c.told)
	}
	return c.set
}

// list is the set of the moment, for the client to be told.
func (c *catalog) list() *toolSet {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = true
	set := c.named()
	maps.Copy(c.told, set.named)
	if len(c.told) > max(toldLimit, 2*len(set.named)) { // somebody invents names without end
		c.told = maps.Clone(set.named)
	}
	return set
}

// find is the tool that has, or once had, a name.
func (c *catalog) find(name string) (toolname.Target, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.named().named[name]; ok {
		return t, true
	}
	t, ok := c.told[name]
	return t, ok
}

// has says whether there are tools of a server.
func (c *catalog) has(server string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tools {
		if t.Server == server {
			return true
		}
	}
	return false
}

// replace makes these tools the set. It is true if the client knows another one.
func (c *catalog) replace(tools []rpc.Tool) bool {
	set := make(map[string]rpc.Tool, len(tools))
	for _, t := range tools {
		set[t.Name] = t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	same := maps.EqualFunc(set, c.tools, func(a, b rpc.Tool) bool {
		return a.Label == b.Label && a.Server == b.Server && bytes.Equal(a.Definition, b.Definition)
	})
	if same {
		return false
	}
	c.tools, c.set = set, nil
	return c.known
}

// change makes a push's difference in the set, and is true as replace is.
func (c *catalog) change(p *rpc.ToolsChanged) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := maps.Clone(c.tools)
	for _, name := range p.Removed {
		delete(set, name)
	}
	come := slices.Concat(p.Added, p.Updated)
	for _, t := range come {
		set[t.Name] = t
	}
	if len(come) == 0 && len(set) == len(c.tools) { // it is about servers that are not offered
		return false
	}
	c.tools, c.set = set, nil
	return c.known
}

// form is how the face names tools: the client puts a prefix of its own before it.
func form() toolname.Form {
	return toolname.Form{Separator: "_", Limit: nameLimit, ServerLeft: serverLeft}
}

// targetOf is a tool as its server knows it.
func targetOf(t rpc.Tool) toolname.Target {
	return toolname.Target{Server: t.Server, Tool: t.OwnName()}
}

// namedSet names tools, to which none of the taken names goes that is another's.
func namedSet(tools map[string]rpc.Tool, taken map[string]toolname.Target) *toolSet {
	inOrder := slices.SortedFunc(maps.Values(tools), func(a, b rpc.Tool) int { return cmp.Compare(a.Name, b.Name) })
	named := make([]toolname.Tool, len(inOrder))
	for i, t := range inOrder {
		named[i] = toolname.NewTool(targetOf(t))
	}
	names := form().Names(named, taken)
	set := &toolSet{
		tools:  tools,
		named:  make(map[string]toolname.Target, len(tools)),
		names:  make(map[toolname.Target]string, len(tools)),
		listed: sync.OnceValue(func() []byte { return listOf(inOrder, names) }),
	}
	for i, name := range names {
		set.named[name] = named[i].Target
		set.names[named[i].Target] = name
	}
	return set
}

// listOf are the definitions by name, sorted by it.
func listOf(tools []rpc.Tool, names []string) []byte {
	byName := make(map[string][]byte, len(tools))
	size := 0
	for i, t := range tools {
		byName[names[i]] = renamed(t.Definition, names[i])
		size += len(byName[names[i]]) + 1
	}
	list := append(make([]byte, 0, size+1), '[')
	for i, name := range slices.Sorted(slices.Values(names)) {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, byName[name]...)
	}
	return append(list, ']')
}

// renamed is a definition with another name; everything else is as it was.
func renamed(definition []byte, name string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, name) // names are ASCII
	out := make([]byte, 0, len(definition)+len(name))
	copied := 0
	for member, value := range members(definition) {
		if member == "name" {
			out = append(append(out, definition[copied:value.begin]...), quoted...)
			copied = value.end
		}
	}
	return append(out, definition[copied:]...)
}
