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
	p.forget()
	p.release()
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

func (c *httpCore) noise(data []byte) { c.inbound.noise(shorten(data, maxSample)) }
