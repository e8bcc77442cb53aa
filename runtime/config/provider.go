package config

import "path/filepath"

// provider is one row: a tool, the places where it keeps its servers, and by
// them the dialects it writes.
type provider struct {
	id   string
	name string
	// places are in the order in which they win, strongest first.
	places func(*site) []place
	// merge is how the tool combines entries of one name; nil when it takes the
	// strongest alone.
	merge merger
}

// place is one file, or a part of one.
type place struct {
	path string // "" for row 0
	// inline is the text itself, where it is not in a file: path is then only
	// what it is called.
	inline string
	level  Level
	// base is what relative paths in it are relative to.
	base string
	// personal: the file is the user's, but what is read of it is about the
	// project; its entries are of level Project and need no trust.
	personal bool
	// named: the host names it itself, in settings.servers, discovery.files or ownFiles, so
	// that it is no matter of discovery.include.
	named   bool
	parse   parser
	dialect *dialect // of its entries; nil when it holds none
	read    func(*reading)
}

// located says whether a place is somewhere. A file of the user's is not when
// there is no home directory.
func (p *place) located() bool {
	return p.level == Host || p.inline != "" || filepath.IsAbs(p.path)
}

// in is the place in another language than JSONC.
func (p place) in(language parser) place {
	p.parse = language
	return p
}

// Providers are the tools whose files are read, by id, strongest first.
func Providers() []string {
	var ids []string
	for _, p := range providers() {
		if p.id != HostID {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// providers is the table, strongest first.
func providers() []provider {
	return []provider{
		{id: HostID, name: "Host", places: hostPlaces},
		{id: sidecarID, name: "mcp-sidecar", places: sidecarPlaces},
		{id: "claude", name: "Claude Code", places: claudePlaces},
		{id: "claude-desktop", name: "Claude Desktop", places: claudeDesktopPlaces},
		{id: "codex", name: "OpenAI Codex", places: codexPlaces, merge: overlaid},
		{id: "gemini", name: "Gemini CLI", places: geminiPlaces},
		{id: "opencode", name: "OpenCode", places: opencodePlaces, merge: overlaid},
		{id: "cursor", name: "Cursor", places: cursorPlaces},
		{id: "windsurf", name: "Windsurf", places: windsurfPlaces},
		{id: "vscode", name: "VS Code", places: vscodePlaces},
		{id: "zed", name: "Zed", places: zedPlaces, merge: zedMerged},
		{id: "mcphub", name: "MCPHub", places: mcphubPlaces},
		{id: "crush", name: "Crush", places: crushPlaces, merge: appended},
		{id: "goose", name: "Goose", places: goosePlaces, merge: replaced},
		{id: "mcp-json", name: "MCP Config", places: mcpJSONPlaces},
	}
}

// The rows in which hosts name servers and files themselves.
const (
	HostID    = "host" // settings.servers
	sidecarID = "mcp-sidecar"
)

// projectFile is a file looked for in each project directory.
type projectFile struct {
	path     string // relative; "*.suffix" for all files that end so
	dialect  *dialect
	read     func(*reading)
	language parser // nil for JSONC
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
				s.patterns = append(s.patterns, filepath.Join(dir, f.path))
			}
			for _, name := range names {
				at := place{
					path: filepath.Join(dir, filepath.FromSlash(name)), level: Project, base: dir,
					parse: parseJSONC, dialect: f.dialect, read: f.read,
				}
				if f.language != nil {
					at = at.in(f.language)
				}
				places = append(places, at)
			}
		}
	}
	return places
}

// ofUser is a file of the user's.
func (s *site) ofUser(path string, d *dialect, read func(*reading)) place {
	return place{path: path, level: User, base: s.opts.Cwd, parse: parseJSONC, dialect: d, read: read}
}
