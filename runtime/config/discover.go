package config

import (
	"context"
	"runtime/debug"
	"slices"
)

// Discover reads every row's files and says which servers there are. It ends
// early, with Hard set, when ctx does.
func Discover(ctx context.Context, o Options) Result {
	return discover(ctx, o, providers())
}

// row is a provider with its places.
type row struct {
	provider provider
	places   []place
}

func discover(ctx context.Context, o Options, table []provider) (result Result) {
	defer func() {
		if v := recover(); v != nil {
			result = Result{Hard: &PanicError{v, debug.Stack()}}
		}
	}()
	if err := checkCwd(o.Cwd); err != nil {
		return Result{Hard: err}
	}
	s := newSite(o)
	var rows []row
	var places []place
	for _, p := range table {
		if !p.chosen(&o) {
			continue
		}
		r := row{p, p.places(s)}
		if !o.ProjectConfig {
			r.places = slices.DeleteFunc(r.places, func(p place) bool { return p.level == Project || p.personal })
		}
		rows = append(rows, r)
		places = append(places, r.places...)
	}
	files, err := load(ctx, places, o.Previous)
	if err != nil {
		return Result{Hard: err}
	}
	d := &discovery{site: s, files: files, claimed: make(map[string]claim), told: make(map[string]bool)}
	d.claimUserFiles(places)
	for _, r := range rows {
		d.readRow(r)
	}
	return d.result()
}

// discovery gathers what the places give, in the order of the table.
type discovery struct {
	site  *site
	files map[string]*loaded
	// claimed says who reads a file, by its path without symbolic links: a
	// project file is read once, however many rows and links lead to it.
	claimed map[string]claim
	told    map[string]bool // files, by path, whose problem is reported

	report   report
	entries  []*Entry
	switches []rule
	seen     []File
}

// claim is the first reader of a file. A row may read it in parts, under one
// path.
type claim struct {
	provider string
	path     string
}

// claimUserFiles keeps the user's files from being read as a project's too.
func (d *discovery) claimUserFiles(places []place) {
	for _, p := range places {
		if f := d.files[p.path]; p.level == User && f.real != "" {
			d.claimed[f.real] = claim{}
		}
	}
}

func (d *discovery) readRow(r row) {
	var found []definition
	for _, at := range r.places {
		found = append(found, d.read(&r.provider, at)...)
	}
	for _, def := range found {
		d.entries = append(d.entries, d.report.decode(&r.provider, def))
	}
}

// read is what one place defines.
func (d *discovery) read(p *provider, at place) []definition {
	f := d.files[at.path]
	if f == nil { // row 0
		return d.readTree(p, at, nil)
	}
	if at.level == Project && f.real != "" {
		mine := claim{p.id, at.path}
		if holder, ok := d.claimed[f.real]; ok && holder != mine {
			return nil
		}
		d.claimed[f.real] = mine
	}
	if at.level == Project && f.foreign {
		d.note(p, at, FileSkipped, nil)
		d.report.diagnostics = append(d.report.diagnostics, Diagnostic{
			Path: at.path, Warning: true,
			Message: "belongs to another user: not read",
		})
		return nil
	}
	if f.problem != nil && !d.told[at.path] {
		d.told[at.path] = true
		d.report.diagnostics = append(d.report.diagnostics, *f.problem)
	}
	var found []definition
	if f.root != nil {
		found = d.readTree(p, at, f.root)
	}
	d.note(p, at, f.state, found)
	return found
}

// readTree lets the place's reader have the file.
func (d *discovery) readTree(p *provider, at place, root *node) []definition {
	r := &reading{report: &d.report, site: d.site, provider: p, place: at, root: root}
	at.read(r)
	d.switches = append(d.switches, r.switches...)
	return r.found
}

// note records a file as looked at. What a row reads in parts is one file.
func (d *discovery) note(p *provider, at place, state FileState, found []definition) {
	var names []string
	for _, def := range found {
		names = append(names, def.name)
	}
	for i := range d.seen {
		if f := &d.seen[i]; f.Path == at.path && f.Provider == p.id {
			f.Entries = append(f.Entries, names...)
			return
		}
	}
	d.seen = append(d.seen, File{Path: at.path, Provider: p.id, Level: at.level, State: state, Entries: names})
}

func (d *discovery) result() Result {
	o := &d.site.opts
	switchServers(d.entries, d.switches)
	winners := firstOfName(d.entries, o.Denied)
	var keys []string
	if o.FilterExa {
		winners, keys = withoutExa(winners, o.Getenv)
	}
	winners = mergeAliases(winners, Expander{Getenv: o.Getenv, Home: o.Home, Folder: o.Cwd})

	result := Result{Diagnostics: d.report.diagnostics, ExaKeys: keys, Files: d.seen, texts: make(map[string][]byte)}
	for _, e := range winners {
		result.Entries = append(result.Entries, *e)
	}
	for path, f := range d.files {
		if f.text != nil {
			result.texts[path] = f.text
		}
	}
	return result
}
