package face

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

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
	log   *slog.Logger

	lines     chan line     // from pump; closed when there will be no more
	finishing chan struct{} // closed by finish: nothing is read any more
	killed    chan struct{} // closed by kill: nothing is said any more, too
	over      chan struct{} // closed when Read has said that it is the end
	finished  sync.Once
	dead      sync.Once

	queue []jsonrpc.Message // the rest of a batch; of the goroutine that reads

	writing  sync.Mutex    // held while a message is written
	refusals chan struct{} // has a token for each answer of refuse that is to be written

	account *account
	parcels *parcels
}

// line is one line of the client, or what one was that is too large.
type line struct {
	text  []byte
	large *rpc.TooLargeError
}

func newConn(in io.Reader, out io.Writer, reads func() bool, log *slog.Logger) *conn {
	c := &conn{
		out: out, reads: reads, log: log,
		lines: make(chan line), finishing: make(chan struct{}), killed: make(chan struct{}), over: make(chan struct{}),
		refusals: make(chan struct{}, maxRefusals),
		account:  newAccount(), parcels: &parcels{waiting: map[int]*parcel{}},
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
			c.broken("the client cannot be read", err)
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
			if c.enter(m) {
				return m, nil
			}
			continue
		}
		select {
		case l, ok := <-c.lines:
			switch {
			case !ok:
				return nil, c.ended(drainLimit)
			case l.large != nil:
				c.refuse(refusal{l.large.RequestID(), jsonrpc.CodeInvalidRequest, l.large.Error()})
			default:
				var refused []refusal
				c.queue, refused = messages(l.text)
				for _, r := range refused {
					c.refuse(r)
				}
			}
		case <-c.finishing:
			return nil, c.ended(flushLimit)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// enter has a message pass on to the SDK, which leaves a request unanswered whose id is
// in flight.
func (c *conn) enter(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return true
	}
	identified(r)
	if c.account.enter(r) {
		return true
	}
	id, err := json.Marshal(r.ID.Raw())
	if err == nil {
		c.refuse(refusal{id, jsonrpc.CodeInvalidRequest, "a request with this id is in flight"})
	}
	return false
}

// refuse answers what is no message. It does not wait for a client that does not read,
// unless too many answers do.
func (c *conn) refuse(r refusal) {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	fault, err := json.Marshal(&jsonrpc.Error{Code: r.code, Message: r.why})
	if err != nil {
		return
	}
	select {
	case c.refusals <- struct{}{}: // to be taken out when it is written
	case <-c.killed:
		return
	}
	c.account.refusing(1)
	go func() { // ends when it is written, which who does not read keeps it from
		_ = c.write(func() ([]byte, error) { // a client that is gone is noticed elsewhere
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, fault), nil
		})
		<-c.refusals
		c.account.refusing(-1)
	}()
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
	idle := c.account.whenIdle()
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
	p := c.parcels.claim(response.Result)
	answered := false
	err := c.write(func() (text []byte, err error) {
		if answered = c.account.answers(response.ID); answered {
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
	c.account.answered(response.ID) // not before it is written: then may come the end
	return err
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
		c.broken("the client cannot be written to", err)
		c.kill()
	}
	return err
}

// broken tells of an end that is not the client's doing.
func (c *conn) broken(what string, err error) {
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, gone) {
			return
		}
	}
	select {
	case <-c.killed: // that was told of
	default:
		c.log.Error(what, "err", err)
	}
}
