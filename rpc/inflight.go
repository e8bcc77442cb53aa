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
	lane   lane
	held   bool   // it took a hold on the feed; written before the entry's goroutine starts
	then   func() // called when it has been answered and its work has ended; nil for nothing to do
	token  string // key of its progress token, "" for none; guarded by the table
}

// lane is what a request counts against: each has a limit of its own, so that a
// flood in one leaves room in the others.
type lane int

const (
	laneOrdinary lane = iota
	laneOrdered       // but for shutdown
	laneShutdown
	lanes
)

func (l lane) limit() int {
	if l == laneOrdinary {
		return maxRequests
	}
	return maxOrdered
}

// inflight is the table of the host's requests.
type inflight struct {
	mu      sync.Mutex        // guards what follows; taken before the outbox's own
	entries map[string]*entry // by idKey; those not yet answered
	tokens  map[string]int    // progress tokens of entries, counted
	running [lanes]int        // requests being worked on, also those answered as cancelled
	idle    chan struct{}     // closed when running is 0; nil until somebody waits
}

func newInflight() *inflight {
	return &inflight{entries: map[string]*entry{}, tokens: map[string]int{}}
}

// add enters a request, unless its lane is full. Every added entry is to be
// left.
func (t *inflight) add(e *entry) *Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := idKey(e.id)
	if t.entries[key] != nil {
		return errInvalidRequest("a request with this id is in flight")
	}
	if t.running[e.lane] >= e.lane.limit() {
		return ErrOverloaded("the connection")
	}
	t.entries[key] = e
	t.running[e.lane]++
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
func (t *inflight) leave(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[e.lane]--
	if t.running == [lanes]int{} && t.idle != nil {
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
		if t.running == [lanes]int{} {
			close(idle)
		} else {
			t.idle = idle
		}
	}
	return idle
}
