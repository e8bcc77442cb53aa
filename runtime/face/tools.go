package face

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

// toolSet is the session's tools as the client sees them. It is never changed. nil is
// the set before the first.
type toolSet struct {
	tools map[string]rpc.Tool // by the session's name
	// named are the tools by the face's name. A name is never given to another tool, also
	// when its own is gone.
	named  map[string]toolname.Target
	names  map[toolname.Target]string // of those that there are
	listed func() []byte              // the JSON array, made when first asked for
}

// has says whether there are tools of a server.
func (s *toolSet) has(server string) bool {
	for t := range s.names {
		if t.Server == server {
			return true
		}
	}
	return false
}

// form is how the face names tools: the client puts a prefix of its own before it.
func form() toolname.Form { return toolname.Form{Separator: "_", Limit: nameLimit} }

// targetOf is a tool as its server knows it.
func targetOf(t rpc.Tool) toolname.Target {
	return toolname.Target{Server: t.Server, Tool: strings.TrimPrefix(t.Label, t.Server+"/")}
}

// next is the set of these tools, with the names that were.
func (s *toolSet) next(tools []rpc.Tool) *toolSet {
	set := make(map[string]rpc.Tool, len(tools))
	for _, t := range tools {
		set[t.Name] = t
	}
	return s.of(set)
}

// changed is the set after a push.
func (s *toolSet) changed(p *rpc.ToolsChanged) *toolSet {
	set := maps.Clone(s.tools)
	for _, name := range p.Removed {
		delete(set, name)
	}
	for _, t := range slices.Concat(p.Added, p.Updated) {
		set[t.Name] = t
	}
	return s.of(set)
}

func (s *toolSet) of(tools map[string]rpc.Tool) *toolSet {
	inOrder := slices.SortedFunc(maps.Values(tools), func(a, b rpc.Tool) int { return cmp.Compare(a.Name, b.Name) })
	targets := make([]toolname.Target, len(inOrder))
	bases := make([]string, len(inOrder))
	for i, t := range inOrder {
		targets[i] = targetOf(t)
		bases[i] = form().Base(toolname.ServerPart(targets[i].Server), toolname.ToolPart(targets[i].Tool))
	}
	set := &toolSet{tools: tools, named: map[string]toolname.Target{}, names: make(map[toolname.Target]string, len(tools))}
	if s != nil && len(s.named)+len(tools) <= offeredLimit {
		set.named = maps.Clone(s.named)
	}
	names := form().Names(targets, bases, set.named)
	for i, name := range names {
		set.named[name] = targets[i]
		set.names[targets[i]] = name
	}
	set.listed = sync.OnceValue(func() []byte { return listOf(inOrder, names) })
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
	dec := jsontext.NewDecoder(bytes.NewReader(definition), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return definition // what the session has is an object with a name
	}
	out := make([]byte, 0, len(definition)+len(name))
	copied := 0
	for dec.PeekKind() == '"' {
		member, err := dec.ReadToken()
		if err != nil {
			break
		}
		isName := member.String() == "name"
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if end := int(dec.InputOffset()); isName {
			out = append(append(out, definition[copied:end-len(value)]...), quoted...)
			copied = end
		}
	}
	return append(out, definition[copied:]...)
}
