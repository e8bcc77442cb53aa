package control

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
)

// Hub is the test's end of the socket: one for all fakes of one test.
type Hub struct {
	listener net.Listener
	serving  sync.WaitGroup // the accept loop and one reader a connection

	mu        sync.Mutex
	events    []Event          // guarded by mu; everything so far, in order
	awaited   map[Event]int    // guarded by mu; how many of a kind Await has used up
	processes []*process       // guarded by mu; those that live, oldest first
	spawned   map[string]int   // guarded by mu; processes so far, by name
	held      map[Event][]hold // guarded by mu; holds that wait, oldest first
	released  map[Event]int    // guarded by mu; releases nobody has waited for yet
	changed   chan struct{}    // guarded by mu; closed and replaced at each event
}

// Event is one thing that happened to one fake.
type Event struct {
	Fake string
	Text string
}

type process struct {
	name string
	pid  int
	conn net.Conn
}

type hold struct {
	process *process
	seq     int
}

// Listen opens a hub at path.
func Listen(path string) (*Hub, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	h := &Hub{
		listener: listener,
		awaited:  map[Event]int{},
		spawned:  map[string]int{},
		held:     map[Event][]hold{},
		released: map[Event]int{},
		changed:  make(chan struct{}),
	}
	// Ends when Close closes the listener.
	h.serving.Go(h.accept)
	return h, nil
}

// Close hangs up on every fake and waits for the hub's goroutines.
func (h *Hub) Close() {
	h.listener.Close()
	h.mu.Lock()
	for _, p := range h.processes {
		p.conn.Close()
	}
	h.mu.Unlock()
	h.serving.Wait()
}

func (h *Hub) accept() {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			return
		}
		// Ends when the process does, or when Close closes the connection.
		h.serving.Go(func() { h.serve(conn) })
	}
}

func (h *Hub) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	var p *process
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if p == nil {
			p = h.welcome(conn, m)
			continue
		}
		h.take(p, m)
	}
	if p != nil {
		h.farewell(p)
	}
}

func (h *Hub) welcome(conn net.Conn, m message) *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := &process{name: m.Hello, pid: m.PID, conn: conn}
	h.processes = append(h.processes, p)
	h.spawned[p.name]++
	h.add(Event{p.name, Started})
	p.answer(message{OK: true, Spawn: h.spawned[p.name]})
	return p
}

func (h *Hub) farewell(p *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.processes = slices.DeleteFunc(h.processes, func(q *process) bool { return q == p })
	for key, holds := range h.held {
		h.held[key] = slices.DeleteFunc(holds, func(w hold) bool { return w.process == p })
	}
	h.add(Event{p.name, Gone})
}

func (h *Hub) take(p *process, m message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.Hold == "" {
		h.add(Event{p.name, m.Event})
		p.answer(message{OK: true, Seq: m.Seq})
		return
	}
	key := Event{p.name, m.Hold}
	h.add(Event{p.name, "holding " + m.Hold})
	if h.released[key] > 0 {
		h.released[key]--
		p.answer(message{OK: true, Seq: m.Seq})
		return
	}
	h.held[key] = append(h.held[key], hold{p, m.Seq})
}

// add is called with mu held.
func (h *Hub) add(e Event) {
	h.events = append(h.events, e)
	close(h.changed)
	h.changed = make(chan struct{})
}

func (p *process) answer(m message) {
	if line, err := json.Marshal(m); err == nil {
		_, _ = p.conn.Write(append(line, '\n'))
	}
}

// is says whether e is the event e2 or one more specific: "got tools/call" is
// also "got tools/call echo".
func (e Event) is(e2 Event) bool {
	return e2.Fake == e.Fake && (e2.Text == e.Text || strings.HasPrefix(e2.Text, e.Text+" "))
}

// Count says how often an event has happened so far.
func (h *Hub) Count(e Event) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count(e)
}

// count is called with mu held.
func (h *Hub) count(e Event) int {
	n := 0
	for _, seen := range h.events {
		if e.is(seen) {
			n++
		}
	}
	return n
}

// Await waits until an event has happened once more than it was awaited
// before.
func (h *Hub) Await(ctx context.Context, e Event) error {
	err := h.until(ctx, func() bool {
		if h.count(e) <= h.awaited[e] {
			return false
		}
		h.awaited[e]++
		return true
	})
	if err != nil {
		return fmt.Errorf("fake %s did not report %q", e.Fake, e.Text)
	}
	return nil
}

// AwaitEnd waits until no process of that fake is left.
func (h *Hub) AwaitEnd(ctx context.Context, fake string) error {
	if h.until(ctx, func() bool { return len(h.pids(fake)) == 0 }) != nil {
		return fmt.Errorf("processes of fake %s are left: %v", fake, h.PIDs(fake))
	}
	return nil
}

// until waits for a condition, which is called with mu held.
func (h *Hub) until(ctx context.Context, condition func() bool) error {
	for {
		h.mu.Lock()
		met, changed := condition(), h.changed
		h.mu.Unlock()
		if met {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Release lets one hold of that name go: the oldest that waits, else the next
// that comes.
func (h *Hub) Release(fake, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := Event{fake, name}
	holds := h.held[key]
	if len(holds) == 0 {
		h.released[key]++
		return
	}
	h.held[key] = holds[1:]
	holds[0].process.answer(message{OK: true, Seq: holds[0].seq})
}

// PIDs are the processes of a fake that live; of every fake when it is "".
func (h *Hub) PIDs(fake string) []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pids(fake)
}

// pids is called with mu held.
func (h *Hub) pids(fake string) []int {
	var pids []int
	for _, p := range h.processes {
		if fake == "" || p.name == fake {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// Kill ends the processes of a fake with SIGKILL.
func (h *Hub) Kill(fake string) error {
	pids := h.PIDs(fake)
	if len(pids) == 0 {
		return fmt.Errorf("no process of fake %s lives", fake)
	}
	for _, pid := range pids {
		if err := kill(pid); err != nil {
			return err
		}
	}
	return nil
}

// Trace is everything that happened, for a failing test's message.
func (h *Hub) Trace() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := make([]string, len(h.events))
	for i, e := range h.events {
		lines[i] = e.Fake + ": " + e.Text
	}
	return lines
}

// Word waits for an event and returns the word after it: of "url http://…",
// awaited as "url", the address.
func (h *Hub) Word(ctx context.Context, e Event) (string, error) {
	if err := h.Await(ctx, e); err != nil {
		return "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, seen := range slices.Backward(h.events) {
		if e.is(seen) {
			return strings.TrimSpace(strings.TrimPrefix(seen.Text, e.Text)), nil
		}
	}
	return "", nil
}
