package control

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"os"
	"sync"
)

// Client is a fake's end of the socket. A nil Client reports to nobody.
type Client struct {
	conn net.Conn
	// Spawn says the how-manieth process of its name this one is, from 1.
	Spawn int

	mu      sync.Mutex
	seq     int                   // guarded by mu
	waiting map[int]chan struct{} // guarded by mu; closed when the hub has answered
	ended   bool                  // guarded by mu; the hub is gone
	closed  chan struct{}         // closed when the reader has ended
}

// Dial introduces this process as name to the hub at path. The connection
// stays open until the process ends.
func Dial(path, name string) (*Client, error) {
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, waiting: map[int]chan struct{}{}, closed: make(chan struct{})}
	hello, err := json.Marshal(message{Hello: name, PID: os.Getpid()})
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(append(hello, '\n')); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(conn)
	var welcome message
	if lines.Scan() {
		err = json.Unmarshal(lines.Bytes(), &welcome)
	} else {
		err = lines.Err()
	}
	if err != nil {
		return nil, err
	}
	c.Spawn = welcome.Spawn
	// Ends with the connection, which is to say with the hub or the process.
	go c.read(lines)
	return c, nil
}

// Report tells the hub of an event and returns when the hub has it.
func (c *Client) Report(event string) {
	if c == nil {
		return
	}
	if answered := c.send(message{Event: event}); answered != nil {
		select {
		case <-answered:
		case <-c.closed:
		}
	}
}

// Hold returns a channel that is closed when the hold is released. It never is
// if there is no hub.
func (c *Client) Hold(name string) <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.send(message{Hold: name})
}

// send returns the channel of the hub's answer, nil if there is no hub.
func (c *Client) send(m message) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	c.seq++
	m.Seq = c.seq
	answered := make(chan struct{})
	c.waiting[m.Seq] = answered
	line, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return nil
	}
	return answered
}

func (c *Client) read(lines *bufio.Scanner) {
	defer close(c.closed)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		c.mu.Lock()
		if answered, ok := c.waiting[m.Seq]; ok {
			delete(c.waiting, m.Seq)
			close(answered)
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
}

// Closed is closed when the hub is gone.
func (c *Client) Closed() <-chan struct{} { return c.closed }
