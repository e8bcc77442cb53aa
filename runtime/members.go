package runtime

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// serverChanged takes over what a server's loop published.
func (m *Manager) serverChanged(e serverEvent) {
	mem := m.members[e.rec.Name]
	if mem != nil && mem.srv == e.srv && !mem.over {
		mem.rec, mem.tools, mem.warnings, mem.settled = e.rec, e.tools, e.warnings, e.settled
		if e.rec.Phase == rpc.PhaseStopped {
			mem.held = false // mcp/disconnect takes its tools out now, whatever round there is
		}
		m.publish([]*member{mem}, reasonOf(e))
	}
	for _, ack := range e.acks {
		close(ack)
	}
	for _, ack := range e.inherited {
		if mem == nil || mem.rest != "" {
			close(ack)
		} else {
			mem.tell(msgConnect{ack: ack})
		}
	}
	m.checkGate()
}

// reasonOf is why a server's tools changed, if they did.
func reasonOf(e serverEvent) rpc.ChangeReason {
	switch {
	case e.reason != "":
		return e.reason
	case e.rec.Status == rpc.StatusDisconnected:
		return rpc.ReasonDisconnected
	}
	return rpc.ReasonConnected
}

// carryOut does what reconcile decided.
func (m *Manager) carryOut(actions []action, want map[string]candidate) {
	var changed []*member
	var gone []rpc.Server
	for _, a := range actions {
		mem := m.members[a.name]
		w := want[a.name]
		switch a.do {
		case deedKeep:
			mem.waits, mem.key = w.waits, w.key
			mem.entry = w.entry // where it was found may differ, or the settings
			mem.tell(msgTune{m.connector(w, mem.saved)})
			mem.held = mem.fresh || m.wouldChange(mem)
			changed = append(changed, mem)
		case deedStart:
			changed = append(changed, m.start(w, w.rest, nil))
		case deedRestart, deedReplace:
			rest := w.rest
			if a.do == deedReplace {
				rest = rpc.PhaseStopped
			}
			if m.round.quiet && rest == "" {
				m.endBy(mem, msgRetire{})
				m.draining = append(notDone(m.draining), mem.srv)
			} else {
				m.end(mem)
			}
			changed = append(changed, m.start(w, rest, mem))
		case deedRemove:
			gone = append(gone, m.remove(mem))
		}
	}
	m.publish(changed, m.round.reason, gone...)
}

// start makes the server of a candidate, after the member it replaces, if any.
func (m *Manager) start(w candidate, rest rpc.Phase, former *member) *member {
	mem := &member{
		desired: w.desired, key: w.key, held: true, fresh: true, settled: rest != "",
		shown: toolSource{server: w.entry.Name}, saved: &saved{},
	}
	if former != nil {
		mem.saved = former.saved
	}
	b := serverStart{
		name: w.entry.Name, log: m.log, secrets: m.redact, ring: newLogRing(m.redact, &m.logSeq),
		pol:     policy{auto: m.set.auto, remote: w.entry.Kind != "stdio", jitter: m.opt.Jitter},
		phase:   rest,
		err:     w.err,
		kind:    rpc.TransportKind(w.entry.Kind),
		cached:  w.cached,
		intro:   w.intro,
		publish: func(e serverEvent) { m.inbox.post(e) },
		said: func(level, text string) {
			text = shortened(m.redact.clean(text), logLineBytes)
			m.tellHosts(rpc.LogParams{Level: serverLevel(level), Message: text, Server: w.entry.Name})
		},
		connect: m.connector(w, mem.saved),
		// Also when its entry was away for a moment.
		after: m.before(w.entry.Name),
	}
	if former != nil {
		mem.shown, mem.said = former.shown, former.said
		b.ring = former.srv.ring // what was written is why it was reloaded, maybe
		if rest == "" && former.rest == "" {
			b.err = former.rec.Error // until an attempt succeeds; why it rested is over
		}
		if l := former.tools; l != nil && w.key == former.key && (b.cached == nil || !l.time.Before(b.cached.time)) {
			b.cached, b.intro = former.lastGood() // whatever became of the cache
		}
	} else if gone, ok := m.leaving[w.entry.Name]; ok {
		mem.shown = gone
		delete(m.leaving, w.entry.Name)
	}
	mem.cached = b.cached != nil
	mem.srv = newServer(b)
	mem.rec = mem.srv.first.rec
	mem.tools = mem.srv.first.tools
	m.members[w.entry.Name] = mem
	if former != nil {
		m.inherit(mem, former.asks)
		former.asks = nil
	}
	return mem
}

// inherit has the server of a member do what the one before it was to be told. One
// that rests is neither started nor stopped by that, whatever the one before it
// might do: who waits for it is answered when everybody is told that it rests.
func (m *Manager) inherit(mem *member, asks []any) {
	for _, msg := range asks {
		var ack chan<- struct{}
		switch ask := msg.(type) {
		case msgConnect:
			ack = ask.ack
		case msgStop:
			ack = ask.ack
		}
		if mem.rest != "" && ack != nil {
			m.carried = append(m.carried, ack)
		} else {
			mem.tell(msg)
		}
	}
}

// lastGood is what a server listed last, for the one that follows it.
func (mem *member) lastGood() (*toolList, introduction) {
	return mem.tools, introduction{
		protocolVersion: mem.rec.ProtocolVersion, serverInfo: mem.rec.ServerInfo,
		instructions: mem.rec.Instructions, kind: mem.rec.Transport,
	}
}

// remove takes a server out and gives its last record; its tools stay listed
// until the round ends.
func (m *Manager) remove(mem *member) rpc.Server {
	name := mem.entry.Name
	m.end(mem)
	mem.drop()
	delete(m.members, name)
	m.leaving[name] = mem.shown
	return removed(mem)
}

// removed is the last record of a server.
func removed(mem *member) rpc.Server {
	r := mem.rec
	r.Source = sourceOf(mem.entry)
	r.Status, r.Phase = rpc.StatusDisconnected, rpc.PhaseRemoved
	r.Tools = rpc.ServerTools{From: rpc.ToolsFromNone}
	r.Error, r.PID, r.NextRetryMs, r.Activity = nil, 0, 0, ""
	return r
}

// publish makes and tells the next view; changed are the members whose records
// may have changed, and are told if they have; gone are the last records of
// others.
func (m *Manager) publish(changed []*member, reason rpc.ChangeReason, gone ...rpc.Server) {
	m.show(rpc.Update{Statuses: m.refresh(changed, gone...), Reason: reason})
}

// refresh brings members up to date and gives the statuses that are news.
func (m *Manager) refresh(changed []*member, gone ...rpc.Server) []rpc.Server {
	statuses := gone
	for _, mem := range changed {
		m.refreshShown(mem)
		if r := m.recordOf(mem); !sameRecord(r, mem.said) {
			mem.said = r
			statuses = append(statuses, r)
		}
	}
	slices.SortFunc(statuses, func(a, b rpc.Server) int { return strings.Compare(a.Name, b.Name) })
	return statuses
}

// refreshShown decides what a server has in the set.
func (m *Manager) refreshShown(mem *member) {
	state := rpc.ToolDeferred
	if mem.rec.Phase == rpc.PhaseReady {
		state = rpc.ToolLive
	}
	if mem.held && !m.first {
		mem.shown.state = state
		return
	}
	mem.shown = m.contribution(mem, state)
}

// contribution is what a server lists, less what is filtered and switched off.
// The same list with the same filters gives the same slice, which the catalog
// takes as unchanged.
func (m *Manager) contribution(mem *member, state rpc.ToolState) toolSource {
	e := mem.entry
	src := toolSource{server: e.Name, provider: e.Provider, providerName: e.ProviderName, state: state}
	if mem.tools == nil {
		return src
	}
	off := func(tool string) bool { return m.set.toolOff(e.Name, tool) }
	all := filterTools(mem.tools.defs, e.Include, e.Exclude, nil)
	src.defs = filterTools(all, nil, nil, off)
	if len(src.defs) < len(all) {
		for _, d := range all {
			if off(d.name) {
				src.off = append(src.off, d.name)
			}
		}
		slices.Sort(src.off)
	}
	if sameDefs(src.defs, mem.shown.defs) {
		src.defs = mem.shown.defs
	}
	return src
}

// wouldChange says whether a server has something else in the set when the
// round ends, as things stand.
func (m *Manager) wouldChange(mem *member) bool {
	to := m.contribution(mem, mem.shown.state)
	return to.provider != mem.shown.provider || to.providerName != mem.shown.providerName || !sameDefs(to.defs, mem.shown.defs)
}

// sameDefs says whether two lists hold the very same definitions, in order.
func sameDefs(a, b []toolDef) bool {
	return slices.EqualFunc(a, b, func(x, y toolDef) bool {
		return x.name == y.name && len(x.raw) == len(y.raw) && (len(x.raw) == 0 || &x.raw[0] == &y.raw[0] || bytes.Equal(x.raw, y.raw))
	})
}

func (m *Manager) sources() []toolSource {
	all := slices.Collect(maps.Values(m.leaving))
	for _, mem := range m.members {
		all = append(all, mem.shown)
	}
	return all
}

// recordOf completes a server's own record by what the Manager knows.
func (m *Manager) recordOf(mem *member) rpc.Server {
	r := mem.rec
	r.Source = sourceOf(mem.entry)
	r.Tools.Count, r.Tools.Off = len(mem.shown.defs), mem.shown.off
	if r.Tools.Count > 0 && r.Tools.From == rpc.ToolsFromNone {
		r.Tools.From = rpc.ToolsFromCache // held until the round ends
	}
	return r
}

func sourceOf(e *config.Entry) rpc.Source {
	s := rpc.Source{
		Provider: e.Provider, ProviderName: e.ProviderName, Level: rpc.Level(e.Level),
		Path: e.Path, Line: e.Line, Column: e.Column,
	}
	for _, a := range e.Aliases {
		s.Aliases = append(s.Aliases, rpc.Alias(a))
	}
	return s
}

// show makes the next view, puts it in place, and tells everybody.
func (m *Manager) show(u rpc.Update) {
	base := m.catalog
	if m.first {
		base, m.style = &catalog{}, m.set.toolNames
	}
	m.catalog = base.with(m.sources(), m.style)
	snap := &rpc.Snapshot{
		Revision: m.catalog.revision, Hash: m.catalog.hash, Tools: m.catalog.tools,
		Servers: make([]rpc.Server, 0, len(m.members)), ExaAPIKeys: m.found.ExaKeys,
	}
	for _, name := range slices.Sorted(maps.Keys(m.members)) {
		snap.Servers = append(snap.Servers, m.recordOf(m.members[name]))
	}
	snap.Errors = m.errors(snap.Servers)
	u.View, u.Diagnostics = snap, !slices.Equal(snap.Errors, m.diags)
	m.diags = snap.Errors
	m.storeView(snap)
	for _, c := range m.clients {
		c.host.Publish(u)
	}
	for w := range m.watchers {
		if w.met(snap) {
			close(w.done)
			delete(m.watchers, w)
		}
	}
}

func (m *Manager) storeView(snap *rpc.Snapshot) {
	v := &view{
		snap: snap, catalog: m.catalog, set: m.set, searching: m.searching, asking: m.question != nil || m.carrying,
		servers: make(map[string]handle, len(m.members)), superseded: make(chan struct{}),
	}
	for name, mem := range m.members {
		v.servers[name] = handle{
			srv: mem.srv, entry: mem.entry, tools: mem.tools, over: mem.over,
			off: m.set.serverOff(name) && !m.byHand[name],
		}
	}
	if old := m.view.Swap(v); old != nil {
		close(old.superseded)
	}
}

// odd is what is wrong with a server that works.
func (mem *member) odd() []string {
	odd := mem.warnings
	if mem.tools != nil {
		odd = slices.Concat(odd, mem.tools.issues)
	}
	if text := mem.filteredAway(); text != "" {
		odd = append(slices.Clone(odd), text)
	}
	return odd
}

// filteredAway says so when the filter of the entry leaves no tool: one that is
// misspelt does that without a word. It is asked of every server at every change,
// so a server that has tools in the set is not filtered again.
func (mem *member) filteredAway() string {
	e := mem.entry
	if len(mem.shown.defs) > 0 || mem.tools == nil || len(mem.tools.defs) == 0 || e.Include == nil && e.Exclude == nil ||
		len(filterTools(mem.tools.defs, e.Include, e.Exclude, nil)) > 0 {
		return ""
	}
	return fmt.Sprintf("the entry's filter of tools leaves none of the %d that the server has", len(mem.tools.defs))
}

// ofConfiguration is what is wrong with files and entries.
func ofConfiguration(found *config.Result) []rpc.Diagnostic {
	all := make([]rpc.Diagnostic, 0, len(found.Diagnostics))
	for _, d := range found.Diagnostics {
		all = append(all, rpc.Diagnostic{
			Path: d.Path, Server: d.Server, Error: d.Message, Severity: severityOf(d.Warning),
			Line: d.Line, Column: d.Column, Pointer: d.Pointer,
		})
	}
	if found.Hard != nil {
		all = append(all, rpc.Diagnostic{Path: ".mcp.json", Error: found.Hard.Error(), Severity: rpc.SeverityError})
	}
	return all
}

// errors is everything wrong: with what the host wishes and the configuration
// first, then with servers.
func (m *Manager) errors(servers []rpc.Server) []rpc.Diagnostic {
	all := make([]rpc.Diagnostic, 0, len(m.unknown)+len(m.found.Diagnostics))
	all = append(all, m.unknown...)
	all = append(all, ofConfiguration(&m.found)...)
	for _, s := range servers {
		if s.Error != nil && s.Phase != rpc.PhaseInvalid {
			sev := rpc.SeverityError
			if s.Phase == rpc.PhaseUntrusted {
				sev = rpc.SeverityWarning // nothing is wrong with it
			}
			all = append(all, rpc.Diagnostic{Path: "mcp:" + s.Name, Server: s.Name, Error: s.Error.Message, Severity: sev})
		}
		for _, text := range m.members[s.Name].odd() {
			all = append(all, rpc.Diagnostic{
				Path: "mcp:" + s.Name, Server: s.Name, Error: m.redact.clean(text), Severity: rpc.SeverityWarning,
			})
		}
	}
	return all
}
