package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Framing is how messages are told apart in a byte stream.
type Framing string

// Values of Framing.
const (
	FramingAuto    Framing = "auto"    // as the host's first byte shows
	FramingHeaders Framing = "headers" // Content-Length headers (LSP: base protocol)
	FramingNDJSON  Framing = "ndjson"  // one message a line
)

// ParseFraming reads the word a user gave.
func ParseFraming(word string) (Framing, error) {
	switch f := Framing(word); f {
	case FramingAuto, FramingHeaders, FramingNDJSON:
		return f, nil
	}
	return "", fmt.Errorf("framing %q is not one of %s, %s, %s", word, FramingAuto, FramingHeaders, FramingNDJSON)
}

// HeaderError is a header block that cannot be read. There is no way to find
// the next frame after it.
type HeaderError struct{ Reason string }

func (e *HeaderError) Error() string { return "unreadable header block: " + e.Reason }

// TooLargeError is a body over the limit. It was skipped; the next frame follows.
type TooLargeError struct {
	size, limit int64
	head        []byte // the first bytes of the body
}

func (e *TooLargeError) Error() string {
	if e.size < 0 {
		return fmt.Sprintf("the message exceeds the limit of %d bytes", e.limit)
	}
	return fmt.Sprintf("the message of %d bytes exceeds the limit of %d bytes", e.size, e.limit)
}

// RequestID is the id of the request that was skipped, as it was written: a string or
// a number. It is nil if the first bytes do not show that it was a request and which,
// as they do when the id and the method come before the params.
func (e *TooLargeError) RequestID() json.RawMessage {
	dec := jsontext.NewDecoder(bytes.NewReader(e.head), jsonOptions())
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	var id json.RawMessage
	for isRequest := false; id == nil || !isRequest; {
		name, err := dec.ReadToken()
		if err != nil || name.Kind() != '"' {
			return nil
		}
		member := name.String()
		value, err := dec.ReadValue()
		if err != nil || dec.InputOffset() == int64(len(e.head)) { // a number may go on
			return nil
		}
		switch kind := value.Kind(); {
		case member == "id" && (kind == '"' || kind == '0'):
			id = json.RawMessage(bytes.Clone(value))
		case member == "method":
			isRequest = kind == '"'
		}
	}
	return id
}

// FrameReader cuts a stream into the bodies of messages. One goroutine uses it.
type FrameReader struct {
	in      *bufio.Reader
	framing Framing // FramingAuto until the first byte was seen
	max     int64   // bytes of a body
}

// NewFrameReader reads bodies of at most limit bytes.
func NewFrameReader(in io.Reader, framing Framing, limit int64) *FrameReader {
	return &FrameReader{in: bufio.NewReaderSize(in, writeChunk), framing: framing, max: limit}
}

// Next returns the next body, which the caller may keep. A *TooLargeError
// leaves the reader at the start of the next frame; any other error is final.
func (r *FrameReader) Next() ([]byte, error) {
	first, err := r.skipBlank()
	if err != nil {
		return nil, err
	}
	if r.framing == FramingAuto {
		r.framing = FramingHeaders
		if first == '{' || first == '[' {
			r.framing = FramingNDJSON
		}
	}
	if r.framing == FramingNDJSON {
		return r.line()
	}
	n, err := r.headers()
	if err != nil {
		return nil, err
	}
	if n > r.max {
		head, _ := r.in.Peek(int(min(n, shownHead))) // an error comes again
		head = bytes.Clone(head)
		if _, err := io.CopyN(io.Discard, r.in, n); err != nil {
			return nil, err
		}
		return nil, &TooLargeError{n, r.max, head}
	}
	return r.body(n)
}

// skipBlank passes over white space and byte order marks, which some hosts put
// before or between frames, and returns the byte that follows, unread.
func (r *FrameReader) skipBlank() (byte, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n':
		case bom[0]:
			if rest, _ := r.in.Peek(len(bom) - 1); string(rest) == bom[1:] {
				_, _ = r.in.Discard(len(rest)) // was peeked
				continue
			}
			return b, r.in.UnreadByte()
		default:
			return b, r.in.UnreadByte()
		}
	}
}

const bom = "\xef\xbb\xbf"

// headers reads one header block and returns its Content-Length. Bytes are
// taken one by one so that an endless line is refused at the limit, not when it
// ends.
func (r *FrameReader) headers() (int64, error) {
	length := int64(-1)
	var line []byte
	for range maxHeaderBlock {
		b, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		if b != '\n' {
			line = append(line, b)
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			if length < 0 {
				return 0, &HeaderError{"no Content-Length"}
			}
			return length, nil
		}
		if length, err = contentLength(line, length); err != nil {
			return 0, err
		}
		line = line[:0]
	}
	return 0, &HeaderError{fmt.Sprintf("longer than %d bytes", maxHeaderBlock)}
}

// contentLength returns the length line gives, or known if it is another
// header. known is negative as long as there was none.
func contentLength(line []byte, known int64) (int64, error) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return 0, &HeaderError{fmt.Sprintf("no colon in %.60q", line)}
	}
	if !bytes.EqualFold(bytes.TrimSpace(name), []byte("content-length")) {
		return known, nil
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63)
	if err != nil {
		return 0, &HeaderError{fmt.Sprintf("Content-Length is %.60q", value)}
	}
	if known >= 0 && int64(n) != known {
		return 0, &HeaderError{fmt.Sprintf("Content-Length is both %d and %d", known, n)}
	}
	return int64(n), nil
}

// body reads exactly n bytes. Memory grows with what arrives, not with what was
// announced.
func (r *FrameReader) body(n int64) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, 0, min(n, step))
	for int64(len(body)) < n {
		if len(body) == cap(body) {
			body = slices.Grow(body, int(min(n-int64(len(body)), int64(len(body)))))
		}
		part := body[len(body):min(int64(cap(body)), n)]
		got, err := io.ReadFull(r.in, part)
		body = body[:len(body)+got]
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return body, nil
}

// line reads up to the next line feed, or to the end of input.
func (r *FrameReader) line() ([]byte, error) {
	var line, head []byte
	skipping := false
	for {
		part, err := r.in.ReadSlice('\n')
		if !skipping {
			line = append(line, part...)
		}
		if int64(len(bytes.TrimRight(line, "\r\n"))) > r.max {
			head = bytes.Clone(line[:min(len(line), shownHead)])
			skipping, line = true, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case skipping:
			return nil, &TooLargeError{-1, r.max, head}
		default:
			return line, nil
		}
	}
}
