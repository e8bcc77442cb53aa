package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/timely"
)

// discoveryLimit bounds one discovery. A directory on a network may not answer
// for minutes.
const discoveryLimit = 5 * time.Second

// homeLimit is how much of it finding the home directory's real path may take:
// a home that does not answer must not cost the project's files.
const homeLimit = time.Second

// errSlow is the cause of a context that discoveryLimit has ended.
var errSlow = errors.New("not read within " + strconv.Itoa(int(discoveryLimit/time.Second)) + " s")

// Discover reads every row's files and says which servers there are. It returns
// at once, with Hard set, when ctx ends, and after 5 s with what it has read by
// then: each other file is a diagnostic, or what it gave in Options.Previous as
// well. A read of the file system that hangs cannot be stopped: its goroutine is
// left behind, touches nothing of the result, and ends with that read.
func Discover(ctx context.Context, o Options) Result {
	return discover(ctx, o, providers(), readFile)
}

// row is a provider with its places.
type row struct {
	provider provider
	places   []place
}

func discover(ctx context.Context, o Options, table []provider, read opener) (result Result) {
	defer func() {
		if v := recover(); v != nil {
			result = Result{Hard: &PanicError{v, debug.Stack()}}
		}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, discoveryLimit, errSlow)
	defer cancel()
	at, err := await(ctx, func() (survey, error) { return lookAround(ctx, o, table) })
	if errors.Is(err, errSlow) {
		err = fmt.Errorf("cwd %s: %w", o.Cwd, errSlow)
	}
	if err != nil {
		return Result{Hard: err}
	}
	var places []place
	for _, r := range at.rows {
		places = append(places, r.places...)
	}
	if o.Before != nil {
		o.Before(at.site.dependencies(places))
	}
	files, err := load(ctx, places, o.Previous, read)
	if err != nil {
		return Result{Hard: err}
	}
	d := &discovery{
		site: at.site, files: files, claimed: make(map[string]claim), broken: make(map[string]bool), parts: make(map[*Entry]bool),
	}
	d.report.diagnostics = slices.Concat(at.missing, unknownProviders(&o, table))
	d.claimUserFiles(places)
	for _, r := range at.rows {
		d.readRow(r)
	}
	result = d.result()
	result.LeftOut = at.left
	return result
}

// unknownProviders says which names of settings.discovery are no providers: a
// misspelt one would leave everything out without a word.
func unknownProviders(o *Options, table []provider) []Diagnostic {
	var known []string
	for _, p := range table {
		known = append(known, p.id)
	}
	var found []Diagnostic
	for _, setting := range []struct {
		name  string
		names []string
	}{{"include", o.Include}, {"exclude", o.Exclude}, {"own", o.Own}} {
		for _, name := range setting.names {
			if !slices.Contains(known, name) {
				found = append(found, Diagnostic{
					Path: "settings.discovery." + setting.name, Warning: true,
					Message: fmt.Sprintf("there is no provider %q; this version reads %s", name, strings.Join(known, ", ")),
					Fix:     "correct the name, or take it out",
				})
			}
		}
	}
	return found
}

// await is the outcome of f, which may hang in the file system, or the cause of
// ctx's end. A panic of f is one of a reader.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	value, err := timely.Do(ctx, f)
	var panicked *timely.PanicError
	if errors.As(err, &panicked) {
		err = &PanicError{panicked.Value, panicked.Stack}
	}
	return value, err
}

// survey is where to look.
type survey struct {
	site    *site
	rows    []row
	missing []Diagnostic
	left    []File // what the host wants left out
}

// lookAround finds the places of every row that the host wants.
func lookAround(ctx context.Context, o Options, table []provider) (survey, error) {
	if err := checkCwd(o.Cwd); err != nil {
		return survey{}, err
	}
	s := newSite(o, realHome(ctx, o.Home))
	at := survey{site: s}
	if o.ProjectConfig {
		at.missing = missing(o.Folders)
	}
	for _, p := range table {
		r := row{provider: p}
		for _, place := range p.places(s) {
			switch why := leftOut(&o, &p, &place); {
			case why == "" && place.located():
				r.places = append(r.places, place)
			case why != "" && filepath.IsAbs(place.path) && !place.personal:
				at.leave(File{Path: place.path, Provider: p.id, ProviderName: p.name, Level: place.level, State: FileSkipped, Why: why})
			}
		}
		if !slices.Contains(o.Exclude, p.id) {
			at.rows = append(at.rows, r)
		}
	}
	return at, nil
}

// leave notes a file as left out, once: a row may read it in parts.
func (at *survey) leave(f File) {
	if !slices.ContainsFunc(at.left, func(x File) bool { return x.Path == f.Path && x.Provider == f.Provider }) {
		at.left = append(at.left, f)
	}
}

// leftOut says why the host wants a place left out, "" if it does not.
func leftOut(o *Options, p *provider, at *place) string {
	switch {
	case slices.Contains(o.Exclude, p.id):
		return "left out by discovery.exclude"
	case o.Include != nil && !slices.Contains(o.Include, p.id) && !at.named:
		return "not among those of discovery.include"
	case !o.ProjectConfig && (at.level == Project || at.personal):
		return "left out by discovery.projectConfig"
	}
	return ""
}

// realHome is the home directory without symbolic links, "" when there is none.
func realHome(ctx context.Context, home string) string {
	if !filepath.IsAbs(home) {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, homeLimit)
	defer cancel()
	real, err := await(ctx, func() (string, error) { return resolved(home), nil })
	if err != nil {
		return filepath.Clean(home)
	}
	return real
}

// discovery gathers what the places give, in the order of the table.
type discovery struct {
	site  *site
	files map[string]*loaded
	// claimed says who reads a file, by its path without symbolic links: a
	// project file is read once, however many rows and links lead to it.
	claimed map[string]claim
	broken  map[string]bool // files, by path, whose problem is reported

	report   report
	entries  []*Entry
	parts    map[*Entry]bool // those of entries that are parts: see definition
	switches []rule
	seen     []File
}

// claim is the first reader of a file. A row may read it in parts, under one
// path.
type claim struct {
	provider string
	path     string
}

// unlocatedFiles reports those of discovery.files and ownFiles that are nowhere.
func (d *discovery) unlocatedFiles() {
	o := &d.site.opts
	for _, file := range slices.Concat(o.Files, o.OwnFiles) {
		if _, ok := absolute(file, o.Home, o.Cwd); !ok {
			d.report.diagnostics = append(d.report.diagnostics, Diagnostic{
				Path: file, Message: "there is no home directory: not read", Fix: "give the absolute path of the file",
			})
		}
	}
}

// claimUserFiles keeps the user's files from being read as a project's too.
func (d *discovery) claimUserFiles(places []place) {
	for _, p := range places {
		if f := d.files[p.path]; p.level == User && f.real != "" {
			d.claimed[f.real] = claim{path: p.path}
		}
	}
}

func (d *discovery) readRow(r row) {
	defer d.sayNothingOfOwn(r.provider.id, len(d.report.diagnostics))
	if r.provider.id == sidecarID {
		d.unlocatedFiles()
	}
	var found []definition
	for _, at := range r.places {
		found = append(found, d.read(&r.provider, at)...)
	}
	if r.provider.merge != nil {
		found = combined(found, r.provider.merge)
	}
	for _, def := range found {
		if e := d.report.decode(&r.provider, def); e != nil {
			d.entries = append(d.entries, e)
			if def.part {
				d.parts[e] = true
			}
		}
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
			if holder.path != at.path {
				d.note(p, at, FileSkipped, "the same file as "+holder.path, nil)
			}
			return nil
		}
		d.claimed[f.real] = mine
	}
	if at.level == Project && f.foreign {
		const why = "belongs to another user: not read"
		d.note(p, at, FileSkipped, why, nil)
		d.report.diagnostics = append(d.report.diagnostics, Diagnostic{
			Path: at.path, Warning: true, Message: why, Fix: "if you trust what is in it, make it a file of your own (chown)",
		})
		return nil
	}
	if f.problem != nil && !d.broken[at.path] {
		d.broken[at.path] = true
		d.report.diagnostics = append(d.report.diagnostics, *f.problem)
	}
	var found []definition
	if f.root != nil {
		found = d.readTree(p, at, f.root)
	}
	why := ""
	if f.problem != nil {
		why = f.problem.Message
	}
	d.note(p, at, f.state, why, found)
	return found
}

// readTree lets the place's reader have the file.
func (d *discovery) readTree(p *provider, at place, root *node) []definition {
	r := &reading{report: &d.report, site: d.site, provider: p, place: at, root: root}
	at.read(r)
	for _, rule := range r.switches {
		rule.path = at.path
		d.switches = append(d.switches, rule)
	}
	return r.found
}

// note records a file as looked at. What a row reads in parts is one file, and
// one that is not there is told of once.
func (d *discovery) note(p *provider, at place, state FileState, why string, found []definition) {
	var names []string
	for _, def := range found {
		names = append(names, def.name)
	}
	for i := range d.seen {
		if f := &d.seen[i]; f.Path == at.path && (f.Provider == p.id || state == FileAbsent) {
			f.Entries = append(f.Entries, names...)
			return
		}
	}
	d.seen = append(d.seen, File{
		Path: at.path, Provider: p.id, ProviderName: p.name, Level: at.level, State: state, Why: why, Entries: names,
	})
}

func (d *discovery) result() Result {
	o := &d.site.opts
	switchServers(d.entries, d.switches)
	x := Expander{Getenv: o.Getenv, Home: o.Home, Folder: o.Cwd}
	names := firstOfName(d.site.withoutOwn(withoutSelf(d.entries), x), d.parts, o.Denied, x)
	winners := names.winners
	var keys []string
	if o.FilterExa {
		winners, keys = withoutExa(winners, o.Getenv)
	}
	winners = mergeAliases(winners, o.Waits, x)

	result := Result{
		Diagnostics: d.report.diagnostics, ExaKeys: keys, Files: d.seen, Lost: names.lost,
		good: make(map[string]loaded),
	}
	for _, e := range winners {
		result.Entries = append(result.Entries, *e)
	}
	for _, e := range names.denied {
		result.Denied = append(result.Denied, *e)
	}
	for path, f := range d.files {
		if f.text != nil {
			result.good[path] = loaded{real: f.real, foreign: f.foreign, text: f.text}
		}
	}
	return result
}
