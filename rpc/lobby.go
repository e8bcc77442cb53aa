package rpc

import "sync"

// lobby is where requests wait that came before the answer to initialize.
type lobby struct {
	mu       sync.Mutex // guards what follows
	isOpen   bool
	arrivals []func()
}

// pass calls start, now or, in order, when the lobby opens.
func (l *lobby) pass(start func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isOpen {
		start()
		return
	}
	l.arrivals = append(l.arrivals, start)
}

// open lets everybody through, for good.
func (l *lobby) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isOpen = true
	for _, start := range l.arrivals {
		start()
	}
	l.arrivals = nil
}
