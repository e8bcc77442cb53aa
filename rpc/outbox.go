package rpc

import (
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// ErrClosed is the end of a connection, for whoever still wants to say
// something on it.
var ErrClosed = errors.New("the connection to the host is closed")

// ErrStalled is why a host that does not read any more was given up.
var ErrStalled = fmt.Errorf("the host has taken nothing for %s while more than %d MiB wait for it", stallTime, stallBytes>>20)

// frame is one message that waits to be written. It is rendered by the writer,
// so what it refers to must not change any more.
type frame struct {
	id     json.RawMessage // of a result, or of a request to the host
	method string          // "" for a result
	value  body            // result or params; nil for an error
	fault  *Error          // of a result
	key    string          // of the unsent notification this one replaces; "" for none
	size   int             // estimate of its bytes
}

// barrier reports whether no notification may be moved across f: results,
// requests, and what withdraws a request.
func (f *frame) barrier() bool { return f.key == "" && f.method != MethodLog }

// merger is a value that takes up the unsent one it replaces.
type merger interface {
	merge(older body)
}

// outbox is the one writer of a host's stream. Putting never blocks. Frames
// leave in order, except that a frame with a key makes an unsent one of the same
// key disappear; never across a barrier.
type outbox struct {
	w    io.WriteCloser
	gone chan struct{} // closed when the host is known to read no more
	done chan struct{} // closed when the writer has returned

	mu      sync.Mutex // guards what follows
	wake    sync.Cond  // of mu: there may be something to do for the writer
	queue   list.List  // of *frame
	keyed   map[string]*list.Element
	framing Framing // FramingAuto: nothing can be written yet
	closed  bool    // nothing is taken any more
	err     error   // of the stream; what was queued is lost
	unsent  int     // estimate of bytes, with the frame that is being written
	moved   time.Time
	roomy   chan struct{} // of the one who waits for room; nil if nobody does
	watch   *time.Timer   // runs while unsent is above stallBytes; nil otherwise
	logs    int           // unsent runtime/log notifications
	logSize int           // of them, in estimated bytes
	dropped int           // of them, since the last one that was queued
}

func newOutbox(w io.WriteCloser, framing Framing) *outbox {
	o := &outbox{
		w: w, gone: make(chan struct{}), done: make(chan struct{}),
		keyed: map[string]*list.Element{}, framing: framing,
	}
	o.wake.L = &o.mu
	return o
}

// put queues f, in its place. The error is ErrClosed: nobody will read it.
func (o *outbox) put(f *frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.putLocked(f)
}

func (o *outbox) putLocked(f *frame) error {
	if o.closed || o.err != nil {
		return ErrClosed
	}
	if o.unsent == 0 {
		o.moved = time.Now() // an idle writer does not stall
	}
	if f.barrier() {
		clear(o.keyed)
	}
	if e := o.keyed[f.key]; e != nil && f.key != "" {
		older, _ := o.queue.Remove(e).(*frame)
		o.unsent -= older.size
		if m, ok := f.value.(merger); ok {
			m.merge(older.value)
		}
	}
	f.size = sizeOf(f)
	o.unsent += f.size
	e := o.queue.PushBack(f)
	if f.key != "" {
		o.keyed[f.key] = e
	}
	if o.unsent > stallBytes && o.watch == nil {
		o.watch = time.AfterFunc(stallTime, o.checkStall)
	}
	o.wake.Signal()
	return nil
}

// log queues a message for the user's log if there is room for it. The next one
// that is queued says how many were not.
func (o *outbox) log(p *LogParams) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.logs >= maxUnsentLogs || o.logSize+p.size() > maxUnsentLogBytes {
		o.dropped++
		return nil
	}
	if o.dropped > 0 {
		p = &LogParams{Level: p.Level, Server: p.Server, Message: p.Message +
			fmt.Sprintf(" (%d earlier messages were dropped)", o.dropped)}
	}
	f := &frame{method: MethodLog, value: p}
	if err := o.putLocked(f); err != nil {
		return err
	}
	o.logs++
	o.logSize += f.size
	o.dropped = 0
	return nil
}

// idle is how long the host has taken nothing.
func (o *outbox) idle() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.moved)
}

// checkStall gives up a host that took nothing for stallTime.
func (o *outbox) checkStall() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.unsent <= stallBytes {
		o.watch = nil
		return
	}
	if idle := time.Since(o.moved); idle < stallTime {
		o.watch.Reset(stallTime - idle)
		return
	}
	o.failLocked(ErrStalled)
}

// fail ends the outbox: the host cannot be written to.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failLocked(err)
}

func (o *outbox) failLocked(err error) {
	if o.err != nil {
		return
	}
	o.err = err
	o.queue.Init()
	clear(o.keyed)
	o.signalRoom()
	if o.watch != nil {
		o.watch.Stop()
	}
	close(o.gone)
	o.wake.Signal()
}

// reason is why the host is gone, nil if it is not.
func (o *outbox) reason() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// setFraming tells how to write; until then everything waits.
func (o *outbox) setFraming(f Framing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.framing = f
	o.wake.Signal()
}

// close takes no more frames. The writer ends when what is queued has left.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.framing == FramingAuto {
		o.framing = FramingHeaders // the host never said a word
	}
	o.wake.Signal()
}

// run writes until the outbox is closed and empty, or until writing fails.
func (o *outbox) run() {
	defer close(o.done)
	var buf []byte
	for {
		f, framing := o.take()
		if f == nil {
			return
		}
		if cap(buf) > keepBuffer {
			buf = nil
		}
		buf = appendFrame(buf[:0], f, framing)
		if err := o.write(buf); err != nil {
			o.fail(err)
			return
		}
		o.sent(f)
	}
}

// take waits for the next frame; nil means that there will be none.
func (o *outbox) take() (*frame, Framing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && !o.closed && (o.queue.Len() == 0 || o.framing == FramingAuto) {
		o.wake.Wait()
	}
	front := o.queue.Front()
	if o.err != nil || front == nil {
		return nil, ""
	}
	f, _ := o.queue.Remove(front).(*frame)
	if o.keyed[f.key] == front {
		delete(o.keyed, f.key)
	}
	if f.method == MethodLog {
		o.logs--
		o.logSize -= f.size
	}
	return f, o.framing
}

func (o *outbox) sent(f *frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unsent -= f.size
	o.signalRoom()
}

// room is closed when no more than stallBytes wait, or when nobody will read them.
func (o *outbox) room() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	room := make(chan struct{})
	o.roomy = room
	o.signalRoom()
	return room
}

// signalRoom tells the one who waits for room, if there is some. Called with mu
// held.
func (o *outbox) signalRoom() {
	if o.roomy != nil && (o.unsent <= stallBytes || o.err != nil) {
		close(o.roomy)
		o.roomy = nil
	}
}

// write hands buf over in parts, so that progress within it is seen.
func (o *outbox) write(buf []byte) error {
	for len(buf) > 0 {
		n := min(len(buf), writeChunk)
		if _, err := o.w.Write(buf[:n]); err != nil {
			return err
		}
		buf = buf[n:]
		o.mu.Lock()
		o.moved = time.Now()
		o.mu.Unlock()
	}
	return nil
}

// headerRoom holds "Content-Length: ", any length, and the blank line.
const headerRoom = len("Content-Length: ") + 20 + len("\r\n\r\n")

// appendFrame renders f into buf, which is empty, and returns its bytes, which
// may begin inside buf: the header is put before the body, whose length is
// known only then.
func appendFrame(buf []byte, f *frame, framing Framing) []byte {
	if framing == FramingNDJSON {
		buf = appendMessage(buf, f)
		for i, b := range buf {
			if b == '\n' || b == '\r' { // outside strings only: within them JSON forbids both
				buf[i] = ' '
			}
		}
		return append(buf, '\n')
	}
	var room [headerRoom]byte
	buf = appendMessage(append(buf, room[:]...), f)
	header := append(room[:0], "Content-Length: "...)
	header = strconv.AppendInt(header, int64(len(buf)-headerRoom), 10)
	header = append(header, "\r\n\r\n"...)
	start := headerRoom - len(header)
	copy(buf[start:], header)
	return buf[start:]
}

// appendMessage renders the JSON of f.
func appendMessage(dst []byte, f *frame) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if f.id != nil {
		dst = append(appendName(dst, "id"), f.id...)
	} else if f.method == "" {
		dst = append(dst, `,"id":null`...)
	}
	switch {
	case f.method != "":
		dst = appendString(appendName(dst, "method"), f.method)
		dst = f.value.AppendJSON(appendName(dst, "params"))
	case f.fault != nil:
		dst = appendError(appendName(dst, "error"), f.fault)
	default:
		dst = f.value.AppendJSON(appendName(dst, "result"))
	}
	return append(dst, '}')
}

// sizeOf estimates the bytes of f without rendering it.
func sizeOf(f *frame) int {
	const envelope = 64
	n := envelope + len(f.id) + len(f.method)
	switch {
	case f.value != nil:
		n += f.value.size()
	case f.fault != nil:
		n += len(f.fault.Message)
		if raw, ok := f.fault.Data.(json.RawMessage); ok { // other data is ours, and small
			n += len(raw)
		}
	}
	return n
}
