package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var (
	// errOverloaded says that too many calls of one client wait for one server.
	// On the wire it is 1007.
	errOverloaded = errors.New("too many calls are waiting for this server")
	// errTurnedAway is what to close a turnstile with whose server has ended.
	errTurnedAway = errors.New("the server takes no more calls")
)

// turnstile lets the calls of one server through: a fixed number at once, more
// in order, the clients taking turns. A client is known by a number of the
// caller's choice.
//
// One client alone gets all the room there is. When clients compete, each can
// always run assured calls, so that one whose calls hang never shuts out
// another; beyond the first client the total may exceed limit by that much.
type turnstile struct {
	limit   int // calls running at once
	queue   int // calls of one client that may wait
	assured int // calls a client may run whatever the others do

	mu      sync.Mutex
	running int               // guarded by mu; over all clients
	clients map[int]*turnLine // guarded by mu; those with a call running or waiting
	turns   []*turnLine       // guarded by mu; those with a call waiting, next turn first
	closed  error             // guarded by mu; why, when closed
	empty   chan struct{}     // guarded by mu; closed when nothing runs, once somebody waits for that
}

// turnLine is one client's line. Guarded by turnstile.mu.
type turnLine struct {
	client  int
	running int
	waiting []*turn // oldest first
}

// turn is one call that waits. Guarded by turnstile.mu until done is closed,
// constant after.
type turn struct {
	done chan struct{} // closed when the wait is over
	err  error         // nil: it has its turn
}

func newTurnstile(limit, queue, assured int) *turnstile {
	return &turnstile{limit: limit, queue: queue, assured: assured, clients: make(map[int]*turnLine)}
}

// acquire waits for a turn of client and returns what ends it; calling that
// more than once does no harm. It fails with errOverloaded, with the cause of
// ctx, or with the error given to close.
func (t *turnstile) acquire(ctx context.Context, client int) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	line, w, err := t.enter(client)
	if err != nil {
		return nil, err
	}
	if w != nil {
		select {
		case <-w.done:
		case <-ctx.Done():
			if t.leave(line, w) {
				return nil, context.Cause(ctx)
			}
			// The turn came at the same time: it must be given back.
		}
		if w.err != nil {
			return nil, w.err
		}
	}
	release = sync.OnceFunc(func() { t.exit(line) })
	if ctx.Err() != nil {
		release()
		return nil, context.Cause(ctx)
	}
	return release, nil
}

// enter takes a turn at once (the turn is nil) or joins the line.
func (t *turnstile) enter(client int) (*turnLine, *turn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed != nil {
		return nil, nil, t.closed
	}
	line := t.clients[client]
	if line == nil {
		line = &turnLine{client: client}
		t.clients[client] = line
	}
	if len(line.waiting) == 0 && t.room(line) {
		t.start(line)
		return line, nil, nil
	}
	if len(line.waiting) >= t.queue {
		t.forget(line)
		return nil, nil, errOverloaded
	}
	w := &turn{done: make(chan struct{})}
	if len(line.waiting) == 0 {
		t.turns = append(t.turns, line)
	}
	line.waiting = append(line.waiting, w)
	return line, w, nil
}

// leave takes w out of the line. It is false when the wait was over before.
func (t *turnstile) leave(line *turnLine, w *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(line.waiting, w)
	if i < 0 {
		return false
	}
	line.waiting = slices.Delete(line.waiting, i, i+1)
	if len(line.waiting) == 0 {
		t.turns = slices.DeleteFunc(t.turns, func(l *turnLine) bool { return l == line })
	}
	t.forget(line)
	return true
}

// exit ends a call and lets in whoever has room now.
func (t *turnstile) exit(line *turnLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	line.running--
	for {
		i := slices.IndexFunc(t.turns, t.room)
		if i < 0 {
			break
		}
		next := t.turns[i]
		t.turns = slices.Delete(t.turns, i, i+1)
		w := next.waiting[0]
		next.waiting = slices.Delete(next.waiting, 0, 1)
		if len(next.waiting) > 0 {
			t.turns = append(t.turns, next)
		}
		t.start(next)
		close(w.done)
	}
	if t.empty != nil && t.running == 0 {
		close(t.empty)
	}
	t.forget(line)
}

// close fails everybody who waits and whoever comes later with err. Calls that
// run are not touched.
func (t *turnstile) close(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = err
	for _, line := range t.turns {
		for _, w := range line.waiting {
			w.err = err
			close(w.done)
		}
		line.waiting = nil
		t.forget(line)
	}
	t.turns = nil
}

// drained is closed when no call runs, of a turnstile that is closed.
func (t *turnstile) drained() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.empty == nil {
		t.empty = make(chan struct{})
		if t.running == 0 {
			close(t.empty)
		}
	}
	return t.empty
}

// room says whether a call of line may start now. The caller holds mu.
func (t *turnstile) room(line *turnLine) bool {
	return t.running < t.limit || line.running < t.assured
}

// start counts a call in. The caller holds mu.
func (t *turnstile) start(line *turnLine) {
	t.running++
	line.running++
}

// forget drops a client that has nothing here. The caller holds mu.
func (t *turnstile) forget(line *turnLine) {
	if line.running == 0 && len(line.waiting) == 0 {
		delete(t.clients, line.client)
	}
}
