package runtime

import (
	"context"
	"sync"
)

// commands runs the commands that entries ask for (!cmd), each once: a success
// holds for the life of the sidecar, a failure is tried again by the next
// attempt. Different commands run side by side.
type commands struct {
	run func(ctx context.Context, command string) (string, error)

	mu    sync.Mutex
	known map[string]*command // guarded by mu
}

// command is one run, under way or successful.
type command struct {
	done chan struct{} // closed when out and err are set
	out  string
	err  error
}

func newCommands(run func(context.Context, string) (string, error)) *commands {
	return &commands{run: run, known: map[string]*command{}}
}

// output gives what a command prints. Who comes while it runs waits for it, or
// for the end of ctx.
func (c *commands) output(ctx context.Context, text string) (string, error) {
	c.mu.Lock()
	x, running := c.known[text]
	if !running {
		x = &command{done: make(chan struct{})}
		c.known[text] = x
	}
	c.mu.Unlock()
	if running {
		select {
		case <-x.done:
			return x.out, x.err
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	x.out, x.err = c.run(ctx, text)
	if x.err != nil {
		c.mu.Lock()
		delete(c.known, text)
		c.mu.Unlock()
	}
	close(x.done)
	return x.out, x.err
}
