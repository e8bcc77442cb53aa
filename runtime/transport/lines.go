package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// keptHead and keptTail are how much of a line over the limit is kept, in
	// bytes, to learn which request it answers.
	keptHead = 4 << 10
	keptTail = 128
	// maxSample bounds what is shown of noise, in bytes.
	maxSample = 200
)

// lineReader splits what a server writes to stdout into JSON-RPC messages and
// everything else: servers print banners and logs there. It does not change, and
// calls back from the goroutine that reads.
type lineReader struct {
	// message is given each message, in order.
	message func(envelope)
	// tooLong is given a line over the limit: the id of the answer it seems to
	// be, nil if that cannot be told, and its size in bytes.
	tooLong func(id json.RawMessage, size int64)
	// noise is given everything else, once for each line, shortened. Lines of
	// nothing but space are not noise.
	noise func(text string)
	// limit is the longest line that is kept, in bytes: maxMessage.
	limit int
}

// read ends when r does.
func (l *lineReader) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, long, err := l.next(in)
		if long != nil {
			l.tooLong(long.id(), long.size)
		} else {
			l.split(line)
		}
		if err != nil {
			return
		}
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
// stand on a line, and 2025-03-26 has batches.
func (l *lineReader) split(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\uFEFF")))
	if len(line) == 0 {
		return
	}
	if line[0] != '{' && line[0] != '[' {
		l.noise(shorten(line, maxSample))
		return
	}
	text, repaired := repairUTF8(line)
	if text[0] == '[' && l.batch(text) {
		return
	}
	e, rest, ok := scanFirst(text)
	if !ok {
		l.noise(shorten(line, maxSample))
		return
	}
	if repaired {
		l.noise("a message that is not valid UTF-8, repaired: " + shorten(text, maxSample))
	}
	l.message(e)
	l.split(rest)
}

// batch passes on an array of messages; it is false if anything else is in it.
func (l *lineReader) batch(text []byte) bool {
	value := jsontext.Value(text)
	if !value.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || tooDeep(text) {
		return false
	}
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) != nil || len(elements) == 0 {
		return false
	}
	messages := make([]envelope, 0, len(elements))
	for _, element := range elements {
		e, ok := scanEnvelope(element)
		if !ok {
			return false
		}
		messages = append(messages, e)
	}
	for _, e := range messages {
		l.message(e)
	}
	return true
}

// longLine is what is kept of a line over the limit.
type longLine struct {
	head, tail []byte
	size       int64
}

// skipLine reads to the end of a line of which begun and part are read, in
// memory that does not grow. part's own error tells whether the line goes on.
func skipLine(in *bufio.Reader, begun, part []byte, err error) (*longLine, error) {
	long := &longLine{size: int64(len(begun))}
	long.head = append(long.head, begun[:min(len(begun), keptHead)]...)
	for {
		long.size += int64(len(part))
		long.head = append(long.head, part[:min(len(part), keptHead-len(long.head))]...)
		if len(part) >= keptTail {
			long.tail = append(long.tail[:0], part[len(part)-keptTail:]...)
		} else {
			long.tail = append(long.tail, part...)
			long.tail = long.tail[max(0, len(long.tail)-keptTail):]
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
		part, err = in.ReadSlice('\n')
	}
}

// id is the id of the answer the line is: from its first members, or, with
// servers that write the id last, from its end. It is nil for what is no answer
// and where the id cannot be told.
func (l *longLine) id() json.RawMessage {
	dec := jsontext.NewDecoder(bytes.NewReader(l.head), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			break
		}
		key := string(name)
		if key == `"method"` {
			return nil
		}
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if key == `"id"` {
			return json.RawMessage(bytes.Clone(value))
		}
	}
	if found := idAtEnd().FindSubmatch(l.tail); found != nil {
		return json.RawMessage(found[1])
	}
	return nil
}

// idAtEnd matches the id where it is the last member of a line's object. Inside
// a nested object it would be followed by two braces.
func idAtEnd() *regexp.Regexp {
	return regexp.MustCompile(`"id"\s*:\s*("?\d{1,19}"?)\s*\}\s*$`)
}
