package rpc

import (
	"encoding/json"
	"strconv"
	"sync"
)

// asked is the table of our requests to the host. The library has one too, but
// it decodes what the host answers, and ends the connection when it cannot.
type asked struct {
	mu      sync.Mutex               // guards what follows
	last    uint64                   // id given last; they count from 1
	waiting map[uint64]chan *message // by id; those that somebody waits for
	closed  bool                     // no answer will come any more
}

// add enters a request. Its channel has the answer, or is closed without one
// when none can come any more. It is false when none can come already.
func (t *asked) add() (id uint64, answer <-chan *message, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, nil, false
	}
	c := make(chan *message, 1)
	t.last++
	if t.waiting == nil {
		t.waiting = map[uint64]chan *message{}
	}
	t.waiting[t.last] = c
	return t.last, c, true
}

// forget gives a request up. Its answer may still come.
func (t *asked) forget(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, id)
}

// answer hands a response of the host to whoever waits for it. made says
// whether there ever was such a request.
func (t *asked) answer(m *message) (made bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok := ownID(m.id)
	if !ok || id == 0 || id > t.last {
		return false
	}
	if c := t.waiting[id]; c != nil {
		delete(t.waiting, id)
		c <- m // capacity 1, one answer
	}
	return true
}

// close ends every wait, now and later.
func (t *asked) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, c := range t.waiting {
		close(c)
	}
	clear(t.waiting)
}

// ownID reads an id as we write them.
func ownID(raw json.RawMessage) (uint64, bool) {
	id, err := strconv.ParseUint(string(raw), 10, 64)
	return id, err == nil
}
