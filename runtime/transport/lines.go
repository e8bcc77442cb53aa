package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSample bounds what is shown of noise, in bytes.
const maxSample = 200

// lineReader splits what a server writes to stdout into JSON-RPC messages and
// everything else: servers print banners and logs there. It does not change, and
// calls back from the goroutine that reads.
type lineReader struct {
	// message is given each message, in order.
	message func(envelope)
	// unusable is given an answer that cannot be taken, and is false if nobody
	// waits for it: then it is noise.
	unusable func(id json.RawMessage, why *Error) bool
	// noise is given everything else, once for each line, whole unless it is over
	// the limit, and what is to be said about it. Lines of nothing but space are
	// not noise.
	noise func(about string, text []byte)
	// limit is the longest line that is kept, in bytes: maxMessage.
	limit int
}

// read ends when r does.
func (l *lineReader) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, long, err := l.next(in)
		if long != nil {
			l.tooLong(long)
		} else {
			l.split(line)
		}
		if err != nil {
			return
		}
	}
}

func (l *lineReader) tooLong(long *longLine) {
	why := tooLarge(long.size, int64(l.limit), false)
	if id := long.outline.answered(); id == nil || !l.unusable(id, why) {
		l.noise(why.Message, nil)
	}
}

// next returns one line in memory of its own, or what is left of one over the
// limit. The last line needs no line end.
func (l *lineReader) next(in *bufio.Reader) ([]byte, *longLine, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > l.limit {
			long, err := skipLine(in, line, part, err)
			return nil, long, err
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, nil, err
		}
	}
}

// split tells the messages of a line from the rest. More than one message may
// stand on a line, and 2025-03-26 has batches. It goes over each part once, in
// one frame of the stack: a line of 64 MiB has room for millions.
func (l *lineReader) split(line []byte) {
	line = trimLine(line)
	if len(line) > 0 && line[0] != '{' && line[0] != '[' {
		l.noise("", line)
		return
	}
	text, repaired := repairUTF8(line)
	for len(text) > 0 {
		if text[0] == '[' && l.batch(text) {
			return
		}
		e, rest, ok := scanFirst(text)
		if !ok {
			if id, why := unusableAnswer(text); id == nil || !l.unusable(id, why) {
				l.noise("", text)
			}
			return
		}
		if repaired {
			l.noise("a message that is not valid UTF-8, repaired: ", text)
			repaired = false
		}
		l.message(e)
		text = trimLine(rest)
	}
}

// trimLine takes the space and a byte order mark from around a text.
func trimLine(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\uFEFF")))
}

// batch passes on an array of messages; it is false if anything else is in it.
func (l *lineReader) batch(text []byte) bool {
	value := jsontext.Value(text)
	if !value.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return false
	}
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) != nil || len(elements) == 0 {
		return false
	}
	parts := make([]struct {
		message envelope
		id      json.RawMessage // of an answer that cannot be used
		why     *Error          // nil for a message
	}, len(elements))
	for i, element := range elements {
		p, ok := &parts[i], false
		if p.message, ok = scanEnvelope(element); ok {
			continue
		}
		if p.id, p.why = unusableAnswer(element); p.id == nil {
			return false
		}
	}
	for i, p := range parts {
		if p.why == nil {
			l.message(p.message)
		} else if !l.unusable(p.id, p.why) {
			l.noise("", elements[i])
		}
	}
	return true
}

// longLine is what is told of a line over the limit.
type longLine struct {
	outline outline
	size    int64
}

// skipLine reads to the end of a line of which begun and part are read, in
// memory that does not grow. part's own error tells whether the line goes on.
func skipLine(in *bufio.Reader, begun, part []byte, err error) (*longLine, error) {
	long := &longLine{size: int64(len(begun))}
	long.outline.feed(bytes.TrimPrefix(begun, []byte("\uFEFF")))
	for {
		long.size += int64(len(part))
		long.outline.feed(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
		part, err = in.ReadSlice('\n')
	}
}
