package transport

import (
	"context"
	"io"
	"slices"
	"sync"
)

// maxUnsent bounds the bytes that wait for a server that does not read. One
// frame may be larger, when nothing else waits.
const maxUnsent = 8 << 20

// A ticket is a frame that was handed over to be sent.
type ticket interface {
	// withdraw takes the frame back if no byte of it has been written, and
	// reports whether that is so: true means that the server cannot have seen
	// it.
	withdraw() bool
}

// writer sends frames to a server in order, from one goroutine, so that a
// server that stops reading blocks nobody but those who wait for it.
type writer struct {
	out  io.WriteCloser
	wake chan struct{} // cap 1: there may be something to write, or to end for
	done chan struct{} // closed when run has returned

	mu     sync.Mutex
	queue  []*queued     // guarded by mu; not begun
	bytes  int           // guarded by mu; in queue
	room   chan struct{} // guarded by mu; nil unless somebody waits for queue to shrink
	closed bool          // guarded by mu; nothing is sent any more
}

// queued is one frame, newline included.
type queued struct {
	w    *writer
	data []byte
}

// newWriter starts a writer. It ends when it is closed or out fails.
func newWriter(out io.WriteCloser) *writer {
	w := &writer{
		out:  out,
		wake: make(chan struct{}, 1),
		done: make(chan struct{}),
	}
	go w.run()
	return w
}

// send queues one frame and appends the newline. It waits for room, and no
// longer than ctx lasts. An error means that the frame was not queued: ctx's
// cause, or io.ErrClosedPipe.
func (w *writer) send(ctx context.Context, frame []byte) (ticket, error) {
	q := &queued{w: w, data: append(frame, '\n')}
	for {
		taken, room := w.enqueue(q)
		switch {
		case taken:
			return q, nil
		case room == nil:
			return nil, io.ErrClosedPipe
		}
		select {
		case <-room:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// offer queues one frame if there is room for it now.
func (w *writer) offer(frame []byte) bool {
	taken, _ := w.enqueue(&queued{w: w, data: append(frame, '\n')})
	return taken
}

// enqueue reports whether it has queued the frame. If not, there is no room
// before room is closed, or room is nil and nothing is sent any more.
func (w *writer) enqueue(q *queued) (taken bool, room <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false, nil
	}
	if len(w.queue) > 0 && w.bytes+len(q.data) > maxUnsent {
		if w.room == nil {
			w.room = make(chan struct{})
		}
		return false, w.room
	}
	w.queue = append(w.queue, q)
	w.bytes += len(q.data)
	w.poke()
	return true, nil
}

func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// withdraw implements ticket.
func (q *queued) withdraw() bool {
	w := q.w
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.queue, q)
	if i < 0 {
		return false
	}
	w.queue = slices.Delete(w.queue, i, i+1)
	w.shrunk(len(q.data))
	return true
}

// shrunk wakes those who wait for room. The caller holds mu.
func (w *writer) shrunk(size int) {
	w.bytes -= size
	w.wakeWaiters()
}

// wakeWaiters lets those who wait for room look again. The caller holds mu.
func (w *writer) wakeWaiters() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// next takes the first frame; from then on it counts as begun.
func (w *writer) next() (q *queued, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.queue) == 0 {
		return nil, w.closed
	}
	q, w.queue[0] = w.queue[0], nil
	w.queue = w.queue[1:]
	w.shrunk(len(q.data))
	return q, false
}

func (w *writer) run() {
	defer close(w.done)
	for range w.wake {
		for {
			q, closed := w.next()
			if closed {
				return
			}
			if q == nil {
				break
			}
			if _, err := w.out.Write(q.data); err != nil {
				w.shut()
				return
			}
		}
	}
}

// shut refuses further frames. What is queued stays there, so that it can be
// told apart from what was begun.
func (w *writer) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.wakeWaiters()
}

// close ends the stream, interrupting a write that is stuck, and waits for the
// goroutine. The server sees the end of its input.
func (w *writer) close() {
	w.shut()
	w.poke()
	// The error says that it was closed before; that is the purpose.
	_ = w.out.Close()
	<-w.done
}
