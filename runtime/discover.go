package runtime

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// candidate is one server that discovery found, with what the cache has of it.
type candidate struct {
	desired
	err    *rpc.ServerError // why it rests, if something is wrong
	key    toolcache.Key
	cached *toolList // nil for none
	intro  introduction
	era    transport.Era
}

// discovered is the outcome of one discovery.
type discovered struct {
	result     config.Result
	candidates map[string]candidate
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
	if d.result.Hard != nil && !m.full {
		// What runs is kept; the error says that it may be out of date.
		m.found.Hard = d.result.Hard
		m.publish(nil, m.round.reason)
		m.checkGate()
		return
	}
	m.full, m.found = false, d.result
	want := make(map[string]desired, len(d.candidates))
	for name, c := range d.candidates {
		if c.rest == rpc.PhaseDisabled && m.byHand[name] {
			c.rest = ""
			d.candidates[name] = c
		}
		want[name] = c.desired
	}
	have := make(map[string]running, len(m.members))
	for name, mem := range m.members {
		have[name] = running{desired: mem.desired, stopped: mem.rec.Phase == rpc.PhaseStopped, over: mem.over}
	}
	m.carryOut(reconcile(want, have), d.candidates)
	m.checkGate()
}

// searcher is what a discovery needs, so that it touches nothing of the loop.
type searcher struct {
	set     settings
	opt     config.Options
	expand  config.Expander
	cache   *toolcache.Cache // nil for none
	ask     bool             // project servers wait for approval
	nested  bool
	only    string // "" for all
	started time.Time
}

func (m *Manager) newSearcher() *searcher {
	p, d := m.params, m.set.discovery
	s := &searcher{
		set: m.set, nested: m.opt.Nested, only: m.opt.Only, started: time.Now(),
		ask: m.set.trust == rpc.TrustAsk,
		opt: config.Options{
			Cwd: p.Cwd, Folders: foldersOf(p), Home: m.opt.Home, Getenv: m.opt.Getenv,
			Servers:       m.set.servers,
			ProjectConfig: orTrue(d.ProjectConfig),
			Include:       d.Include,
			Exclude:       d.Exclude,
			Files:         d.Files,
			FilterExa:     orTrue(d.FilterExa),
		},
		expand: config.Expander{Getenv: m.opt.Getenv, Home: m.opt.Home, Folder: p.Cwd},
	}
	if m.set.trust == rpc.TrustDeny {
		s.opt.Denied = (*config.Entry).NeedsTrust
	}
	if !m.full {
		found := m.found
		s.opt.Previous = &found
	}
	if m.opt.Nested {
		s.opt.Include, s.opt.Files = []string{config.HostID}, nil
	}
	if m.set.cache {
		s.cache = m.opt.Cache
	}
	return s
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
	d := discovered{result: config.Discover(ctx, s.opt), candidates: map[string]candidate{}}
	if s.nested {
		d.result.Diagnostics = append(d.result.Diagnostics, config.Diagnostic{
			Path: "mcp-sidecar", Warning: true,
			Message: "started beneath another mcp-sidecar: configuration files are not read, so that it does not start itself",
		})
	}
	for i := range d.result.Entries {
		e := &d.result.Entries[i]
		d.candidates[e.Name] = s.candidate(e)
	}
	return d
}

func (s *searcher) candidate(e *config.Entry) candidate {
	c := candidate{desired: desired{entry: e}}
	switch {
	case e.Disabled || s.set.serverOff(e.Name):
		c.rest = rpc.PhaseDisabled
	case e.Invalid != "":
		c.rest = rpc.PhaseInvalid
		c.err = &rpc.ServerError{Code: "config", Stage: rpc.StageConfig, Message: e.Invalid}
	case s.ask && e.NeedsTrust():
		c.rest = rpc.PhaseUntrusted
		return c // not even its cached tools are looked at
	case len(e.NeedsInput) > 0:
		c.rest = rpc.PhaseNeedsInput
		c.err = needsInput(e.Name, e.NeedsInput)
	case s.only != "" && s.only != e.Name:
		c.rest = rpc.PhaseStopped
	}
	if e.Invalid != "" {
		return c
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
