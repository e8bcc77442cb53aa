package runtime

import (
	"context"
	"errors"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// Guest is a connection that has joined a session which another one owns: it
// sees what there is, and calls it. What it may not ask rpc refuses
// (rpc.Options.Guest); what it asks that means something else for it is here.
type Guest struct{ *Client }

var _ rpc.Sidecar = Guest{}

// Guest adds a connection that joins. It leaves as any other does.
func (m *Manager) Guest(l Listener) Guest { return Guest{m.Join(l)} }

// Initialize implements rpc.Sidecar.
func (g Guest) Initialize(_ context.Context, p *rpc.InitializeParams) (rpc.Pending[rpc.InitializeResult], error) {
	const owners = "the session's owner has decided that: a guest takes the session as it is"
	switch {
	case p.Settings != nil:
		return nil, rpc.ErrInvalidParams("settings", owners)
	case p.WorkspaceFolders != nil:
		return nil, rpc.ErrInvalidParams("workspaceFolders", owners)
	}
	return func(context.Context) (rpc.Answer[rpc.InitializeResult], error) {
		return func(v *rpc.Snapshot) *rpc.InitializeResult {
			seen := *v
			seen.ExaAPIKeys = nil
			return g.m.introduced(rpc.GuestMethods(g), &seen)
		}, nil
	}, nil
}

// Snapshot implements rpc.Sidecar.
func (g Guest) Snapshot(ctx context.Context, p *rpc.SnapshotParams) (rpc.Answer[rpc.SnapshotAnswer], error) {
	answer, err := g.Client.Snapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	return func(v *rpc.Snapshot) *rpc.SnapshotAnswer {
		whole := answer(v)
		whole.ExaAPIKeys = nil
		return whole
	}, nil
}

// Shutdown implements rpc.Sidecar. It stops nothing: the calls of a guest end with
// its connection.
func (g Guest) Shutdown(context.Context, *rpc.ShutdownParams) (rpc.Pending[rpc.ShutdownResult], error) {
	return func(context.Context) (rpc.Answer[rpc.ShutdownResult], error) {
		return func(*rpc.Snapshot) *rpc.ShutdownResult { return &rpc.ShutdownResult{} }, nil
	}, nil
}

// Share implements rpc.Sharing.
func (c *Client) Share(ctx context.Context, _ *rpc.ShareParams) (*rpc.ShareResult, error) {
	if c.m.opt.Share == nil {
		return nil, rpc.ErrInternal("this session cannot be shared")
	}
	endpoint, token, err := c.m.opt.Share(ctx)
	var refused *rpc.Error
	switch {
	case errors.As(err, &refused): // the session ends
		return nil, refused
	case err != nil:
		return nil, rpc.ErrInternal("the session cannot be shared: " + err.Error())
	}
	c.m.redact.add(token) // should somebody have got hold of it and say so
	return &rpc.ShareResult{Endpoint: endpoint}, nil
}
