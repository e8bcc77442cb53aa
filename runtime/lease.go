package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// refusal says why a server lends no session.
type refusal struct {
	phase rpc.Phase
	err   *rpc.ServerError // or nil
}

func (r *refusal) Error() string { return fmt.Sprintf("the server is %s", r.phase) }

// wire is the error of a caller that must do something first, or nil.
func (r *refusal) wire(server string) error {
	if r.phase == rpc.PhaseNeedsAuth {
		return rpc.ErrAuthNeeded(server)
	}
	if r.phase == rpc.PhaseUntrusted {
		return rpc.ErrUntrusted(server)
	}
	return nil
}

func (r *refusal) cause(server string) *rpc.ServerError {
	if r.err != nil {
		e := *r.err
		if r.phase == rpc.PhaseSuspended {
			e.Message += "; it was lost too often and is suspended until mcp/connect or mcp/reload"
		}
		return &e
	}
	return &rpc.ServerError{
		Code: "closed", Stage: rpc.StageCall,
		Message: inPhase(server, r.phase),
	}
}

// lease borrows the session: at once when there is one, else when the attempt
// that runs, or one that this starts, has made it. A session that is lost is
// given up first. It fails with a *refusal, with errGone, or with the cause of
// ctx.
func (s *server) lease(ctx context.Context, lost transport.Session) (*connection, error) {
	if c := s.live.Load(); c != nil && c.sess != lost && !ended(c.sess) {
		return c, nil
	}
	reply := make(chan lent, 1)
	if !s.inbox.post(msgNeed{reply, lost}) {
		return nil, errGone
	}
	select {
	case l := <-reply:
		switch {
		case l.conn != nil:
			return l.conn, nil
		case l.phase == rpc.PhaseRemoved:
			return nil, errGone
		}
		return nil, &refusal{l.phase, l.err}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// resolve finds the tool a call names, and the server that has it. The error is
// errGone while a discovery may still find it.
func (v *view) resolve(p *rpc.CallParams) (toolname.Target, handle, error) {
	t := toolname.Target{Server: p.Server, Tool: p.Tool}
	label := p.Name
	switch {
	case p.Name != "":
		var ok bool
		if t, ok = v.catalog.lookup(p.Name); !ok {
			return t, handle{}, v.unknown(p.Name)
		}
	case p.Server == "":
		var err error
		if t, err = v.byTool(p.Tool); err != nil {
			return t, handle{}, err
		}
		label = p.Tool
	default:
		label = p.Server + "/" + p.Tool
	}
	h, ok := v.servers[t.Server]
	switch {
	case !ok && (p.Name != "" || v.searching):
		return t, h, v.unknown(label)
	case !ok:
		return t, h, v.noSuchServer(t.Server)
	}
	r, _ := record(v.snap, t.Server)
	switch {
	case r.Phase == rpc.PhaseUntrusted:
		return t, h, rpc.ErrUntrusted(t.Server)
	case r.Phase == rpc.PhaseNeedsAuth:
		return t, h, rpc.ErrAuthNeeded(t.Server)
	case h.off:
		return t, h, atRest(label, t.Server, rpc.PhaseDisabled)
	case resting(r.Phase) && !h.over:
		return t, h, atRest(label, t.Server, r.Phase)
	case v.filtered(t, h):
		return t, h, v.noSuchTool(label, "")
	case !connecting(r.Phase) && !v.listed(t, h): // one that connects may have it since
		return t, h, v.unknown(label)
	}
	return t, h, nil
}

// atRest is the error for a tool of a server that runs only when somebody has
// it started.
func atRest(label, server string, p rpc.Phase) error {
	return rpc.ErrUnknownTool(label, inPhase(server, p), nil)
}

// filtered says whether a tool was taken out, by its entry or by the user.
func (v *view) filtered(t toolname.Target, h handle) bool {
	return v.set.toolOff(t.Server, t.Tool) ||
		len(filterTools([]toolDef{{name: t.Tool}}, h.entry.Include, h.entry.Exclude, nil)) == 0
}

// listed says whether a server has the tool, as far as is known: one that has
// not listed anything yet may have it.
func (v *view) listed(t toolname.Target, h handle) bool {
	if _, ok := v.catalog.raw(t); ok || h.tools == nil {
		return true
	}
	_, ok := h.tools.find(t.Tool)
	return ok
}

func (v *view) byTool(tool string) (toolname.Target, error) {
	var found []toolname.Target
	var names []string
	for _, t := range v.snap.Tools {
		if t.OwnName() == tool {
			found = append(found, toolname.Target{Server: t.Server, Tool: tool})
			names = append(names, t.Name)
		}
	}
	switch len(found) {
	case 0:
		return toolname.Target{}, v.unknown(tool)
	case 1:
		return found[0], nil
	}
	return toolname.Target{}, rpc.ErrAmbiguousTool(tool, names)
}

// unknown is the error for what this view does not have.
func (v *view) unknown(name string) error {
	if v.searching {
		return errGone
	}
	return v.noSuchTool(name, v.absence(name))
}

// noSuchServer suggests servers.
func (v *view) noSuchServer(name string) error {
	e := rpc.ErrUnknownServer(name)
	if near := nearest(name, slices.Sorted(maps.Keys(v.servers))); len(near) > 0 {
		e.Message += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return e
}

// noSuchTool suggests tools that can be called.
func (v *view) noSuchTool(name, reason string) error {
	var names []string
	for _, t := range v.snap.Tools {
		tool := t.OwnName()
		if !v.servers[t.Server].off && !v.set.toolOff(t.Server, tool) {
			names = append(names, t.Name)
		}
	}
	return rpc.ErrUnknownTool(name, reason, nearest(name, names))
}

// absence says why there is no tool of this name, exposed or as a label, if the
// server is not connected that it would be of.
func (v *view) absence(name string) string {
	form := formOf(v.catalog.style)
	longest, reason := 0, ""
	for _, r := range v.snap.Servers {
		for _, prefix := range []string{r.Name + "/", form.Begins(toolname.ServerPart(r.Name))} {
			switch {
			case len(prefix) < longest || !strings.HasPrefix(name, prefix):
			case r.Phase == rpc.PhaseReady: // whatever else fits as well
				longest, reason = len(prefix), ""
			case len(prefix) > longest:
				longest, reason = len(prefix), inPhase(r.Name, r.Phase)
			}
		}
	}
	return reason
}

func inPhase(server string, p rpc.Phase) string { return fmt.Sprintf("server %q is %s", server, p) }
