package transport

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// mcpMethodNotFound and its neighbours are the codes by which a server that
// knows the session refuses a request.
const (
	mcpMethodNotFound = jsonrpc.CodeMethodNotFound
	mcpInvalidParams  = jsonrpc.CodeInvalidParams
)

// takeEvent takes an event of a stream that belongs to no request in
// particular.
func (c *httpCore) takeEvent(event *sseEvent) {
	switch {
	case event.tooLarge():
		c.takeTooLarge(event)
	case event.isMessage() && !c.dispatch(event.data, nil):
		c.noise(event.data)
	}
}

// takeTooLarge fails the request that an event over the limit seems to answer.
func (c *httpCore) takeTooLarge(event *sseEvent) {
	head := event.data[:min(keptHead, len(event.data))]
	long := longLine{head: head, tail: event.tail[max(0, len(event.tail)-keptTail):]}
	id, ok := number(long.id())
	c.mu.Lock()
	p := c.pending[id]
	c.mu.Unlock()
	if !ok || p == nil || p.answered.Swap(true) {
		c.noise(head)
		return
	}
	p.drop()
	c.lane.refuse(p.id, tooLarge(int64(event.size), maxMessage, false))
}

// dispatch takes what the server sent: one message, or a batch of MCP
// 2025-03-26. from is the request on whose answer it came, or nil. It is false
// for what is no message.
func (c *httpCore) dispatch(data []byte, from *posting) bool {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		var batch []json.RawMessage
		if json.Unmarshal(data, &batch) != nil {
			return false
		}
		for _, message := range batch {
			if !c.dispatch(message, from) {
				c.noise(message)
			}
		}
		return true
	}
	data, _ = repairUTF8(data)
	e, ok := scanEnvelope(data)
	switch {
	case !ok:
		return false
	case e.isAnswer():
		c.takeAnswer(e, from)
	case c.lane.take(e):
	case e.isRequest() && string(e.method) == `"ping"`:
		c.reply(e.id, `"result":{}`)
	case c.hooks.notice(e):
	default:
		c.forward(e)
	}
	return true
}

// takeAnswer brings an answer to whom it belongs. An error without an id
// belongs to the request on whose answer it came: its server could not read
// what it refuses. An answer to nobody is dropped.
func (c *httpCore) takeAnswer(e envelope, from *posting) {
	p := from
	if string(e.id) != "null" {
		id, ok := number(e.id)
		if !ok {
			return
		}
		c.mu.Lock()
		p = c.pending[id]
		c.mu.Unlock()
	}
	if p == nil || p.answered.Swap(true) {
		return
	}
	c.mu.Lock()
	delete(c.pending, p.id)
	c.mu.Unlock()
	if p != from {
		p.cancel() // its own stream will not bring it
	}
	e.id = p.frame.id // as we wrote it
	if result, err := e.answer(); err == nil {
		c.wire.learn(p, result)
	}
	c.lane.take(e)
}

// forward gives the SDK a request or notification of the server.
func (c *httpCore) forward(e envelope) {
	conn := c.sdk.Load()
	m, ok := e.message()
	switch {
	case !e.isRequest():
		if ok && conn != nil {
			conn.put(m)
		}
	case conn == nil || conn.isClosed():
		c.replyError(e.id, jsonrpc.CodeMethodNotFound, "method not found: "+e.name())
	case !ok || !holdsID(e.id):
		c.replyError(e.id, jsonrpc.CodeInvalidRequest, "the id must be a string or an integer below 2^53")
	default:
		conn.put(m)
	}
}

// reply answers a request of the server; outcome is the member that says how.
func (c *httpCore) reply(id json.RawMessage, outcome string) {
	c.post([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,` + outcome + `}`))
}

func (c *httpCore) replyError(id json.RawMessage, code int, message string) {
	c.reply(id, `"error":{"code":`+strconv.Itoa(code)+`,"message":`+string(appendString(nil, message))+`}`)
}

func (c *httpCore) noise(data []byte) {
	if c.hooks.Noise != nil {
		c.hooks.Noise(shorten(data, maxSample))
	}
}
