package runtime

import "sync"

// mailbox is the one queue that loops take from. Posting never blocks and
// keeps the order; the loop has one case for it in its select:
//
//	case <-m.ready():
//		for _, v := range m.take() {
//
// It is unbounded: what is posted is bounded by whoever posts.
type mailbox[T any] struct {
	wake chan struct{} // capacity 1: full exactly when items may be non-empty

	mu     sync.Mutex
	items  []T  // guarded by mu
	closed bool // guarded by mu
}

func newMailbox[T any]() *mailbox[T] {
	return &mailbox[T]{wake: make(chan struct{}, 1)}
}

// post adds v. It is false when the mailbox is closed and v was dropped.
func (m *mailbox[T]) post(v T) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.items = append(m.items, v)
	select {
	case m.wake <- struct{}{}:
	default: // the loop has been woken already and will find v
	}
	return true
}

// ready is readable when there may be something to take.
func (m *mailbox[T]) ready() <-chan struct{} { return m.wake }

// take gives everything posted since the last time, oldest first. It may be
// nothing. The slice is the caller's.
func (m *mailbox[T]) take() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}

// close makes every later post false, and takes what was posted before, so that
// its senders can be answered.
func (m *mailbox[T]) close() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	items := m.items
	m.items = nil
	return items
}
