package runtime

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/watch"
)

// candidate is one server that discovery found, with what the cache has of it.
type candidate struct {
	desired
	err    *rpc.ServerError // why it rests, if something is wrong
	lacks  *rpc.ServerError // the inputs that it needs and has not been given
	key    toolcache.Key
	inputs map[string]string
	cached *toolList // nil for none
	intro  introduction
	era    transport.Era
}

// discovered is the outcome of one discovery.
type discovered struct {
	result     config.Result
	candidates map[string]candidate
	book       trust.Book
	watched    watched
	secrets    []string // that entries refer to or hold
}

// discover starts a discovery in the background. One runs at a time: what is
// asked for meanwhile is one more when it ends, and its outcome is dropped.
func (m *Manager) discover() {
	if m.searching {
		m.again = true
		return
	}
	m.searching = true
	s := m.newSearcher()
	m.children.Go(func() { // ends when the files are read, or with m.ctx
		var d discovered
		if err := guarded(m.log, "discovery", func() error { d = s.search(m.ctx); return nil }); err != nil {
			d = discovered{result: config.Result{Hard: err}}
		}
		m.inbox.post(d)
	})
}

func (m *Manager) discoveryEnded(d discovered) {
	m.searching = false
	if m.stopping != nil {
		return
	}
	if m.again {
		m.again = false
		m.discover()
		return
	}
	m.carrying = true
	defer m.carriedOut()
	m.redact.add(d.secrets...) // before any server can tell them
	m.watchFiles(d.watched, d.result.Hard == nil)
	if d.result.Hard != nil && !m.full {
		// What runs is kept; the error says that it may be out of date.
		m.found.Hard = d.result.Hard
		m.publish(nil, m.round.reason)
		return
	}
	m.full, m.found, m.book = false, d.result, d.book
	want := make(map[string]desired, len(d.candidates))
	for name, c := range d.candidates {
		switch {
		case c.rest != rpc.PhaseDisabled:
			delete(m.byHand, name) // to switch it off again is the later wish
		case m.byHand[name] && !c.waits && c.entry.Invalid == "":
			if c.rest = ""; c.lacks != nil {
				c.rest, c.err = rpc.PhaseNeedsInput, c.lacks
			}
			d.candidates[name] = c
		}
		want[name] = c.desired
	}
	have := make(map[string]running, len(m.members))
	for name, mem := range m.members {
		have[name] = running{desired: mem.desired, stopped: mem.rec.Phase == rpc.PhaseStopped, over: mem.over}
	}
	m.carryOut(reconcile(want, have), d.candidates)
}

// carriedOut is what follows a discovery, whatever came of it.
func (m *Manager) carriedOut() {
	m.carrying = false
	m.askUser() // before anybody hears of the end: see Answered
	m.checkGate()
	for _, done := range m.carried {
		close(done)
	}
	m.carried = nil
}

// searcher is what a discovery needs, so that it touches nothing of the loop.
type searcher struct {
	set     settings
	opt     config.Options
	expand  config.Expander
	cache   *toolcache.Cache // nil for none
	ledger  *trust.Store     // nil for none
	consent consent
	asks    bool // the host can ask for inputs
	watch   bool // changes are to be noticed
	nested  bool
	chosen  func(server string) bool // nil for all
	idle    bool                     // none is connected
	started time.Time
}

func (m *Manager) newSearcher() *searcher {
	s := newSearcher(&m.opt, m.params, m.set)
	s.consent = m.consent
	if !m.full {
		found := m.found
		s.opt.Previous = &found
	}
	return s
}

func newSearcher(o *Options, p *rpc.InitializeParams, set settings) *searcher {
	d := set.discovery
	s := &searcher{
		set: set, nested: o.Nested, chosen: o.Chosen, idle: o.idle(), started: time.Now(),
		ledger: o.Trust, asks: asksForInputs(p), watch: o.watches(set),
		opt: config.Options{
			Cwd: p.Cwd, Folders: foldersOf(p), Home: o.Home, Getenv: o.Getenv,
			Servers:       set.servers,
			ProjectConfig: orTrue(d.ProjectConfig),
			Include:       d.Include,
			Exclude:       d.Exclude,
			Own:           d.Own,
			OwnFiles:      d.OwnFiles,
			Files:         d.Files,
			FilterExa:     orTrue(d.FilterExa),
		},
		expand: o.expander(p.Cwd),
	}
	if o.Nested {
		s.opt.Include, s.opt.Files, s.opt.OwnFiles = []string{config.HostID}, nil, nil
	}
	if set.cache {
		s.cache = o.Cache
	}
	return s
}

func (o *Options) idle() bool { return o.Idle != nil && o.Idle() }

// expander expands variables and files, and runs nothing.
func (o *Options) expander(cwd string) config.Expander {
	return config.Expander{Getenv: o.Getenv, Home: o.Home, Folder: cwd}
}

// foldersOf gives the workspace folders as paths; those that are not file: URIs
// have no files to read.
func foldersOf(p *rpc.InitializeParams) []string {
	var paths []string
	for _, f := range p.WorkspaceFolders {
		if u, err := url.Parse(f.URI); err == nil && u.Scheme == "file" {
			paths = append(paths, filepath.FromSlash(u.Path))
		}
	}
	if len(paths) == 0 {
		return []string{p.Cwd}
	}
	return paths
}

// search reads the configuration, and what the cache has of every server.
func (s *searcher) search(ctx context.Context) discovered {
	if !s.set.enabled {
		return discovered{candidates: map[string]candidate{}}
	}
	d := discovered{candidates: map[string]candidate{}}
	var unread error
	book := sync.OnceValue(func() trust.Book { // read only if there is something to decide
		if s.ledger != nil {
			d.book, unread = s.ledger.Load(ctx) // empty with an error: nothing is trusted
		}
		return d.book
	})
	s.opt.Denied = func(e *config.Entry) bool {
		return e.NeedsTrust() && (s.consent.decided(e, book()) == rpc.DecideDeny || s.set.trust == rpc.TrustDeny)
	}
	s.opt.Waits = func(e *config.Entry) bool { return s.waits(e, book()) }
	d.watched.paths = s.alwaysWatched()
	if s.watch {
		s.opt.Before = func(all []config.Dependency) {
			for _, one := range all {
				d.watched.paths = append(d.watched.paths, watch.Path{Path: one.Path, Pattern: one.Pattern})
			}
			d.watched.taken = watch.Take(ctx, d.watched.paths)
		}
	}
	d.result = config.Discover(ctx, s.opt)
	if unread != nil {
		d.result.Diagnostics = append(d.result.Diagnostics, config.Diagnostic{Path: s.ledger.Path(), Message: unread.Error()})
	}
	if s.nested {
		d.result.Diagnostics = append(d.result.Diagnostics, config.Diagnostic{
			Path: "mcp-sidecar", Warning: true,
			Message: "started beneath another mcp-sidecar: configuration files are not read, so that it does not start itself",
			Fix:     "use the servers of the one that is above",
		})
	}
	for i := range d.result.Entries {
		e := &d.result.Entries[i]
		c := s.candidate(e, d.book)
		d.candidates[e.Name] = c
		d.secrets = append(d.secrets, e.Foreseen(s.expand.Getenv, !c.waits)...)
	}
	for i := range d.result.Denied {
		d.secrets = append(d.secrets, d.result.Denied[i].Foreseen(s.expand.Getenv, false)...)
	}
	return d
}

// alwaysWatched are paths on which a discovery depends that finds nothing.
func (s *searcher) alwaysWatched() []watch.Path {
	paths := []watch.Path{{Path: s.opt.Cwd}}
	if s.ledger != nil {
		paths = append(paths, watch.Path{Path: s.ledger.Path()})
	}
	return paths
}

// waits says whether the user has yet to trust an entry, which could be started.
func (s *searcher) waits(e *config.Entry, book trust.Book) bool {
	return s.set.trust == rpc.TrustAsk && e.NeedsTrust() && e.Invalid == "" && s.consent.decided(e, book) != rpc.DecideAllow
}

func (s *searcher) candidate(e *config.Entry, book trust.Book) candidate {
	c := candidate{desired: desired{entry: e, waits: s.waits(e, book)}}
	var missing []config.Input
	c.inputs, missing = s.consent.inputs(e)
	if len(missing) > 0 {
		c.lacks = needsInput(e.Name, missing, s.asks)
	}
	switch {
	case e.Disabled || s.set.serverOff(e.Name):
		c.rest = rpc.PhaseDisabled
	case e.Invalid != "":
		c.rest = rpc.PhaseInvalid
		c.err = &rpc.ServerError{Code: "config", Stage: rpc.StageConfig, Message: e.Invalid}
	case c.waits:
		c.rest = rpc.PhaseUntrusted
		c.err = untrusted(e)
	case c.lacks != nil:
		c.rest, c.err = rpc.PhaseNeedsInput, c.lacks
	case s.idle || s.chosen != nil && !s.chosen(e.Name):
		c.rest = rpc.PhaseStopped
	}
	if e.Invalid != "" || c.waits {
		return c // not even its cached tools are looked at
	}
	c.key = toolcache.NewKey(e.Name, e.Identity(s.expand))
	if s.cache == nil {
		return c
	}
	if l, ok := s.cache.Load(c.key, s.set.maxAge, s.started); ok {
		defs, _ := parseTools(l.Tools) // its oddities were reported when it was listed
		c.cached = &toolList{defs: defs, time: l.Time}
		c.intro = introduction{
			protocolVersion: l.ProtocolVersion, serverInfo: l.ServerInfo,
			instructions: l.Instructions, kind: rpc.TransportKind(e.Kind),
		}
		c.era = transport.Era(l.Era)
	}
	return c
}

// validRoots says what is wrong with the roots a host named.
func validRoots(p *rpc.InitializeParams) error {
	if p.Cwd == "" {
		return rpc.ErrInvalidParams("cwd", "it is missing; give the absolute path of the project")
	}
	if !filepath.IsAbs(p.Cwd) {
		return rpc.ErrInvalidParams("cwd", `"`+p.Cwd+`" is not an absolute path`)
	}
	return validFolders(p.WorkspaceFolders)
}

func validFolders(folders []rpc.WorkspaceFolder) error {
	for _, f := range folders {
		u, err := url.Parse(f.URI)
		if err != nil || u.Scheme == "" || u.Scheme == "file" && !strings.HasPrefix(u.Path, "/") {
			return rpc.ErrInvalidParams("workspaceFolders", `"`+f.URI+`" is not an absolute URI such as file:///home/me/project`)
		}
	}
	return nil
}
