package runtime

import (
	"context"
	"slices"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
)

var _ rpc.Trust = (*Client)(nil)

// TrustList implements rpc.Trust.
func (c *Client) TrustList(ctx context.Context, _ *rpc.TrustListParams) (*rpc.TrustListResult, error) {
	if _, err := c.m.viewWhen(ctx, (*view).found); err != nil {
		return nil, err
	}
	var list []rpc.ProjectServer
	err := c.m.do(func() { list = trustList(&c.m.found, c.m.consent, c.m.book) })
	if err != nil {
		return nil, err
	}
	return &rpc.TrustListResult{Servers: list}, nil
}

// TrustAllow implements rpc.Trust.
func (c *Client) TrustAllow(ctx context.Context, p *rpc.TrustDecisionParams) (*rpc.TrustListResult, error) {
	return c.decide(ctx, p, rpc.DecideAllow)
}

// TrustDeny implements rpc.Trust.
func (c *Client) TrustDeny(ctx context.Context, p *rpc.TrustDecisionParams) (*rpc.TrustListResult, error) {
	return c.decide(ctx, p, rpc.DecideDeny)
}

// TrustRevoke implements rpc.Trust.
func (c *Client) TrustRevoke(ctx context.Context, p *rpc.TrustDecisionParams) (*rpc.TrustListResult, error) {
	return c.decide(ctx, p, "")
}

// decide takes a decision, or takes it back, and answers when it is carried out.
func (c *Client) decide(ctx context.Context, p *rpc.TrustDecisionParams, what rpc.Decision) (*rpc.TrustListResult, error) {
	list, err := c.TrustList(ctx, &rpc.TrustListParams{})
	if err != nil {
		return nil, err
	}
	shown, err := named(list.Servers, p, what)
	if err != nil {
		return nil, err
	}
	key := trustKey{shown.Project, shown.Name, shown.Hash}
	unwritten := false
	if what != "" {
		if _, err = c.m.record(ctx, (*trust.Store).Record, []decision{{key, what, shown.Path}}); err != nil && !c.m.opt.idle() {
			c.m.log.Error("what you decided about a project's server holds for this session only: it was not written down", "err", err)
			unwritten, err = true, nil
		}
	} else if c.m.opt.Trust != nil {
		_, _, err = c.m.opt.Trust.Revoke(ctx, key.project, key.server, "")
	}
	if err != nil {
		return nil, err // one that is not written down is nothing where no server runs
	}
	var done <-chan struct{}
	err = c.m.do(func() {
		if !unwritten {
			what = "" // the ledger has it
		}
		c.m.consent = c.m.consent.deciding(key, what)
		done = c.m.rediscover()
	})
	if err == nil {
		err = c.m.await(ctx, done)
	}
	if err != nil {
		return nil, err
	}
	return c.TrustList(ctx, &rpc.TrustListParams{})
}

// named finds the server of a decision in the list. The name alone is not enough:
// several files may have it, and the entry may have changed since it was shown. The
// same entry may be in several folders: then it is one of which something else was
// decided, if there is one.
func named(list []rpc.ProjectServer, p *rpc.TrustDecisionParams, what rpc.Decision) (rpc.ProjectServer, error) {
	if p.Hash == "" {
		return rpc.ProjectServer{}, rpc.ErrInvalidParams("hash", "it is missing; trust/list has it")
	}
	known := false
	var same []rpc.ProjectServer
	for _, s := range list {
		known = known || s.Name == p.Server
		if s.Name == p.Server && s.Hash == p.Hash {
			same = append(same, s)
		}
	}
	if len(same) > 0 {
		i := slices.IndexFunc(same, func(s rpc.ProjectServer) bool { return s.Decision != what })
		return same[max(i, 0)], nil
	}
	if known {
		return rpc.ProjectServer{}, rpc.ErrInvalidParams("hash",
			"the entry has changed since it was shown: ask trust/list again")
	}
	e := rpc.ErrUnknownServer(p.Server)
	e.Message += "; trust/list has the servers of the project's files"
	return rpc.ProjectServer{}, e
}
