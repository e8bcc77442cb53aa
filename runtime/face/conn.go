package face

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// conn is the connection to the client, and the mcp.Transport that gives it. The
// SDK's own ends at the first line that is no message, drops what is in flight at
// the end of input, and encodes results anew.
type conn struct {
	out   io.Writer
	reads func() bool

	lines     chan line     // from pump; closed when there will be no more
	finishing chan struct{} // closed by finish: nothing is read any more
	killed    chan struct{} // closed by kill: nothing is said any more, too
	over      chan struct{} // closed when Read has said that it is the end
	finished  sync.Once
	dead      sync.Once

	queue []jsonrpc.Message // the rest of a batch; of the goroutine that reads

	writing  sync.Mutex    // held while a message is written
	refusals chan struct{} // has a token for each answer of refuse that is to be written

	mu       sync.Mutex              // guards what follows
	open     map[jsonrpc.ID]bool     // requests to be answered before the end; true while the answer is written
	dropped  map[jsonrpc.ID]struct{} // requests that the client has cancelled
	refusing int                     // answers of refuse that are to be written
	idle     chan struct{}           // closed when nothing is to be answered; nil until somebody waits
	parcels  map[int]*parcel         // results on their way, by number
	last     int                     // the number given last
}

// line is one line of the client, or what one was that is too large.
type line struct {
	text  []byte
	large *rpc.TooLargeError
}

func newConn(in io.Reader, out io.Writer, reads func() bool) *conn {
	c := &conn{
		out: out, reads: reads,
		lines: make(chan line), finishing: make(chan struct{}), killed: make(chan struct{}), over: make(chan struct{}),
		refusals: make(chan struct{}, maxRefusals),
		open:     map[jsonrpc.ID]bool{}, dropped: map[jsonrpc.ID]struct{}{}, parcels: map[int]*parcel{},
	}
	go c.pump(rpc.NewFrameReader(in, rpc.FramingNDJSON, rpc.DefaultMaxMessage))
	return c
}

// pump ends with the input, or when nothing is read any more and something comes. It
// is a goroutine of its own because a Read cannot be interrupted.
func (c *conn) pump(r *rpc.FrameReader) {
	defer close(c.lines)
	for {
		text, err := r.Next()
		var large *rpc.TooLargeError
		if err != nil && !errors.As(err, &large) {
			return
		}
		select {
		case c.lines <- line{text, large}:
		case <-c.finishing:
			return
		}
	}
}

// Connect implements mcp.Transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection.
func (*conn) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.finish()
	return nil
}

// finish has the connection end when what was asked has been answered.
func (c *conn) finish() { c.finished.Do(func() { close(c.finishing) }) }

// kill has it end now.
func (c *conn) kill() {
	c.dead.Do(func() { close(c.killed) })
	c.finish()
}

// Read implements mcp.Connection. The end comes when every request is answered:
// the SDK abandons them when it sees it.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			m := c.queue[0]
			c.queue = c.queue[1:]
			c.arrived(m)
			return m, nil
		}
		select {
		case l, ok := <-c.lines:
			switch {
			case !ok:
				return nil, c.ended(drainLimit)
			case l.large != nil:
				c.refuse(l.large.RequestID(), jsonrpc.CodeInvalidRequest, l.large.Error())
			default:
				c.queue = c.messages(l.text)
			}
		case <-c.finishing:
			return nil, c.ended(flushLimit)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// messages are those of a line: one, or those of a batch (2025-03-26), which are
// answered one by one. What is none is answered here. What is not UTF-8 is repaired:
// the session takes nothing else, and what it cannot read it can answer to nobody.
func (c *conn) messages(text []byte) []jsonrpc.Message {
	text = bytes.TrimSpace(text)
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		c.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON: a message is one object on one line")
		return nil
	}
	elements := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &elements); err != nil || len(elements) == 0 {
			c.refuse(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
			return nil
		}
	}
	var all []jsonrpc.Message
	for _, element := range elements {
		id, err := idOf(element)
		var m jsonrpc.Message
		if err == nil {
			m, err = jsonrpc.DecodeMessage(element)
		}
		if err != nil {
			c.refuse(id, jsonrpc.CodeInvalidRequest, err.Error())
			continue
		}
		all = append(all, m)
	}
	return all
}

// idOf is the id of a message, nil if it has none. The error says that it cannot be
// one: the SDK would make another of it.
func idOf(message json.RawMessage) (json.RawMessage, error) {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return nil, errors.New("the message is not an object")
	}
	const most = 1 << 53 // beyond it, JavaScript and the SDK lose integers
	var number int64
	switch err := json.Unmarshal(m.ID, &number); {
	case len(m.ID) == 0 || string(m.ID) == "null":
		return nil, nil
	case m.ID[0] == '"':
		return m.ID, nil
	case err != nil || number > most || number < -most:
		return nil, errors.New("the id is neither a string nor an integer up to 2^53")
	}
	return m.ID, nil
}

// refuse answers what is no message. It does not wait for a client that does not read,
// unless too many answers do.
func (c *conn) refuse(id json.RawMessage, code int64, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	fault, err := json.Marshal(&jsonrpc.Error{Code: code, Message: why})
	if err != nil {
		return
	}
	select {
	case c.refusals <- struct{}{}: // to be taken out when it is written
	case <-c.killed:
		return
	}
	c.mu.Lock()
	c.refusing++
	c.mu.Unlock()
	go func() { // ends when it is written, which who does not read keeps it from
		_ = c.write(func() ([]byte, error) { // a client that is gone is noticed elsewhere
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, fault), nil
		})
		<-c.refusals
		c.mu.Lock()
		defer c.mu.Unlock()
		c.refusing--
		c.settle()
	}()
}

// The methods that matter to conn.
const (
	methodListen    = "subscriptions/listen" // is answered when it ends
	methodCancelled = "notifications/cancelled"
)

// arrived keeps account of what is to be answered, before the SDK sees it.
func (c *conn) arrived(m jsonrpc.Message) {
	request, ok := m.(*jsonrpc.Request)
	if !ok {
		return
	}
	identified(request)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case request.IsCall() && request.Method != methodListen:
		if _, ok := c.open[request.ID]; !ok { // one that is there already is refused by the SDK
			c.open[request.ID] = false
		}
	case request.Method == methodCancelled:
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(request.Params, &p) != nil {
			return // the SDK says so
		}
		id, err := jsonrpc.MakeID(p.RequestID)
		if answered, ok := c.open[id]; err == nil && ok && !answered {
			c.closed(id)
			c.dropped[id] = struct{}{}
		}
	}
}

// closed takes a request out of the account. Called with mu held.
func (c *conn) closed(id jsonrpc.ID) {
	delete(c.open, id)
	c.settle()
}

// settle tells who waits for it that everything is answered, if it is. Called with mu
// held.
func (c *conn) settle() {
	if len(c.open) == 0 && c.refusing == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// whenIdle is closed when everything is answered.
func (c *conn) whenIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	idle := make(chan struct{})
	c.idle = idle
	c.settle()
	return idle
}

// ended is the end of input, once everything is answered, or nobody waits for it.
func (c *conn) ended(within time.Duration) error {
	c.drain(within)
	close(c.over)
	return io.EOF
}

// drain waits until everything is answered, while somebody reads the answers.
func (c *conn) drain(within time.Duration) {
	limit := time.NewTimer(within)
	defer limit.Stop()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	idle := c.whenIdle()
	for c.reads() {
		select {
		case <-idle:
			return
		case <-limit.C:
			return
		case <-c.killed:
			return
		case <-look.C:
		}
	}
}

// Write implements mcp.Connection. What it says about a request that the client has
// cancelled is not said (MCP: basic/utilities/cancellation).
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.write(func() ([]byte, error) { return jsonrpc.EncodeMessage(m) })
	}
	response.Error = coded(response.Error)
	p := c.claim(response.Result)
	answered := false
	err := c.write(func() (text []byte, err error) {
		if answered = c.answers(response.ID); answered {
			text, err = rendered(response, p)
		}
		return text, err
	})
	if !answered {
		return nil
	}
	if err == nil && p != nil && p.sent != nil {
		p.sent()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed(response.ID) // not before it is written: then may come the end
	return err
}

// coded is an error with a code, as JSON-RPC wants it. What the SDK refuses without
// one came at the wrong time.
func coded(err error) error {
	var refused *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &refused) && refused.Code != 0:
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, io.EOF):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// answers says whether a request is answered, which it is not when it has been
// cancelled. After that it is too late to cancel it.
func (c *conn) answers(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, cancelled := c.dropped[id]; cancelled {
		delete(c.dropped, id)
		return false
	}
	if _, ok := c.open[id]; ok {
		c.open[id] = true
	}
	return true
}

// rendered is a response as it is sent, with what its parcel holds.
func rendered(r *jsonrpc.Response, p *parcel) ([]byte, error) {
	if r.Error != nil || p == nil {
		return jsonrpc.EncodeMessage(r)
	}
	id, err := json.Marshal(r.ID.Raw())
	if err != nil {
		return nil, err
	}
	text := make([]byte, 0, len(p.head)+len(p.raw)+len(p.tail)+len(id)+48)
	text = append(text, `{"jsonrpc":"2.0","id":`...)
	text = append(text, id...)
	text = append(text, `,"result":`...)
	for _, part := range [][]byte{p.head, p.raw, p.tail} {
		text = append(text, part...)
	}
	return append(text, '}'), nil
}

// write writes one line, or nothing if render gives none. A message is rendered when
// its turn has come: many may wait for a client that does not read. When writing fails
// the client is gone.
func (c *conn) write(render func() ([]byte, error)) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	text, err := render()
	if err != nil || text == nil {
		return err
	}
	for i, b := range text {
		if b == '\n' || b == '\r' { // outside strings only: within them JSON forbids both
			text[i] = ' '
		}
	}
	if _, err = c.out.Write(append(text, '\n')); err != nil {
		c.kill()
	}
	return err
}
