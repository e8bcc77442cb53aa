package rpc

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
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
//   - Our own requests and their answers pass the library by (see asked).
type stream struct {
	out *outbox
	log *slog.Logger

	messages chan *message // from pump; closed when there will be no more
	err      error         // why messages was closed; pump's until then
	closed   chan struct{} // closed by Close
	once     sync.Once     // of closing closed
	ended    chan struct{} // closed when no message is handled any more

	asked asked // our requests to the host

	// request is the one that ReadObject returned last. It belongs to the
	// library's reading goroutine, which calls ReadObject and then the handler.
	request *message
}

func newStream(out *outbox, log *slog.Logger) *stream {
	return &stream{
		out: out, log: log,
		messages: make(chan *message),
		closed:   make(chan struct{}),
		ended:    make(chan struct{}),
	}
}

// pump reads frames until in ends or cannot be read, or the stream is closed.
// It is a goroutine of its own because a Read cannot be interrupted, and the
// session must be able to end. Whoever has to be sparing with memory is not read
// while too much waits for it.
func (s *stream) pump(r *FrameReader, sparing bool) {
	defer close(s.messages)
	for told := FramingAuto; ; {
		if sparing {
			select {
			case <-s.out.room():
			case <-s.closed:
				s.err = io.EOF
				return
			}
		}
		body, err := r.Next()
		if told != r.framing {
			told = r.framing
			s.out.setFraming(told)
		}
		var large *TooLargeError
		switch {
		case errors.As(err, &large):
			id := large.RequestID()
			if id != nil && !validID(id) {
				id = nil
			}
			s.refuse(id, errInvalidRequest(large.Error()))
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
			s.end()
			return io.EOF
		case m, ok := <-s.messages:
			switch {
			case !ok:
				s.end() // the reason is in err
				return io.EOF
			case !m.isResponse():
				s.request = m
				return into.UnmarshalJSON([]byte(standIn))
			case !s.asked.answer(m):
				s.log.Warn("the host answered a request that was never made", "id", brief(m.id))
			}
		}
	}
}

// end says that there will be no more messages.
func (s *stream) end() {
	s.asked.close()
	close(s.ended)
}

// WriteObject implements jsonrpc2.ObjectStream; see stream.
func (s *stream) WriteObject(any) error { return nil }

// Close implements jsonrpc2.ObjectStream. It ends the reading; the outbox has
// its own end.
func (s *stream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}
