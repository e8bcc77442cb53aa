package transport

import (
	"bytes"
	"io"
	"sync"
)

const (
	// maxStderrLine is where a line of stderr is cut, in bytes.
	maxStderrLine = 8 << 10
	// keptStderrLine is how much of it is kept for that, in bytes. One byte more
	// tells that there was more.
	keptStderrLine = maxStderrLine + redactMargin + 1
	// maxStderrTail bounds what is kept for errors, in bytes.
	maxStderrTail = 64 << 10
	// shownStderr is how many lines of it an error carries.
	shownStderr = 20
)

// stderrTail reads a process's stderr line by line and keeps the end of it.
type stderrTail struct {
	line   func(string) // may be nil
	redact redactor

	mu    sync.Mutex
	lines []string // guarded by mu
	bytes int      // guarded by mu; in lines
}

// read ends when r does.
func (t *stderrTail) read(r io.Reader) {
	buf := make([]byte, 16<<10)
	var a assembler
	for {
		n, err := r.Read(buf)
		a.add(buf[:n], t.keep)
		if err != nil {
			a.end(t.keep)
			return
		}
	}
}

// keep reports a line and remembers it. Blank ones are nothing.
func (t *stderrTail) keep(raw []byte) {
	raw = bytes.TrimRight(raw, " \t\r")
	if len(raw) == 0 {
		return
	}
	line := t.redact.shorten(raw, maxStderrLine)
	t.mu.Lock()
	t.lines = append(t.lines, line)
	t.bytes += len(line)
	for t.bytes > maxStderrTail {
		t.bytes -= len(t.lines[0])
		t.lines = t.lines[1:]
	}
	t.mu.Unlock()
	if t.line != nil {
		t.line(line)
	}
}

// last are the last lines, the oldest first.
func (t *stderrTail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines[max(0, len(t.lines)-shownStderr):]...)
}

// assembler makes lines of pieces, as a terminal would show them: a carriage
// return takes the line back to its start, so that of a progress bar only the
// last state counts.
type assembler struct {
	line []byte // up to keptStderrLine
	back bool   // a carriage return was the last thing seen
}

func (a *assembler) add(piece []byte, emit func([]byte)) {
	for len(piece) > 0 {
		end := bytes.IndexAny(piece, "\r\n")
		text := piece
		if end >= 0 {
			text = piece[:end]
		}
		if len(text) > 0 {
			if a.back {
				a.line, a.back = a.line[:0], false
			}
			a.line = append(a.line, text[:min(len(text), keptStderrLine-len(a.line))]...)
		}
		if end < 0 {
			return
		}
		if piece[end] == '\n' {
			a.end(emit)
		} else {
			a.back = true
		}
		piece = piece[end+1:]
	}
}

// end completes the line.
func (a *assembler) end(emit func([]byte)) {
	emit(a.line)
	a.line, a.back = a.line[:0], false
}
