package rpc

import (
	"context"
	"encoding/json"
	"sync"
)

// entry is one request of the host that is being worked on. Whoever takes it
// out of the table answers it, once.
type entry struct {
	id     json.RawMessage
	cancel context.CancelCauseFunc
	held   bool   // it took a hold on the feed; written before the entry's goroutine starts
	then   func() // called when it has been answered; nil for nothing to do
	token  string // key of its progress token, "" for none; guarded by the table
}

// inflight is the table of the host's requests.
type inflight struct {
	mu      sync.Mutex        // guards what follows; taken before the outbox's own
	entries map[string]*entry // by idKey; those not yet answered
	tokens  map[string]int    // progress tokens of entries, counted
	running int               // goroutines, also of requests that were answered as cancelled
	idle    chan struct{}     // closed when running is 0; nil until somebody waits
}

func newInflight() *inflight {
	return &inflight{entries: map[string]*entry{}, tokens: map[string]int{}}
}

// add enters a request. One that is not urgent is refused when there are too
// many. Every added entry is to be left.
func (t *inflight) add(e *entry, urgent bool) *Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := idKey(e.id)
	if t.entries[key] != nil {
		return errInvalidRequest("a request with this id is in flight")
	}
	if !urgent && t.running >= maxRequests {
		return ErrOverloaded("the connection")
	}
	t.entries[key] = e
	t.running++
	return nil
}

// take removes e, if it is still to be answered.
func (t *inflight) take(e *entry) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := idKey(e.id)
	if t.entries[key] != e {
		return false
	}
	t.remove(key, e)
	return true
}

// takeID removes the request with this id; nil if there is none.
func (t *inflight) takeID(id json.RawMessage) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := idKey(id)
	e := t.entries[key]
	if e != nil {
		t.remove(key, e)
	}
	return e
}

func (t *inflight) remove(key string, e *entry) {
	delete(t.entries, key)
	if e.token == "" {
		return
	}
	if t.tokens[e.token]--; t.tokens[e.token] == 0 {
		delete(t.tokens, e.token)
	}
}

// expect lets progress with this token through until e is answered.
func (t *inflight) expect(e *entry, token json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(token) == 0 || t.entries[idKey(e.id)] != e {
		return
	}
	e.token = idKey(token)
	t.tokens[e.token]++
}

// ifExpected calls f while no request with this token can be answered.
func (t *inflight) ifExpected(token json.RawMessage, f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tokens[idKey(token)] == 0 {
		return nil
	}
	return f()
}

// leave says that the work on an added entry has ended.
func (t *inflight) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	if t.running == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// whenIdle is closed when no request is being worked on. Nothing is added any
// more when it is called.
func (t *inflight) whenIdle() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	idle := t.idle
	if idle == nil {
		idle = make(chan struct{})
		if t.running == 0 {
			close(idle)
		} else {
			t.idle = idle
		}
	}
	return idle
}

// gate holds back what came before the answer to initialize.
type gate struct {
	mu      sync.Mutex // guards what follows
	open    bool
	waiting []func()
}

// pass calls start, now or, in order, when the gate opens.
func (g *gate) pass(start func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		start()
		return
	}
	g.waiting = append(g.waiting, start)
}

// unlock opens the gate for good.
func (g *gate) unlock() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	for _, start := range g.waiting {
		start()
	}
	g.waiting = nil
}
