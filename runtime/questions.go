package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
)

// question is one that the user is asked through the owner's host. One is open
// at a time: dialogs that cover each other help nobody.
type question struct {
	// about says whether the answer still matters.
	about func(*Manager) bool
	// withdraw ends it unanswered.
	withdraw context.CancelCauseFunc
}

// ErrWithdrawn is the cause with which the context of a question ends that need
// not be answered any more.
var ErrWithdrawn = errors.New("the question is settled")

// asksForTrust says whether the host answers trust/approve.
func asksForTrust(p *rpc.InitializeParams) bool {
	return p.Capabilities != nil && p.Capabilities.Approve
}

// asksForInputs says whether the host answers input/request.
func asksForInputs(p *rpc.InitializeParams) bool {
	return p.Capabilities != nil && p.Capabilities.Input
}

// askUser asks the next thing that keeps a server waiting for a person, and
// withdraws what is asked and no longer does. It is called whenever either may
// have changed.
func (m *Manager) askUser() {
	if q := m.question; q == nil || !q.about(m) {
		if q != nil {
			q.withdraw(ErrWithdrawn)
		}
		m.question = nil
		m.askNext()
	}
	if v := m.view.Load(); v.asking != (m.question != nil) {
		m.storeView(v.snap)
	}
}

// askNext asks what there is to ask, if the host can. What a discovery is to
// find is asked about when it has.
func (m *Manager) askNext() {
	if m.searching || m.stopping != nil || m.params == nil || len(m.clients) == 0 {
		return
	}
	if asksForTrust(m.params) {
		if waiting := m.undecided(); len(waiting) > 0 {
			m.askForTrust(waiting)
			return
		}
	}
	if asksForInputs(m.params) {
		if e, in, ok := m.missingInput(); ok {
			m.askForInput(e, in)
		}
	}
}

// undecided are the entries that wait for a decision which the user has not put
// off, sorted by name.
func (m *Manager) undecided() []*config.Entry {
	var waiting []*config.Entry
	for _, name := range slices.Sorted(maps.Keys(m.members)) {
		mem := m.members[name]
		if mem.rest == rpc.PhaseUntrusted && m.consent.decisions[trustKeyOf(mem.entry)] != rpc.DecideLater {
			waiting = append(waiting, mem.entry)
		}
	}
	return waiting
}

// missingInput is the first value that a server waits for. A server of which the
// user has refused one is not asked about: the others would be for nothing.
func (m *Manager) missingInput() (*config.Entry, config.Input, bool) {
	for _, name := range slices.Sorted(maps.Keys(m.members)) {
		mem := m.members[name]
		if mem.rest != rpc.PhaseNeedsInput {
			continue
		}
		_, missing := m.consent.inputs(mem.entry)
		refused := func(in config.Input) bool { return m.consent.declined[inputKey{mem.entry.Path, in.ID}] }
		if len(missing) > 0 && !slices.ContainsFunc(missing, refused) {
			return mem.entry, missing[0], true
		}
	}
	return nil, config.Input{}, false
}

// pose asks in a goroutine that ends with the answer, or soon after the question
// is withdrawn or the Manager ends. answered runs in the loop, unless the
// question was withdrawn.
func (m *Manager) pose(about func(*Manager) bool, ask func(ctx context.Context, host Listener) (answered func())) {
	ctx, cancel := context.WithCancelCause(m.ctx)
	q := &question{about: about, withdraw: cancel}
	m.question = q
	host := m.clients[0].host
	m.children.Go(func() {
		defer cancel(nil)
		var answered func()
		_ = guarded(m.log, "a question to the host", func() error { answered = ask(ctx, host); return nil }) // logged
		m.inbox.post(func() {
			if m.question != q {
				return
			}
			m.settle(answered)
			m.askUser()
		})
	})
}

// answerOf is what a host answers, or an empty answer for none: an error and a
// panic are none, lest the same is asked again at once.
func answerOf[P, R any](ctx context.Context, log *slog.Logger, method string, ask func(context.Context, *P) (*R, error), p *P) *R {
	var answer *R
	err := guarded(log, method, func() (err error) {
		answer, err = ask(ctx, p)
		return err
	})
	if err != nil {
		log.Debug("a question was not answered", "method", method, "err", err)
		return new(R)
	}
	return answer
}

// askForTrust asks about all servers that wait, once.
func (m *Manager) askForTrust(waiting []*config.Entry) {
	keys := make([]trustKey, len(waiting))
	p := &rpc.ApproveParams{}
	for i, e := range waiting {
		keys[i] = trustKeyOf(e)
		p.Servers = append(p.Servers, projectServer(e, ""))
	}
	about := func(m *Manager) bool {
		return slices.ContainsFunc(m.undecided(), func(e *config.Entry) bool { return slices.Contains(keys, trustKeyOf(e)) })
	}
	m.pose(about, func(ctx context.Context, host Listener) func() {
		answer := answerOf(ctx, m.log, rpc.MethodApprove, host.Approve, p)
		var decisions []decision
		for i, e := range waiting {
			d := answer.Decisions[e.Name]
			if d != rpc.DecideAllow && d != rpc.DecideDeny {
				d = rpc.DecideLater
			}
			decisions = append(decisions, decision{keys[i], d, e.Path})
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
		defer cancel() // an answer is an answer also when the session has ended by then
		unwritten, err := m.record(ctx, (*trust.Store).RecordUndecided, decisions)
		if err != nil {
			m.log.Error("what you decided about project servers holds for this session only: it was not written down", "err", err)
		}
		return func() {
			news := false
			for _, d := range decisions {
				news = news || d.what != rpc.DecideLater
				if unwritten[d.key] || d.what == rpc.DecideLater {
					m.consent = m.consent.deciding(d.key, d.what)
				}
			}
			if news {
				m.rediscover()
			}
		}
	})
}

// decision is what the user said about one entry.
type decision struct {
	key  trustKey
	what rpc.Decision
	path string // of the file
}

// errNowhere is for decisions without a ledger.
var errNowhere = errors.New("there is no directory for state")

// writing is how the ledger takes decisions.
type writing func(*trust.Store, context.Context, ...trust.Entry) (trust.Book, error)

// record writes decisions down for later sessions, those that can be, whatever
// others are like. What is unwritten holds for this session alone, and the error
// says why. It takes time, and touches nothing of the loop.
func (m *Manager) record(ctx context.Context, put writing, decisions []decision) (unwritten map[trustKey]bool, err error) {
	unwritten = map[trustKey]bool{}
	var entries []trust.Entry
	for _, d := range decisions {
		if d.what == rpc.DecideLater {
			continue
		}
		e := trust.Entry{
			Project: d.key.project, Server: d.key.server, Hash: d.key.hash,
			Decision: trust.Decision(d.what), File: d.path, Time: time.Now(),
		}
		unwritten[d.key] = true
		if wrong := e.Check(); wrong != nil {
			err = fmt.Errorf("server %q: %w", d.key.server, wrong)
			continue
		}
		entries = append(entries, e)
	}
	switch {
	case len(entries) == 0:
		return unwritten, err
	case m.opt.Trust == nil:
		return unwritten, errNowhere
	}
	book, failed := put(m.opt.Trust, ctx, entries...)
	if aside := book.Aside(); aside != "" {
		m.log.Error("what was decided about project servers before could not be read, and was put aside", "file", aside)
	}
	if failed != nil {
		return unwritten, failed
	}
	for _, e := range entries {
		delete(unwritten, trustKey{e.Project, e.Server, e.Hash})
	}
	return unwritten, err
}

// askForInput asks for one value.
func (m *Manager) askForInput(e *config.Entry, in config.Input) {
	key := inputKey{e.Path, in.ID}
	about := func(m *Manager) bool { return len(m.waitingFor(key)) > 0 }
	p := &rpc.InputParams{
		Server: e.Name, ID: in.ID, Type: in.Type, Description: in.Description,
		Default: in.Default, Options: in.Options, Password: in.Password,
	}
	m.pose(about, func(ctx context.Context, host Listener) func() {
		answer := answerOf(ctx, m.log, rpc.MethodInput, host.Input, p)
		if answer.Value != nil {
			m.redact.add(*answer.Value)
		}
		return func() {
			m.consent = m.consent.giving(key, answer.Value)
			if answer.Value != nil {
				m.given(key)
			}
		}
	})
}

// settle does what follows from an answer, nil for nothing. Until then the
// question is open: nobody is to look in between. It ends also when that panics.
func (m *Manager) settle(answered func()) {
	defer func() { m.question = nil }()
	if answered != nil {
		answered()
	}
}

// given starts the servers that have all inputs now, and says of the others what
// is still missing.
func (m *Manager) given(key inputKey) {
	complete := false
	var others []*member
	for _, mem := range m.waitingFor(key) {
		_, missing := m.consent.inputs(mem.entry)
		complete = complete || len(missing) == 0
		if len(missing) > 0 {
			// At once, for whoever looks when the next question is answered, too.
			mem.rec.Error = needsInput(mem.entry.Name, missing, true)
			mem.tell(msgRests{mem.rec.Error})
			others = append(others, mem)
		}
	}
	m.publish(others, rpc.ReasonReload)
	if complete {
		m.rediscover()
	}
}

// waitingFor are the members that wait for an input, in no order.
func (m *Manager) waitingFor(key inputKey) []*member {
	var waiting []*member
	for _, mem := range m.members {
		if mem.rest == rpc.PhaseNeedsInput && mem.entry.Path == key.path && slices.Contains(mem.entry.NeedsInput, key.id) {
			waiting = append(waiting, mem)
		}
	}
	return waiting
}
