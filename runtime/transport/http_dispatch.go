package transport

import (
	"bytes"
	"encoding/json"
)

// takeEvent takes an event of a stream that belongs to no request in
// particular.
func (c *httpCore) takeEvent(event *sseEvent) {
	switch {
	case event.tooLarge():
		c.takeTooLarge(event, nil)
	case event.isMessage() && !c.dispatch(event.data, nil):
		c.inbound.noise("", event.data)
	}
}

// takeTooLarge fails the request that an event over the limit answers: where
// that cannot be told, the one on whose answer it came, if it came on one.
func (c *httpCore) takeTooLarge(event *sseEvent, from *posting) {
	id := event.over.answered()
	if id == nil && from != nil && !event.over.method {
		id = from.frame.id
	}
	if !c.refuse(id, from, tooLarge(int64(event.size), maxMessage, false)) {
		c.inbound.noise("", event.data)
	}
}

// refuse fails the request with an id because of its answer, which came on from
// or, if that is nil, elsewhere. It is false if nobody waits.
func (c *httpCore) refuse(id json.RawMessage, from *posting, why *Error) bool {
	p := c.waiting(id)
	if p == nil || p.answered.Swap(true) {
		return false
	}
	p.forget()
	if p != from {
		p.release()
	}
	return c.lane.refuse(p.id, p.refusal(why))
}

// waiting is the request with an id that has no answer yet, or nil.
func (c *httpCore) waiting(id json.RawMessage) *posting {
	n, ok := number(id)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[n]
}

// dispatch takes what the server sent: one message, or a batch of MCP
// 2025-03-26. from is the request on whose answer it came, or nil. It is false
// for what is no message.
func (c *httpCore) dispatch(data []byte, from *posting) bool {
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '[' {
		return c.dispatchOne(data, from)
	}
	var batch []json.RawMessage
	if json.Unmarshal(data, &batch) != nil {
		return false
	}
	for _, message := range batch {
		if !c.dispatchOne(message, from) { // as is a batch in it
			c.inbound.noise("", message)
		}
	}
	return true
}

// dispatchOne is dispatch for what is no batch.
func (c *httpCore) dispatchOne(data []byte, from *posting) bool {
	data, _ = repairUTF8(data)
	e, ok := scanEnvelope(data)
	switch {
	case !ok:
		id, why := unusableAnswer(data)
		return id != nil && c.refuse(id, from, why)
	case e.isAnswer():
		c.takeAnswer(e, from)
	case c.lane.take(e):
	default:
		c.inbound.take(e)
	}
	return true
}

// takeAnswer brings an answer to whom it belongs. An error without an id
// belongs to the request on whose answer it came: its server could not read
// what it refuses. An answer to nobody is dropped.
func (c *httpCore) takeAnswer(e envelope, from *posting) {
	p := from
	if string(e.id) != "null" {
		p = c.waiting(e.id)
	}
	if p == nil || p.answered.Swap(true) {
		return
	}
	p.forget()
	if p != from {
		p.release()
	}
	e.id = p.frame.id // as we wrote it
	if result, err := e.answer(); err == nil {
		c.wire.learn(p, result)
	}
	c.lane.take(e)
}
