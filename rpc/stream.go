package rpc

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync"
)

// stream is the jsonrpc2.ObjectStream of one host. What is wrong with that
// library's own codecs is put right here:
//
//   - A message that is not JSON-RPC is answered and skipped.
//   - Requests reach the library as a stand-in, and the handler as they are
//     (see request): it would decode and encode their params several times.
//   - What we write is queued in the outbox by ourselves, byte for byte;
//     writing through the library does nothing.
//   - An answer can be made up (see forget), which is the only way to take an
//     abandoned request of ours out of the library's table.
type stream struct {
	out *outbox
	log *slog.Logger

	messages chan *message // from pump; closed when there will be no more
	err      error         // why messages was closed; pump's until then
	closed   chan struct{} // closed by Close
	once     sync.Once     // of closing closed
	ended    chan struct{} // closed when no message is handled any more

	forgotten forgotten

	// request is the one that ReadObject returned last. It belongs to the
	// library's reading goroutine, which calls ReadObject and then the handler.
	request *message
}

func newStream(out *outbox, log *slog.Logger) *stream {
	return &stream{
		out: out, log: log,
		messages:  make(chan *message),
		closed:    make(chan struct{}),
		ended:     make(chan struct{}),
		forgotten: forgotten{wake: make(chan struct{}, 1)},
	}
}

// pump reads frames until in ends or cannot be read, or the stream is closed.
// It is a goroutine of its own because a Read cannot be interrupted, and the
// session must be able to end.
func (s *stream) pump(r *frameReader) {
	defer close(s.messages)
	for told := FramingAuto; ; {
		body, err := r.next()
		if told != r.framing {
			told = r.framing
			s.out.setFraming(told)
		}
		var large *tooLargeError
		switch {
		case errors.As(err, &large):
			s.refuse(nil, errInvalidRequest(large.Error()))
			continue
		case err != nil:
			s.err = err
			return
		}
		m, fault := parseMessage(body)
		if fault != nil {
			s.refuse(m.id, fault)
			continue
		}
		select {
		case s.messages <- m:
		case <-s.closed:
			s.err = io.EOF
			return
		}
	}
}

func (s *stream) refuse(id json.RawMessage, fault *Error) {
	s.log.Warn("message refused", "code", fault.Code, "reason", brief(fault.Message))
	_ = s.out.put(&frame{id: id, fault: fault}) // a host that is gone is noticed elsewhere
}

// standIn makes the library call its handler.
const standIn = `{"method":"-"}`

// ReadObject implements jsonrpc2.ObjectStream.
func (s *stream) ReadObject(v any) error {
	into, ok := v.(json.Unmarshaler)
	if !ok {
		return errors.New("rpc: jsonrpc2 reads into something new")
	}
	for {
		select {
		case <-s.closed:
			close(s.ended)
			return io.EOF
		case <-s.forgotten.wake:
			if id, ok := s.forgotten.take(); ok {
				return into.UnmarshalJSON(cancelledResponse(id))
			}
		case m, ok := <-s.messages:
			switch {
			case !ok:
				close(s.ended) // the reason is in err
				return io.EOF
			case !m.isResponse():
				s.request = m
				return into.UnmarshalJSON([]byte(standIn))
			case !ours(m.id):
				s.log.Warn("the host answered a request that was never made", "id", brief(m.id))
			default:
				return into.UnmarshalJSON(response(m))
			}
		}
	}
}

// ours reports whether id looks like one of a request to the host.
func ours(id json.RawMessage) bool {
	return len(id) > 0 && id[0] != '"' && validID(id)
}

// response is m without what the library might choke on.
func response(m *message) []byte {
	dst := append([]byte(`{"id":`), m.id...)
	if m.fault == nil {
		dst = append(dst, `,"result":`...)
		return append(append(dst, m.result...), '}')
	}
	var fault struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := decode("error", m.fault, &fault); err != nil {
		fault.Code, fault.Message, fault.Data = CodeInternalError, "the host's error has the wrong shape: "+err.Error(), nil
	}
	e := &Error{Code: int(fault.Code), Message: fault.Message}
	if fault.Data != nil {
		e.Data = fault.Data
	}
	return append(appendError(append(dst, `,"error":`...), e), '}')
}

func cancelledResponse(id uint64) []byte {
	dst := strconv.AppendUint([]byte(`{"id":`), id, 10)
	return append(appendError(append(dst, `,"error":`...), errCancelled()), '}')
}

// forget makes the library drop its request id.
func (s *stream) forget(id uint64) { s.forgotten.add(id) }

// WriteObject implements jsonrpc2.ObjectStream; see stream.
func (s *stream) WriteObject(any) error { return nil }

// Close implements jsonrpc2.ObjectStream. It ends the reading; the outbox has
// its own end.
func (s *stream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// forgotten are requests to the host that were abandoned and are still in the
// library's table.
type forgotten struct {
	wake chan struct{} // has a token if ids may be non-empty

	mu  sync.Mutex
	ids []uint64 // guarded by mu
}

func (f *forgotten) add(id uint64) {
	f.mu.Lock()
	f.ids = append(f.ids, id)
	f.mu.Unlock()
	f.signal()
}

func (f *forgotten) take() (uint64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.ids) == 0 {
		return 0, false
	}
	id := f.ids[0]
	f.ids = f.ids[1:]
	if len(f.ids) > 0 {
		f.signal()
	}
	return id, true
}

func (f *forgotten) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}
