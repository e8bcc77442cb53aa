package rpc

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
)

// asked is the table of our requests to the other side. The library has one too,
// but it decodes what the other side answers, and ends the connection when it
// cannot.
type asked struct {
	mu      sync.Mutex                // guards what follows
	last    uint64                    // id given last; they count from 1
	waiting map[uint64]func(*message) // by id; those that somebody waits for
	closed  bool                      // no answer will come any more
}

// ask makes a request, and gives what read makes of the answer. read is called by
// whoever reads it, before anything later is read. The error is ErrClosed when no
// answer can come, and the cause of ctx when that ends first: then the request is
// withdrawn.
func (t *asked) ask(ctx context.Context, out *outbox, method string, params body, read func(*message) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(chan error, 1)
	id, ok := t.add(func(m *message) {
		if m == nil {
			done <- ErrClosed
		} else {
			done <- read(m)
		}
	})
	if !ok {
		return ErrClosed
	}
	rawID := strconv.AppendUint(nil, id, 10)
	if err := out.put(&frame{id: rawID, method: method, value: params}); err != nil {
		t.forget(id)
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if !t.forget(id) {
			return <-done // the answer has just come
		}
		// Who is gone needs to be told nothing.
		_ = out.put(&frame{method: MethodCancelRequest, value: &CancelParams{ID: rawID}})
		return context.Cause(ctx)
	}
}

// add enters a request. deliver is called once, unless the request is forgotten:
// with the answer, by whoever reads it, or with nil when none can come any more.
// It is false when none can come already.
func (t *asked) add(deliver func(*message)) (id uint64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, false
	}
	t.last++
	if t.waiting == nil {
		t.waiting = map[uint64]func(*message){}
	}
	t.waiting[t.last] = deliver
	return t.last, true
}

// forget gives a request up. Its answer may still come. It is false if that has
// come: then it is, or will be, delivered.
func (t *asked) forget(id uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, waits := t.waiting[id]
	delete(t.waiting, id)
	return waits
}

// answer hands a response to whoever waits for it. made says whether there ever
// was such a request.
func (t *asked) answer(m *message) (made bool) {
	id, ok := ownID(m.id)
	t.mu.Lock()
	deliver := t.waiting[id]
	delete(t.waiting, id)
	made = ok && id != 0 && id <= t.last
	t.mu.Unlock()
	if made && deliver != nil {
		deliver(m)
	}
	return made
}

// close ends every wait, now and later.
func (t *asked) close() {
	t.mu.Lock()
	waiting := t.waiting
	t.closed, t.waiting = true, nil
	t.mu.Unlock()
	for _, deliver := range waiting {
		deliver(nil)
	}
}

// ownID reads an id as we write them.
func ownID(raw json.RawMessage) (uint64, bool) {
	id, err := strconv.ParseUint(string(raw), 10, 64)
	return id, err == nil
}
