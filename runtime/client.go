package runtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// Client is one host connection: what that host may ask.
type Client struct {
	m    *Manager
	host Listener
	id   int // set by Join; calls take turns by it
}

var (
	_ rpc.Sidecar = (*Client)(nil)
	_ rpc.Sharing = (*Client)(nil)
)

// Initialize implements rpc.Sidecar.
func (c *Client) Initialize(_ context.Context, p *rpc.InitializeParams) (rpc.Pending[rpc.InitializeResult], error) {
	if err := validRoots(p); err != nil {
		return nil, err
	}
	if err := validSettings(p.Settings); err != nil {
		return nil, err
	}
	var wait <-chan struct{}
	if err := c.m.do(func() { wait = c.m.begin(p) }); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (rpc.Answer[rpc.InitializeResult], error) {
		if err := c.m.await(ctx, wait); err != nil {
			_ = c.m.do(func() { c.m.first = false }) // revisions count from here on, if there are any
			return nil, err
		}
		return func(view *rpc.Snapshot) *rpc.InitializeResult {
			return c.m.introduced(rpc.Methods(c), view)
		}, nil
	}, nil
}

// introduced is the answer to initialize.
func (m *Manager) introduced(methods []string, view *rpc.Snapshot) *rpc.InitializeResult {
	return &rpc.InitializeResult{
		ProtocolVersion: rpc.ProtocolVersion,
		Sidecar:         rpc.SidecarInfo{Name: m.opt.Name, Version: m.opt.Version},
		Methods:         methods,
		Snapshot:        view,
	}
}

func validSettings(s *rpc.Settings) error {
	if wrong := validate(s); wrong != "" {
		return rpc.ErrInvalidParams("settings", wrong)
	}
	return nil
}

// errNotOpen is for a client that asks before the owner has initialized.
var errNotOpen = &rpc.Error{Code: rpc.CodeNotInitialized, Message: "the session has not been initialized"}

// nextView waits for the view after v.
func (m *Manager) nextView(ctx context.Context, v *view) error { return m.await(ctx, v.superseded) }

// viewWhen waits for a view that will do.
func (m *Manager) viewWhen(ctx context.Context, does func(*view) bool) (*view, error) {
	for {
		v := m.view.Load()
		if does(v) {
			return v, nil
		}
		if err := m.nextView(ctx, v); err != nil {
			return nil, err
		}
	}
}

// known waits, while a discovery is under way, until the servers are known, and
// says which one is not.
func (m *Manager) known(ctx context.Context, servers ...string) error {
	missing := -1
	v, err := m.viewWhen(ctx, func(v *view) bool {
		missing = slices.IndexFunc(servers, func(s string) bool { _, ok := v.servers[s]; return !ok })
		return missing < 0 || !v.searching
	})
	if err == nil && missing >= 0 {
		err = v.noSuchServer(servers[missing])
	}
	return err
}

// await waits for something the loop closes.
func (m *Manager) await(ctx context.Context, wait <-chan struct{}) error {
	select {
	case <-wait:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.ctx.Done():
		return rpc.ErrShuttingDown()
	}
}

// Configure implements rpc.Sidecar.
func (c *Client) Configure(_ context.Context, p *rpc.ConfigureParams) (rpc.Pending[rpc.SnapshotResult], error) {
	if err := validSettings(p.Settings); err != nil {
		return nil, err
	}
	if err := validFolders(p.WorkspaceFolders); err != nil {
		return nil, err
	}
	return c.round(func() <-chan struct{} { return c.m.configure(p) })
}

// Reload implements rpc.Sidecar.
func (c *Client) Reload(_ context.Context, p *rpc.ReloadParams) (rpc.Pending[rpc.SnapshotResult], error) {
	if wrong := oneOf("mode", p.Mode, rpc.ReloadFull, rpc.ReloadChanged); wrong != "" {
		return nil, rpc.ErrInvalidParams("mode", wrong)
	}
	return c.round(func() <-chan struct{} { return c.m.reload(p.Mode) })
}

func (c *Client) round(start func() <-chan struct{}) (rpc.Pending[rpc.SnapshotResult], error) {
	var wait <-chan struct{}
	open := false
	err := c.m.do(func() {
		if open = c.m.params != nil; open {
			wait = start()
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !open:
		return nil, errNotOpen
	}
	return func(ctx context.Context) (rpc.Answer[rpc.SnapshotResult], error) {
		if err := c.m.await(ctx, wait); err != nil {
			return nil, err
		}
		return func(view *rpc.Snapshot) *rpc.SnapshotResult { return &rpc.SnapshotResult{Snapshot: view} }, nil
	}, nil
}

// Shutdown implements rpc.Sidecar.
func (c *Client) Shutdown(context.Context, *rpc.ShutdownParams) (rpc.Pending[rpc.ShutdownResult], error) {
	stopped := c.m.shutdown()
	return func(ctx context.Context) (rpc.Answer[rpc.ShutdownResult], error) {
		if stopped != nil {
			select {
			case <-stopped:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return func(*rpc.Snapshot) *rpc.ShutdownResult { return &rpc.ShutdownResult{} }, nil
	}, nil
}

// Snapshot implements rpc.Sidecar.
func (c *Client) Snapshot(_ context.Context, p *rpc.SnapshotParams) (rpc.Answer[rpc.SnapshotAnswer], error) {
	return func(v *rpc.Snapshot) *rpc.SnapshotAnswer {
		if p.IfRevision != 0 && p.IfRevision == v.Revision {
			return &rpc.SnapshotAnswer{Revision: v.Revision, Unchanged: true}
		}
		return &rpc.SnapshotAnswer{
			Revision: v.Revision, Hash: v.Hash, Tools: v.Tools, Servers: v.Servers,
			Errors: v.Errors, ExaAPIKeys: v.ExaAPIKeys,
		}
	}, nil
}

// Servers implements rpc.Sidecar.
func (c *Client) Servers(context.Context, *rpc.ServersParams) (rpc.Answer[rpc.ServersResult], error) {
	return func(v *rpc.Snapshot) *rpc.ServersResult { return &rpc.ServersResult{Servers: v.Servers} }, nil
}

// Search implements rpc.Sidecar.
func (c *Client) Search(_ context.Context, p *rpc.SearchParams) (*rpc.SearchResult, error) {
	if p.Limit < 0 {
		return nil, rpc.ErrInvalidParams("limit", "it is negative")
	}
	limit := p.Limit
	if limit == 0 {
		limit = searchLimit
	}
	return &rpc.SearchResult{Tools: c.m.view.Load().catalog.search(p.Query, limit)}, nil
}

// Connect implements rpc.Sidecar.
func (c *Client) Connect(ctx context.Context, p *rpc.ConnectParams) (rpc.Answer[rpc.Server], error) {
	ack := make(chan struct{})
	return c.ask(ctx, p.Server, ack, func(mem *member) error {
		if mem.waits { // also a disabled one
			return rpc.ErrUntrusted(p.Server)
		}
		if mem.rest == rpc.PhaseNeedsInput {
			c.m.consent = c.m.consent.retrying(mem.entry)
			c.m.askUser()
		}
		if mem.entry.Invalid != "" || mem.rest == rpc.PhaseNeedsInput {
			close(ack) // an attempt would change nothing
			return nil
		}
		if mem.rest == rpc.PhaseDisabled {
			c.m.byHand[p.Server] = true
			if _, missing := c.m.consent.inputs(mem.entry); len(missing) > 0 {
				c.m.consent = c.m.consent.retrying(mem.entry)
				c.m.rediscover() // it needs input now
				c.m.carried = append(c.m.carried, ack)
				return nil
			}
			mem.rest = ""
		}
		if p.Restart {
			c.m.hurry(p.Server)
		}
		mem.tell(msgConnect{restart: p.Restart, ack: ack})
		return nil
	})
}

// Disconnect implements rpc.Sidecar.
func (c *Client) Disconnect(ctx context.Context, p *rpc.DisconnectParams) (rpc.Answer[rpc.Server], error) {
	ack := make(chan struct{})
	return c.ask(ctx, p.Server, ack, func(mem *member) error {
		if mem.rest != "" {
			close(ack) // nothing runs
			return nil
		}
		delete(c.m.byHand, p.Server)
		c.m.hurry(p.Server)
		mem.tell(msgStop{ack})
		return nil
	})
}

// ask has the loop tell one server something, waits for ack, and answers with
// the server's record.
func (c *Client) ask(ctx context.Context, server string, ack <-chan struct{}, tell func(*member) error) (rpc.Answer[rpc.Server], error) {
	if err := c.m.known(ctx, server); err != nil {
		return nil, err
	}
	var last rpc.Server
	var refused error
	err := c.m.do(func() {
		if mem := c.m.members[server]; mem != nil {
			last = removed(mem)
			refused = tell(mem)
		} else {
			refused = c.m.view.Load().noSuchServer(server)
		}
	})
	if err = cmp.Or(err, refused); err == nil {
		err = c.m.await(ctx, ack)
	}
	if err != nil {
		return nil, err
	}
	return func(v *rpc.Snapshot) *rpc.Server {
		if r, ok := record(v, server); ok {
			return &r
		}
		return &last // it left the configuration meanwhile
	}, nil
}

// Wait implements rpc.Sidecar.
func (c *Client) Wait(ctx context.Context, p *rpc.WaitParams) (rpc.Answer[rpc.WaitResult], error) {
	if err := c.m.known(ctx, p.Servers...); err != nil {
		return nil, err
	}
	limit := defaultWait
	if p.TimeoutMs != nil {
		limit = milliseconds(max(*p.TimeoutMs, 0))
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := c.m.watch(within, func(v *rpc.Snapshot) bool { return len(sortServers(v, p.Servers).Pending) == 0 }); err != nil && within.Err() == nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return func(v *rpc.Snapshot) *rpc.WaitResult { return sortServers(v, p.Servers) }, nil
}

// sortServers says how the named servers, or all, are doing.
func sortServers(v *rpc.Snapshot, names []string) *rpc.WaitResult {
	out := &rpc.WaitResult{Connected: []string{}, Pending: []string{}, Failed: []rpc.WaitFailed{}}
	for _, r := range v.Servers {
		switch {
		case len(names) > 0 && !slices.Contains(names, r.Name):
		case r.Status == rpc.StatusConnected:
			out.Connected = append(out.Connected, r.Name)
		case pending(r):
			out.Pending = append(out.Pending, r.Name)
		default:
			out.Failed = append(out.Failed, rpc.WaitFailed{Server: r.Name, Error: failureOf(r)})
		}
	}
	return out
}

// failureOf is why a server is neither connected nor pending.
func failureOf(r rpc.Server) *rpc.ServerError {
	if r.Error != nil {
		return r.Error
	}
	return (&refusal{phase: r.Phase}).cause(r.Name)
}

// watch waits until a view meets a condition.
func (m *Manager) watch(ctx context.Context, met func(*rpc.Snapshot) bool) error {
	w := &watcher{met: met, done: make(chan struct{})}
	err := m.do(func() {
		if met(m.view.Load().snap) {
			close(w.done)
			return
		}
		m.watchers[w] = struct{}{}
	})
	if err != nil {
		return err
	}
	if err = m.await(ctx, w.done); err != nil {
		_ = m.do(func() { delete(m.watchers, w) }) // or all of it is gone
	}
	return err
}

// Logs implements rpc.Sidecar.
func (c *Client) Logs(ctx context.Context, p *rpc.LogsParams) (*rpc.LogsResult, error) {
	if err := c.m.known(ctx, p.Server); err != nil {
		return nil, err
	}
	h, ok := c.m.view.Load().servers[p.Server]
	if !ok {
		return nil, c.m.view.Load().noSuchServer(p.Server)
	}
	if p.Lines < 0 {
		return nil, rpc.ErrInvalidParams("lines", "it is negative")
	}
	if p.After < 0 {
		return nil, rpc.ErrInvalidParams("after", "it is negative")
	}
	n := p.Lines
	if n == 0 {
		n = logLines
	}
	return &rpc.LogsResult{Lines: h.srv.ring.lines(n, p.After), Noise: h.srv.ring.noiseSeen()}, nil
}

// watchHost has Options.HostGone called when the host's process has ended. Its
// goroutine ends then, or with the Manager.
func (m *Manager) watchHost(pid int) {
	if pid == 0 || m.opt.HostGone == nil {
		return
	}
	if !transport.ProcessExists(pid) {
		m.log.Warn("the host's process is not there; its end will not be noticed", "processId", pid)
		return
	}
	m.children.Go(func() {
		tick := time.NewTicker(hostPoll)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if !transport.ProcessExists(pid) {
					m.opt.HostGone()
					return
				}
			case <-m.ctx.Done():
				return
			}
		}
	})
}
