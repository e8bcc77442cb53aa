package rpc

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
)

// Update is one step of the truth, whole: everything that belongs together is
// published together. Nothing in it may change afterwards.
type Update struct {
	// View is the state after the step. It must be there.
	View *Snapshot
	// Statuses are the records of the servers that changed.
	Statuses []Server
	// Reason is why the tool set changed. It must be there if View.Revision is
	// above that of the last update, and means nothing otherwise.
	Reason ChangeReason
	// Diagnostics says that View.Errors changed.
	Diagnostics bool
	// Concludes says that the waits of configure and reload end with this step:
	// a host whose answer is about to tell the set is not told by a push.
	Concludes bool
}

// reply finishes an answer from the snapshot that is current when it is queued.
type reply func(view *Snapshot) body

// teller is an answer that tells the host the whole tool set.
type teller interface{ tellsTools() }

func (*InitializeResult) tellsTools() {}
func (*SnapshotResult) tellsTools()   {}
func (*SnapshotAnswer) tellsTools()   {}

// feed is what one host is told about the tool set, and when. Reading the
// snapshot, deciding and queueing are one step under its lock: that is why
// revisions never go back on a connection.
type feed struct {
	out *outbox
	log *slog.Logger

	mu      sync.Mutex   // guards what follows; taken before the outbox's own
	current *Snapshot    // the last one published; nil before that
	told    *Snapshot    // the last one told, by answer or push; nil before the first
	reason  ChangeReason // why current has its revision
	// holds counts the ordered requests whose answer will tell the set. It starts
	// at one, for the initialize that is yet to come.
	holds int
	// due: what such a request waits for has happened, and pushes leave it to the
	// answer to tell. Any answer of that kind ends it.
	due bool
}

func newFeed(out *outbox, log *slog.Logger) *feed {
	return &feed{out: out, log: log, holds: 1, due: true}
}

// publish tells the host what changed, now or with an answer that is to come.
func (f *feed) publish(u Update) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range u.Statuses {
		f.notify(MethodStatus, &u.Statuses[i])
	}
	if u.View.Revision < revisionOf(f.current) {
		f.log.Error("a snapshot older than the last one was published and is ignored",
			"revision", u.View.Revision, "current", f.current.Revision)
		return
	}
	if u.View.Revision > revisionOf(f.current) {
		f.reason = u.Reason
	}
	f.current = u.View
	f.due = f.due || (u.Concludes && f.holds > 0)
	if u.Diagnostics {
		f.notify(MethodDiagnostics, &DiagnosticsParams{Errors: u.View.Errors})
	}
	f.push()
}

// push tells what has not been told, unless an answer is about to. Called with
// mu held.
func (f *feed) push() {
	if f.due || f.current == nil {
		return
	}
	if f.current.Revision > revisionOf(f.told) {
		f.notify(MethodToolsChanged, &toolsPush{from: f.told, to: f.current, reason: f.reason})
	}
	f.told = f.current
}

func (f *feed) notify(method string, params body) {
	// The error says that the host is gone; Run notices that by itself.
	_ = f.out.put(&frame{method: method, value: params, key: mergeKey(method, params)})
}

// hold announces an answer that will tell the set.
func (f *feed) hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.holds++
}

// release ends a hold without an answer.
func (f *feed) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unhold()
	f.push()
}

// unhold is release, for those that hold mu.
func (f *feed) unhold() {
	f.holds--
	f.due = false
}

// answer queues the result of the request id, made from the snapshot of this
// very step. held says that the request took a hold, which ends.
func (f *feed) answer(id json.RawMessage, r reply, held bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if held {
		f.unhold()
	}
	value, fault := f.evaluate(r)
	if _, ok := value.(teller); ok {
		f.told = f.current
	}
	_ = f.out.put(&frame{id: id, value: value, fault: fault}) // as in notify
	f.push()
}

// evaluate calls the implementer's function; its panic is not ours.
func (f *feed) evaluate(r reply) (value body, fault *Error) {
	defer func() {
		if p := recover(); p != nil {
			value, fault = nil, recovered(f.log, "finishing an answer", p)
		}
	}()
	if value = r(f.current); value == nil {
		return nil, ErrInternal("the request ended without a result")
	}
	return value, nil
}

// refuse queues an error as the answer of the request id. The set that its
// answer would have told is pushed instead.
func (f *feed) refuse(id json.RawMessage, fault *Error, held bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.out.put(&frame{id: id, fault: fault}) // as in notify
	if held {
		f.unhold()
		f.push()
	}
}

// toolsPush is a tools/changed that is diffed when it is written.
type toolsPush struct {
	from, to *Snapshot // from may be nil
	reason   ChangeReason
}

// AppendJSON implements body.
func (p *toolsPush) AppendJSON(dst []byte) []byte {
	return diffTools(p.from, p.to, p.reason).AppendJSON(dst)
}

// size implements body: what the push refers to, which is no less than what it
// will say.
func (p *toolsPush) size() int {
	n := sizeStructs(p.to.Tools)
	if p.from != nil {
		for i := range p.from.Tools {
			n += sizeString(p.from.Tools[i].Name)
		}
	}
	return n
}

// merge makes p tell what the unsent older push would have told, too.
func (p *toolsPush) merge(older body) {
	if o, ok := older.(*toolsPush); ok {
		p.from = o.from
	}
}

// mergeKey names what an unsent notification is merged with: those of one key
// tell the newest of the same thing.
func mergeKey(method string, params body) string {
	switch p := params.(type) {
	case *Server:
		return method + " " + p.Name
	case *ServerNotice:
		return method + " " + p.Server
	case *ResourceParams:
		return fmt.Sprintf("%s %q %s", method, p.Server, p.URI)
	case *ProgressParams:
		return method + " " + idKey(p.Token)
	case *DiagnosticsParams, *toolsPush:
		return method
	}
	return ""
}
