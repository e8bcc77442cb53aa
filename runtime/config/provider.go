package config

import (
	"path/filepath"
	"slices"
)

// provider is one row: a tool, the places where it keeps its servers, and by
// them the dialects it writes.
type provider struct {
	id   string
	name string
	// places are in the order in which they win, strongest first.
	places func(*site) []place
}

// place is one file, or a part of one.
type place struct {
	path  string // "" for row 0
	level Level
	// base is what relative paths in it are relative to.
	base string
	// personal: the file is the user's, but what is read of it is about the
	// project; its entries are of level Project and need no trust.
	personal bool
	parse    parser
	dialect  *dialect // of its entries; nil when it holds none
	read     func(*reading)
}

// located says whether a place is somewhere. A file of the user's is not when
// there is no home directory.
func (p *place) located() bool { return p.level == Host || filepath.IsAbs(p.path) }

// providers is the table, strongest first.
func providers() []provider {
	return []provider{
		{HostID, "Host", hostPlaces},
		{sidecarID, "mcp-sidecar", sidecarPlaces},
		{"claude", "Claude Code", claudePlaces},
		{"vscode", "VS Code", vscodePlaces},
		{"mcp-json", "MCP Config", mcpJSONPlaces},
	}
}

// The rows that hosts speak of by other settings than include and exclude.
const (
	HostID    = "host" // settings.servers
	sidecarID = "mcp-sidecar"
)

// chosen says whether the host wants a row. What it named itself, in
// settings.servers and discovery.files, is not a matter of include.
func (p *provider) chosen(o *Options) bool {
	if slices.Contains(o.Exclude, p.id) {
		return false
	}
	if o.Include == nil || slices.Contains(o.Include, p.id) {
		return true
	}
	return p.id == HostID || p.id == sidecarID && len(o.Files) > 0
}

// projectFile is a file looked for in each project directory.
type projectFile struct {
	path    string // relative; "*.suffix" for all files that end so
	dialect *dialect
	read    func(*reading)
}

// inProject looks for files in each project directory, all of them in the
// nearest before any in the next.
func (s *site) inProject(files ...projectFile) []place {
	var places []place
	for _, dir := range s.dirs {
		for _, f := range files {
			names := []string{f.path}
			if f.path[0] == '*' {
				names = withSuffix(dir, f.path[1:])
			}
			for _, name := range names {
				places = append(places, place{
					path: filepath.Join(dir, name), level: Project, base: dir,
					parse: parseJSONC, dialect: f.dialect, read: f.read,
				})
			}
		}
	}
	return places
}

// ofUser is a file of the user's.
func (s *site) ofUser(path string, d *dialect, read func(*reading)) place {
	return place{path: path, level: User, base: s.opts.Cwd, parse: parseJSONC, dialect: d, read: read}
}

func hostPlaces(s *site) []place {
	return []place{{level: Host, base: s.opts.Cwd, dialect: nativeDialect(), read: readHost}}
}

func sidecarPlaces(s *site) []place {
	native := nativeDialect()
	places := s.inProject(projectFile{".mcp-sidecar/mcp.json", native, readSidecarProject})
	user := s.ofUser(s.userFile(), native, readSidecarUser)
	if s.opts.Include != nil && !slices.Contains(s.opts.Include, sidecarID) {
		places = nil
	} else {
		places = append(places, user)
	}
	for _, file := range s.opts.Files {
		if path, ok := absolute(file, s.opts.Home, s.opts.Cwd); ok {
			places = append(places, s.ofUser(path, native, readMCPServers))
		}
	}
	return places
}

func mcpJSONPlaces(s *site) []place {
	shared := sharedDialect()
	return s.inProject(
		projectFile{"mcp.json", shared, readMCPServers},
		projectFile{".mcp.json", shared, readMCPServers},
	)
}
