package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// sseEvent is one server-sent event (WHATWG HTML, section 9.2).
type sseEvent struct {
	name string // "" means "message"
	// id is the id the event set, or "": also where the stream ended before the
	// event did, which then is none that a continuation could follow.
	id string
	// retry is the reconnection delay the event set, or 0.
	retry time.Duration
	// data is the event's own: it is never reused.
	data  []byte
	lines int // of data
	// size is how long the data was, also where it is over the limit.
	size int
	// over has seen all data of an event over the limit, of which data holds only
	// the beginning. It is nil for others.
	over *outline
}

func (e *sseEvent) tooLarge() bool { return e.over != nil }

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
	)
	for {
		line, taken, err := r.readLine(&event)
		if err != nil {
			if errors.Is(err, io.EOF) && begun {
				event.id = ""
				return event, nil
			}
			return sseEvent{}, err
		}
		if len(line) == 0 && !taken {
			if begun {
				return event, nil
			}
			continue
		}
		begun = taken || event.takeField(line, r.limit) || begun
	}
}

// takeField is false for a comment or a field nobody knows: it makes no event.
func (e *sseEvent) takeField(line []byte, limit int) bool {
	name, value, found := bytes.Cut(line, []byte{':'})
	if !found {
		name, value = line, nil
	}
	value = bytes.TrimPrefix(value, []byte{' '})
	if string(name) == "data" {
		e.beginLine(limit)
		e.add(value, limit)
		return true
	}
	value = value[:min(limit, len(value))]
	switch string(name) {
	case "event":
		e.name = string(value)
	case "id":
		e.id = string(value)
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	default:
		return false
	}
	return true
}

// beginLine begins a line of data.
func (e *sseEvent) beginLine(limit int) {
	if e.lines++; e.lines > 1 {
		e.add([]byte{'\n'}, limit)
	}
}

// add takes a piece of the data.
func (e *sseEvent) add(piece []byte, limit int) {
	e.size += len(piece)
	if e.over != nil {
		e.over.feed(piece)
		return
	}
	keep := min(limit-len(e.data), len(piece))
	if e.data == nil {
		e.data = make([]byte, 0, keep)
	}
	e.data = append(e.data, piece[:keep]...)
	if keep < len(piece) {
		e.over = &outline{}
		e.over.feed(e.data)
		e.over.feed(piece[keep:])
	}
}

// readLine returns a line without its ending. Of a line over the limit, data is
// taken by the event, and of any other field the rest is dropped. The line is
// valid until the next call.
func (r *sseReader) readLine(event *sseEvent) (line []byte, taken bool, err error) {
	if cap(r.line) > 1<<20 {
		r.line = nil // one large message is no reason to hold on to its memory
	}
	r.line = r.line[:0]
	for read := false; ; read = true {
		buf, err := r.fill()
		if err != nil {
			if errors.Is(err, io.EOF) && read {
				return r.line, taken, nil
			}
			return nil, false, err
		}
		end := lineEnd(buf)
		if end >= 0 && !read {
			r.consume(buf, end)
			return buf[:end], false, nil
		}
		part := buf
		if end >= 0 {
			part = buf[:end]
		}
		taken = r.keep(part, taken, event)
		r.consume(buf, end)
		if end >= 0 {
			return r.line, taken, nil
		}
	}
}

// keep takes a piece of a line, and reports whether the event takes it: from
// where it is over the limit, if it is data.
func (r *sseReader) keep(part []byte, taken bool, event *sseEvent) bool {
	if taken {
		event.add(part, r.limit)
		return true
	}
	room := r.limit + len("event: ") - len(r.line) // no name we know is longer
	if len(part) <= room {
		r.line = append(r.line, part...)
		return false
	}
	r.line = append(r.line, part[:room]...)
	if !bytes.HasPrefix(r.line, []byte("data:")) {
		return false
	}
	event.takeField(r.line, r.limit)
	event.add(part[room:], r.limit)
	return true
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
