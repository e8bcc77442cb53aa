package runtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// Doctor implements rpc.Sidecar.
func (c *Client) Doctor(ctx context.Context, p *rpc.DoctorParams) (*rpc.DoctorReport, error) {
	v, err := c.m.viewWhen(ctx, (*view).found)
	if err != nil {
		return nil, err
	}
	if _, ok := v.servers[p.Server]; p.Server != "" && !ok {
		return nil, v.noSuchServer(p.Server)
	}
	ex, err := c.m.examine()
	if err != nil {
		return nil, err
	}
	report := ex.report(ctx, p.Server)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if p.Server != "" {
		report = reportOn(report, p.Server)
	}
	return report, nil
}

// examination is what the Manager knows at one moment: a copy, so that looking
// at files for it holds up nobody.
type examination struct {
	opt     *Options
	reach   Reach
	log     *slog.Logger
	clean   func(string) string
	cwd     string
	set     settings
	found   config.Result
	unknown []rpc.Diagnostic
	snap    *rpc.Snapshot
	servers []examined // sorted by name
}

// examined is one server of it.
type examined struct {
	entry    *config.Entry
	rec      rpc.Server
	waits    bool // for the user's trust
	key      toolcache.Key
	warnings []string // what could not be expanded
	issues   []string // what is odd about its tools
	filtered string   // that none of them is left, or ""
}

// examine takes the copy.
func (m *Manager) examine() (*examination, error) {
	var ex *examination
	err := m.do(func() {
		if m.params == nil {
			return
		}
		ex = &examination{
			opt: &m.opt, reach: m.reach, log: m.log, clean: m.redact.clean, cwd: m.params.Cwd, set: m.set,
			found: m.found, unknown: m.unknown, snap: m.view.Load().snap,
		}
		for _, rec := range ex.snap.Servers {
			mem := m.members[rec.Name]
			if mem == nil {
				continue
			}
			x := examined{entry: mem.entry, rec: rec, waits: mem.waits, key: mem.key, warnings: mem.warnings, filtered: mem.filteredAway()}
			if mem.tools != nil {
				x.issues = mem.tools.issues
			}
			ex.servers = append(ex.servers, x)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case ex == nil:
		return nil, errNotOpen
	}
	return ex, nil
}

// report is on all servers, with what the entry of only, or of all if that is "",
// needs from elsewhere.
func (ex *examination) report(ctx context.Context, only string) *rpc.DoctorReport {
	out := &rpc.DoctorReport{
		Sidecar: rpc.SidecarInfo{Name: ex.opt.Name, Version: ex.opt.Version}, Cwd: ex.cwd,
		Files: filesOf(&ex.found), Servers: make([]rpc.DoctorServer, 0, len(ex.servers)),
		Errors: ex.snap.Errors,
	}
	for i := range ex.servers {
		out.Servers = append(out.Servers, ex.server(&ex.servers[i]))
	}
	ex.look(ctx, only, out.Servers)
	out.Findings = ex.findings(out.Servers)
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Message, f.Fix = ex.clean(f.Message), ex.clean(f.Fix)
	}
	out.Healthy = healthy(out.Findings)
	return out
}

// server is what is known of one server.
func (ex *examination) server(x *examined) rpc.DoctorServer {
	e := x.entry
	out := writtenOf(e, &ex.found, ex.opt.Getenv)
	if ex.set.serverOff(e.Name) {
		out.OffIn = "settings.disabled"
	}
	out.Server = x.rec
	if out.Written = cleanJSON(out.Written, ex.clean); out.Written == nil {
		out.Written = json.RawMessage("null")
	}
	for i, command := range out.Commands {
		out.Commands[i] = ex.clean(command)
	}
	out.Cache = ex.cached(x)
	return out
}

// look looks for what entries name: that of only, or all if that is "". It takes
// at most examineLimit, and looks for that of all servers at once: some of it may
// be where nothing answers. servers are those of ex, in its order.
func (ex *examination) look(ctx context.Context, only string, servers []rpc.DoctorServer) {
	ctx, cancel := context.WithTimeout(ctx, examineLimit)
	defer cancel()
	var looking sync.WaitGroup
	for i, x := range ex.servers {
		if x.waits || x.entry.Invalid != "" || only != "" && only != x.entry.Name {
			continue
		}
		looking.Go(func() { // ends soon after ctx
			defer recovered(ex.log, "the examination of a server")
			ex.lookFor(ctx, x.entry, &servers[i])
		})
	}
	looking.Wait()
}

// lookFor looks for the files and the command of one entry. It starts nothing.
func (ex *examination) lookFor(ctx context.Context, e *config.Entry, out *rpc.DoctorServer) {
	for i, file := range e.Uses().Files { // in the order of EnvFiles
		out.EnvFiles[i].Readable = e.CanRead(ctx, ex.opt.expander(ex.cwd), file)
	}
	if e.Kind == string(transport.Stdio) {
		out.Search = ex.search(ctx, e)
	}
}

// search says where the entry's command is; nil when that cannot be known.
func (ex *examination) search(ctx context.Context, e *config.Entry) *rpc.CommandSearch {
	alone := *e
	alone.NeedsInput, alone.EnvFile = nil, ""
	x, err := alone.Expand(ctx, ex.opt.expander(ex.cwd))
	if err != nil {
		return nil
	}
	dir := x.Cwd
	if dir == "" {
		dir = e.RunsIn(ex.cwd)
	}
	at, err := ex.reach.Locate(ctx, transport.Spec{
		Name: e.Name, Kind: transport.Stdio, Command: x.Command,
		Env: childEnv(ex.opt.Environ(), x, ex.opt.Mark), Dir: dir,
	})
	if err != nil {
		return nil
	}
	return &rpc.CommandSearch{
		Command: ex.clean(config.ShownText(e.Command)), Found: ex.clean(at.Found), Path: at.Searched, LoginShell: at.LoginShell,
	}
}

// cached is what the cache has of a server now.
func (ex *examination) cached(x *examined) rpc.CacheEntry {
	switch {
	case x.waits || x.entry.Invalid != "":
		return rpc.CacheEntry{State: rpc.CacheUnused}
	case !ex.set.cache || ex.opt.Cache == nil:
		return rpc.CacheEntry{State: rpc.CacheOff}
	}
	l, ok := ex.opt.Cache.Load(x.key, ex.set.maxAge, time.Now())
	if !ok {
		return rpc.CacheEntry{State: rpc.CacheMiss}
	}
	return rpc.CacheEntry{State: rpc.CacheHit, CachedAt: l.Time.UTC().Format(time.RFC3339), Tools: len(l.Tools)}
}

// reportOn is what of a report concerns one server.
func reportOn(all *rpc.DoctorReport, server string) *rpc.DoctorReport {
	out := *all
	defined := func(d rpc.Definition) bool {
		return d.Name == server || d.State == rpc.DefinitionAlias && d.By == server
	}
	out.Files = kept(all.Files, func(f rpc.DoctorFile) bool { return slices.ContainsFunc(f.Servers, defined) })
	out.Servers = kept(all.Servers, func(s rpc.DoctorServer) bool { return s.Server.Name == server })
	out.Findings = kept(all.Findings, func(f rpc.Finding) bool { return f.Server == server })
	out.Errors = kept(all.Errors, func(d rpc.Diagnostic) bool { return d.Server == server })
	out.Healthy = healthy(out.Findings)
	return &out
}

func kept[T any](all []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !keep(x) })
}

func healthy(findings []rpc.Finding) bool {
	return !slices.ContainsFunc(findings, func(f rpc.Finding) bool { return f.Severity == rpc.SeverityError })
}
