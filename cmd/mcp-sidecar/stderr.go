package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// maxBacklog bounds the text that waits for a slow reader, in bytes.
const maxBacklog = 1 << 20

// flushLimit bounds the wait for that text at the end.
const flushLimit = time.Second

// lineWriter writes texts to a file without waiting for it: a host that does not
// read our standard error must not stop us. What does not fit is dropped, each
// text as a whole, and the next one that fits comes after the number of those.
type lineWriter struct {
	out   io.Writer     // its goroutine's
	ready chan struct{} // holds one; there may be something to do

	mu      sync.Mutex
	waiting []byte // guarded by mu
	dropped int    // guarded by mu; since waiting was last taken
	closing bool   // guarded by mu; nothing is added any more
	// flushed are closed when what waits now has been written; guarded by mu.
	flushed []chan struct{}
}

// newLineWriter starts one. Its goroutine ends with close, or, if a write never
// returns, with the process.
func newLineWriter(out io.Writer) *lineWriter {
	w := &lineWriter{out: out, ready: make(chan struct{}, 1)}
	go w.run()
	return w
}

// Write implements io.Writer. It takes whole lines and never fails.
func (w *lineWriter) Write(text []byte) (int, error) {
	w.put(text)
	w.wake()
	return len(text), nil
}

func (w *lineWriter) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

func (w *lineWriter) put(text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closing:
	case w.dropped > 0 || len(w.waiting)+len(text) > maxBacklog:
		w.dropped++ // and all that follow, so that the count stands where they would
	default:
		w.waiting = append(w.waiting, text...)
	}
}

func (w *lineWriter) run() {
	for range w.ready {
		batch, flushed, last := w.take()
		if len(batch) > 0 {
			_, _ = w.out.Write(batch) // nobody is left to be told
		}
		for _, told := range flushed {
			close(told)
		}
		if last {
			return
		}
	}
}

// take is what waits, and who waits for it; last says that nothing follows.
func (w *lineWriter) take() (batch []byte, flushed []chan struct{}, last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch, flushed = w.waiting, w.flushed
	if w.dropped > 0 {
		batch = fmt.Appendf(batch, "mcp-sidecar: %s dropped here: nobody was reading\n", counted(w.dropped, "line"))
	}
	w.waiting, w.dropped, w.flushed = nil, 0, nil
	return batch, flushed, w.closing
}

// flush waits until everything so far has been written, but no longer than
// limit.
func (w *lineWriter) flush(limit time.Duration) { w.finish(limit, false) }

// close takes nothing any more and waits for what is left to be written, but no
// longer than limit. The second of two does nothing.
func (w *lineWriter) close(limit time.Duration) { w.finish(limit, true) }

func (w *lineWriter) finish(limit time.Duration, last bool) {
	told := make(chan struct{})
	w.mu.Lock()
	closed := w.closing
	w.closing = w.closing || last
	w.flushed = append(w.flushed, told)
	w.mu.Unlock()
	if closed {
		return
	}
	w.wake()
	expired := time.NewTimer(limit)
	defer expired.Stop()
	select {
	case <-told:
	case <-expired.C:
	}
}
