package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
)

// Client is the host's side of the wire, for a Go program that owns a session or
// has joined one. Its fields do not change after NewClient; what changes is
// behind the lock of a leaf: outbox, asked, questions.
type Client struct {
	rw    io.ReadWriteCloser
	hear  Hearing
	log   *slog.Logger
	out   *outbox
	asked asked
	life  context.Context //nolint:containedctx // the parent of the questions' contexts
	end   context.CancelFunc
	ended chan struct{} // closed when nothing comes any more

	mu        sync.Mutex                    // guards questions
	questions map[string]context.CancelFunc // by idKey; those that are being answered
}

// Hearing is what a Client does about what the session says unasked; nil is to do
// nothing. The first ones are called one by one, in the order of what is said: until
// one returns nothing else is read, and what the session has to say waits there.
// Approve and Input have a goroutine for each question; one that is withdrawn ends
// the context. Which questions come depends on the capabilities.
type Hearing struct {
	ToolsChanged func(*ToolsChanged)
	Status       func(*Server)
	Diagnostics  func(*DiagnosticsParams)
	Progress     func(*ProgressParams)

	Approve func(context.Context, *ApproveParams) (*ApproveResult, error)
	Input   func(context.Context, *InputParams) (*InputResult, error)
}

// NewClient speaks on a connection to a session. Its two goroutines end with the
// connection: when it is closed, or Close is called.
func NewClient(rw io.ReadWriteCloser, hear Hearing, log *slog.Logger) *Client {
	c := &Client{
		rw: rw, hear: hear, log: log,
		out: newOutbox(rw, FramingHeaders), ended: make(chan struct{}),
		questions: map[string]context.CancelFunc{},
	}
	c.life, c.end = context.WithCancel(context.Background())
	go c.out.run()
	go c.read(NewFrameReader(rw, FramingHeaders, math.MaxInt64)) // the session is this program's own, or its user's
	return c
}

// Ended is closed when the session says nothing any more.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Close leaves the session. It may be called more than once.
func (c *Client) Close() {
	c.out.fail(ErrClosed)
	_ = c.rw.Close() // it may be closed already
}

// Ask makes a request, and reads its result into result. What the session refuses
// is an *Error, the end of the connection ErrClosed. When ctx ends the request is
// withdrawn, and the error is the cause.
func (c *Client) Ask(ctx context.Context, method string, params body, result any) error {
	return c.AskThen(ctx, method, params, result, func() {})
}

// AskThen is Ask for a result that what is said after it builds on: then is called
// when there is a result, before anything later is heard, by the goroutine that
// calls Hearing. Its panic is an error of the request.
func (c *Client) AskThen(ctx context.Context, method string, params body, result any, then func()) error {
	return c.asked.ask(ctx, c.out, method, params, func(m *message) error {
		if m.fault != nil {
			return refusal(method, m.fault)
		}
		if err := decode("result", m.result, result); err != nil {
			return fmt.Errorf("%s: the session's answer has the wrong shape: %w", method, err)
		}
		return guarded(c.log, method, then)
	})
}

// refusal is what the session answers instead of a result.
func refusal(method string, raw json.RawMessage) error {
	var e HostError // of the same shape
	if err := decode("error", raw, &e); err != nil {
		return fmt.Errorf("%s: the session's error has the wrong shape: %w", method, err)
	}
	refused := &Error{Code: e.Code, Message: e.Message}
	if e.Data != nil {
		refused.Data = e.Data
	}
	return refused
}

// read takes what the session says until the connection ends.
func (c *Client) read(frames *FrameReader) {
	defer close(c.ended)
	defer c.out.fail(ErrClosed)
	defer c.asked.close()
	defer c.end()
	for {
		text, err := frames.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.log.Debug("the session says no more", "err", err)
			}
			return
		}
		m, fault := parseMessage(text)
		switch {
		case fault != nil:
			c.log.Warn("the session said something strange", "reason", fault.Message)
		case m.isResponse():
			c.asked.answer(m)
		case m.id != nil:
			c.question(m)
		default:
			c.notification(m)
		}
	}
}

// notification has a message heard.
func (c *Client) notification(m *message) {
	var err error
	switch m.method {
	case MethodToolsChanged:
		err = heard(c.log, m, c.hear.ToolsChanged)
	case MethodStatus:
		err = heard(c.log, m, c.hear.Status)
	case MethodDiagnostics:
		err = heard(c.log, m, c.hear.Diagnostics)
	case MethodProgress:
		err = heard(c.log, m, c.hear.Progress)
	case MethodCancelRequest:
		err = heard(c.log, m, func(p *CancelParams) { c.withdraw(p.ID) })
	}
	if err != nil {
		c.log.Warn("the session said something strange", "method", m.method, "err", err)
	}
}

func heard[P any](log *slog.Logger, m *message, hear func(*P)) error {
	if hear == nil {
		return nil
	}
	p := new(P)
	if err := decodeInto(p, m.params); err != nil {
		return err
	}
	_ = guarded(log, m.method, func() { hear(p) }) // nothing the session said is wrong
	return nil
}

// guarded calls what hears the session. Its panic is in the log, and an error.
func guarded(log *slog.Logger, method string, hear func()) error {
	_, err := guard(log, method, func() (struct{}, error) { hear(); return struct{}{}, nil })
	return err
}

// question has a request of the session answered. The goroutine ends with the
// answer, which the end of the connection hurries.
func (c *Client) question(m *message) {
	var answer func(context.Context) (body, error)
	switch {
	case m.method == MethodApprove && c.hear.Approve != nil:
		answer = asking(m, c.hear.Approve)
	case m.method == MethodInput && c.hear.Input != nil:
		answer = asking(m, c.hear.Input)
	default:
		// A session that has ended needs no answer, as below.
		_ = c.out.put(&frame{id: m.id, fault: errMethodNotFound(m.method)})
		return
	}
	ctx, cancel := context.WithCancel(c.life)
	key := idKey(m.id)
	c.mu.Lock()
	c.questions[key] = cancel
	c.mu.Unlock()
	go func() {
		value, err := guard(c.log, m.method, func() (body, error) { return answer(ctx) })
		c.withdraw(m.id)
		f := &frame{id: m.id, value: value}
		switch {
		case err != nil:
			f.fault = toWire(ctx, err)
		case value == nil:
			f.fault = ErrInternal(m.method + ": there is no answer")
		}
		_ = c.out.put(f)
	}()
}

func asking[P, T any, R result[T]](m *message, ask func(context.Context, *P) (R, error)) func(context.Context) (body, error) {
	return func(ctx context.Context) (body, error) {
		p := new(P)
		if err := decodeInto(p, m.params); err != nil {
			return nil, err
		}
		value, err := ask(ctx, p)
		return orNil(value), err
	}
}

// withdraw ends the context of a question.
func (c *Client) withdraw(id json.RawMessage) {
	key := idKey(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.questions[key]; cancel != nil {
		cancel()
		delete(c.questions, key)
	}
}
