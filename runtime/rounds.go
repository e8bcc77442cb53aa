package runtime

import (
	"slices"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// round is the time between an accepted initialize, configure or reload and
// its answer. A later one takes over the waits of an earlier one, and all are
// answered with its outcome.
type round struct {
	reason rpc.ChangeReason
	// passed: the gate's time is over.
	passed bool
	// quiet: nobody waits for the answer, so that nothing is kept back for it but
	// what the round itself changes.
	quiet bool
	waits []chan struct{}
}

// worthWaiting says whether the gate stays shut for a server: until it has
// settled, but beyond the gate's time only if it has no cached tools and the
// host wants to wait for those.
func worthWaiting(settled, cached, passed, background bool) bool {
	return !settled && (!passed || (!cached && !background))
}

// startRound begins a round and gives the channel that is closed at its end.
func (m *Manager) startRound(reason rpc.ChangeReason) <-chan struct{} {
	wait := make(chan struct{})
	r := &round{reason: reason, waits: []chan struct{}{wait}}
	if m.round != nil {
		r.waits = append(m.round.waits, wait)
	}
	for _, mem := range m.members {
		mem.held = true // one difference, at the end
	}
	m.open(r)
	return wait
}

// open puts a round in place and has it look for servers.
func (m *Manager) open(r *round) {
	r.passed = m.set.gate == 0
	m.round = r
	m.gate.Reset(max(m.set.gate, time.Nanosecond))
	m.discover()
	m.storeView(m.view.Load().snap) // calls see the new settings from here on
}

// rediscover reads the configuration again and carries out what has changed,
// for nobody who waits for an answer. The channel is closed when it is carried
// out.
func (m *Manager) rediscover() <-chan struct{} {
	done := make(chan struct{})
	m.carried = append(m.carried, done)
	if m.round != nil {
		m.discover()
	} else {
		m.open(&round{reason: rpc.ReasonReload, quiet: true})
	}
	return done
}

// begin accepts initialize.
func (m *Manager) begin(p *rpc.InitializeParams) <-chan struct{} {
	m.params = p
	m.adopt(p.Settings)
	m.watchHost(p.ProcessID)
	return m.startRound(rpc.ReasonReload)
}

// adopt makes wishes those that hold.
func (m *Manager) adopt(wishes *rpc.Settings) {
	m.wishes = wishes
	m.set = effective(wishes, asksForTrust(m.params))
	m.unknown = unknownWishes(m.params.Capabilities, wishes)
}

// configure accepts new settings. What needs no discovery holds at once.
func (m *Manager) configure(p *rpc.ConfigureParams) <-chan struct{} {
	auto := m.set.auto
	m.adopt(merge(m.wishes, p.Settings))
	if p.WorkspaceFolders != nil {
		q := *m.params
		q.WorkspaceFolders = p.WorkspaceFolders
		m.params = &q
	}
	if auto != m.set.auto {
		for _, mem := range m.members {
			mem.tell(msgPolicy{auto: m.set.auto})
		}
	}
	if p.Settings != nil {
		for _, name := range p.Settings.Disabled {
			delete(m.byHand, name) // switching off is the later wish
		}
	}
	return m.startRound(rpc.ReasonConfigure)
}

// reload accepts mcp/reload. In a full one every server is told to end now; its
// tools stay listed.
func (m *Manager) reload(mode rpc.ReloadMode) <-chan struct{} {
	if mode == rpc.ReloadChanged {
		return m.startRound(rpc.ReasonReload)
	}
	m.full = true
	m.consent = m.consent.again()
	var changed []*member
	for _, mem := range m.members {
		m.end(mem)
		if !resting(mem.rec.Phase) {
			mem.rec.Phase, mem.rec.Status = rpc.PhaseStarting, rpc.StatusConnecting
			mem.rec.PID, mem.rec.NextRetryMs, mem.rec.Activity = 0, 0, ""
			mem.rec.Timings, mem.rec.Attempt = rpc.Timings{}, 1
			mem.rec.Tools = deferredTools(mem.tools)
		}
		mem.settled = mem.rest != ""
		changed = append(changed, mem)
	}
	wait := m.startRound(rpc.ReasonReload)
	m.publish(changed, rpc.ReasonReload)
	return wait
}

// sweepCache removes what nobody has used for long, once a session and after
// its start.
func (m *Manager) sweepCache() {
	if cache, age := m.opt.Cache, m.set.maxAge; cache != nil && m.set.cache {
		m.children.Go(func() { cache.Sweep(age, time.Now()) })
	}
}

// deferredTools is what a record says of a list whose server is not connected.
func deferredTools(l *toolList) rpc.ServerTools {
	if l == nil {
		return rpc.ServerTools{From: rpc.ToolsFromNone}
	}
	return rpc.ServerTools{From: rpc.ToolsFromCache, CachedAt: l.time.UTC().Format(time.RFC3339)}
}

// drains says whether a server waits for calls of the one before it to end, which
// no answer is to be kept back for.
func (m *Manager) drains(mem *member) bool {
	return slices.ContainsFunc(notDone(m.draining), func(s *server) bool { return s.name == mem.entry.Name })
}

// checkGate ends the round if no server is worth waiting for.
func (m *Manager) checkGate() {
	r := m.round
	if r == nil || m.searching {
		return
	}
	for _, mem := range m.members {
		if worthWaiting(mem.settled, mem.cached, r.passed, m.set.background || r.quiet || m.drains(mem)) {
			return
		}
	}
	m.round = nil
	m.gate.Stop()
	m.style = m.set.toolNames
	var released []*member
	for _, mem := range m.members {
		mem.fresh = false
		if mem.held {
			mem.held = false
			released = append(released, mem)
		}
	}
	clear(m.leaving)
	m.show(rpc.Update{Statuses: m.refresh(released), Reason: r.reason, Concludes: !r.quiet})
	m.first = false
	m.sweepCache()
	for _, w := range r.waits {
		close(w)
	}
}
