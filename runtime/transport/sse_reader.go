package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// sseTail is how much of the end of an oversized event is kept, in bytes: an id
// may stand after the result.
const sseTail = 1 << 10

// sseEvent is one server-sent event (WHATWG HTML, section 9.2).
type sseEvent struct {
	name string // "" means "message"
	// id is the id the event set, or "".
	id string
	// retry is the reconnection delay the event set, or 0.
	retry time.Duration
	// data is the event's own: it is never reused.
	data []byte
	// size is how long the data was. It is more than maxMessage when data and
	// tail hold only its beginning and its end.
	size int
	tail []byte
}

func (e *sseEvent) tooLarge() bool { return e.size > len(e.data) }

// isMessage is false for events that carry no JSON-RPC, such as pings and the
// events that only prime the id.
func (e *sseEvent) isMessage() bool {
	return (e.name == "" || e.name == "message") && len(bytes.TrimSpace(e.data)) > 0
}

// sseReader reads server-sent events from real servers: any of the three line
// endings, comments, fields without a colon, a byte order mark, a last event
// without its blank line. It belongs to one goroutine.
type sseReader struct {
	in    *bufio.Reader
	limit int
	begun bool
	// skipLF: the last line ended in CR, so that a LF belongs to it. The CR must
	// not wait for the LF: an event is complete without it.
	skipLF bool
	line   []byte // a line that did not fit in's buffer; reused
}

func newSSEReader(r io.Reader, limit int) *sseReader {
	return &sseReader{in: bufio.NewReaderSize(r, 8<<10), limit: limit}
}

// next returns the next event that has any field. At the clean end of the
// stream it returns io.EOF.
func (r *sseReader) next() (sseEvent, error) {
	var (
		event sseEvent
		begun bool // a field has been read
		lines int  // of data
	)
	for {
		line, size, err := r.readLine()
		if err != nil {
			if errors.Is(err, io.EOF) && begun {
				return event, nil
			}
			return sseEvent{}, err
		}
		if size == 0 {
			if begun {
				return event, nil
			}
			continue
		}
		name, value, found := bytes.Cut(line, []byte{':'})
		if !found {
			name, value = line, nil
		}
		dropped := size - len(line)
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(name) {
		case "data":
			if lines++; lines > 1 {
				event.add([]byte{'\n'}, 0, r.limit)
			}
			event.add(value, dropped, r.limit)
		case "event":
			event.name = string(value)
		case "id":
			event.id = string(value)
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				event.retry = time.Duration(ms) * time.Millisecond
			}
		default:
			continue // a comment or a field nobody knows makes no event
		}
		begun = true
	}
}

// add appends part of the data, and counts dropped bytes that followed it.
func (e *sseEvent) add(part []byte, dropped, limit int) {
	room := max(0, limit-len(e.data))
	if e.size > len(e.data) {
		room = 0
	}
	keep := min(room, len(part))
	if e.data == nil {
		e.data = make([]byte, 0, keep)
	}
	e.data = append(e.data, part[:keep]...)
	e.size += len(part) + dropped
	if e.tooLarge() {
		tail := append(e.tail, part[max(keep, len(part)-sseTail):]...)
		e.tail = bytes.Clone(tail[max(0, len(tail)-sseTail):])
	}
}

// readLine returns a line without its ending, and its size. A line over the
// limit is returned as its beginning and, in the last sseTail bytes, its end.
// The line is valid until the next call.
func (r *sseReader) readLine() (line []byte, size int, err error) {
	if cap(r.line) > 1<<20 {
		r.line = nil // one large message is no reason to hold on to its memory
	}
	r.line = r.line[:0]
	for {
		buf, err := r.fill()
		if err != nil {
			if errors.Is(err, io.EOF) && size > 0 {
				return r.line, size, nil
			}
			return nil, 0, err
		}
		end := lineEnd(buf)
		if end >= 0 && size == 0 {
			r.consume(buf, end)
			return buf[:end], end, nil
		}
		part := buf
		if end >= 0 {
			part = buf[:end]
		}
		r.keep(part)
		size += len(part)
		r.consume(buf, end)
		if end >= 0 {
			return r.line, size, nil
		}
	}
}

// keep appends to the line, whose room is the limit, a field name and the tail:
// past that, the last bytes move through the tail.
func (r *sseReader) keep(part []byte) {
	room := r.limit + len("data: ") + sseTail
	r.line = append(r.line, part...)
	if over := len(r.line) - room; over > 0 {
		tail := r.line[room-sseTail:]
		copy(tail, r.line[len(r.line)-sseTail:])
		r.line = r.line[:room]
	}
}

// fill returns what is buffered, at least one byte, with an LF that belongs to
// the line before, and a byte order mark at the start, removed.
func (r *sseReader) fill() ([]byte, error) {
	if !r.begun {
		r.begun = true
		if mark, _ := r.in.Peek(3); string(mark) == "\ufeff" {
			_, _ = r.in.Discard(3)
		}
	}
	for {
		first, err := r.in.Peek(1)
		if err != nil {
			return nil, err
		}
		if r.skipLF && first[0] == '\n' {
			_, _ = r.in.Discard(1)
			r.skipLF = false
			continue
		}
		r.skipLF = false
		return r.in.Peek(r.in.Buffered())
	}
}

// consume discards a line that ends at end, or all of buf when end is negative.
func (r *sseReader) consume(buf []byte, end int) {
	n := len(buf)
	if end >= 0 {
		n = end + 1
		r.skipLF = buf[end] == '\r'
	}
	_, _ = r.in.Discard(n)
}

func lineEnd(buf []byte) int {
	lf := bytes.IndexByte(buf, '\n')
	if lf >= 0 {
		buf = buf[:lf]
	}
	if cr := bytes.IndexByte(buf, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
