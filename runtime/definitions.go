package runtime

import (
	"cmp"
	"slices"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// filesOf says of every place what became of it and of what it defines.
func filesOf(found *config.Result) []rpc.DoctorFile {
	files := make([]rpc.DoctorFile, 0, len(found.Files)+len(found.LeftOut))
	for _, list := range [][]config.File{found.Files, found.LeftOut} {
		for _, f := range list {
			files = append(files, rpc.DoctorFile{
				Path: f.Path, Provider: f.Provider, ProviderName: f.ProviderName, Level: rpc.Level(f.Level),
				State: rpc.FileState(f.State), Why: f.Why, Servers: definitionsOf(found, f),
			})
		}
	}
	return files
}

// definitionsOf says which definitions of a file count. A file that is read in
// parts may have a name more than once, and then the first of them is strongest.
func definitionsOf(found *config.Result, f config.File) []rpc.Definition {
	all := make([]rpc.Definition, 0, len(f.Entries))
	known := map[string][]rpc.Definition{} // by name, strongest first
	for _, name := range f.Entries {
		rest, ok := known[name]
		if !ok {
			rest = fatesOf(found, f, name)
		}
		d := rpc.Definition{Name: name, State: rpc.DefinitionLeftOut}
		if len(rest) > 0 {
			d, rest = rest[0], rest[1:]
		}
		known[name] = rest
		all = append(all, d)
	}
	return all
}

// fatesOf are those of the definitions of one name in one file.
func fatesOf(found *config.Result, f config.File, name string) []rpc.Definition {
	var all []rpc.Definition
	merged := false
	for i := range found.Entries {
		e := &found.Entries[i]
		switch {
		case e.Name != name || e.Provider != f.Provider:
		case e.Path == f.Path:
			all = append(all, rpc.Definition{Name: name, Line: e.Line, Column: e.Column, State: rpc.DefinitionCounts})
		case slices.Contains(e.Parts, f.Path):
			merged = true
		}
		for _, a := range e.Aliases {
			if a.Name == name && a.Path == f.Path {
				all = append(all, rpc.Definition{Name: name, Line: a.Line, Column: a.Column, State: rpc.DefinitionAlias, By: e.Name})
			}
		}
	}
	for _, l := range found.Lost {
		if l.Name == name && l.Path == f.Path && l.Provider == f.Provider {
			all = append(all, rpc.Definition{
				Name: name, Line: l.Line, Column: l.Column, State: rpc.DefinitionShadowed, By: cmp.Or(l.To.Path, inSettings),
			})
		}
	}
	if len(all) == 0 && merged {
		all = append(all, rpc.Definition{Name: name, State: rpc.DefinitionMerged})
	}
	return all
}
