package face

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// opening is how far the session has come. It begins with the client's first request.
// One that only wants to know what is spoken here (server/discover) has it opened, but
// starts no server: it may be all that this client ever asks.
type opening struct {
	asked  chan struct{} // closed by the first request
	wanted chan struct{} // closed by the first that is not only about that
	opened chan struct{} // closed when the session has answered
	awake  chan struct{} // closed when its servers are connecting, too
	failed chan struct{} // closed when there will be no session; err says why

	onceAsked, onceWanted sync.Once // of closing them

	err   error         // valid once failed is closed
	first *rpc.Snapshot // what the session answered; valid once opened is closed
}

func newOpening() *opening {
	return &opening{
		asked: make(chan struct{}), wanted: make(chan struct{}),
		opened: make(chan struct{}), awake: make(chan struct{}), failed: make(chan struct{}),
	}
}

// ask begins. stays says that the client has come to stay. wanted is closed first:
// open looks at it when asked is.
func (o *opening) ask(stays bool) {
	if stays {
		o.onceWanted.Do(func() { close(o.wanted) })
	}
	o.onceAsked.Do(func() { close(o.asked) })
}

// fail ends it: there is no session.
func (o *opening) fail(err error) {
	if errors.Is(err, rpc.ErrClosed) {
		err = ErrSessionEnded
	}
	o.err = fmt.Errorf("the session cannot be opened: %w", err)
	close(o.failed)
}

// await waits for one of the channels.
func (o *opening) await(ctx context.Context, step <-chan struct{}) error {
	select {
	case <-step:
		return nil
	case <-o.failed:
		return internal(o.err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// open opens the session when the client asks for something, and wakes it.
func (f *face) open(ctx context.Context) {
	o := f.opening
	if o.await(ctx, o.asked) != nil {
		return
	}
	woken := f.opt.Wake == nil || isClosed(o.wanted)
	if woken {
		f.wake()
	}
	var hello rpc.InitializeResult
	if err := f.client.AskThen(ctx, rpc.MethodInitialize, f.opt.Hello, &hello, func() {
		f.retool(hello.Snapshot.Tools)
		f.diagnosed(hello.Snapshot.Errors)
		if woken {
			f.gate.opened(f.offeredServers(hello.Snapshot.Servers))
		}
	}); err != nil {
		o.fail(err)
		return
	}
	o.first = hello.Snapshot
	f.sayWhatIsMissed()
	close(o.opened)
	if !woken && !f.rouse(ctx) {
		return
	}
	close(o.awake)
}

// rouse has the servers of an open session connected when the client wants them. It
// is false if that does not come to pass.
func (f *face) rouse(ctx context.Context) bool {
	if f.opening.await(ctx, f.opening.wanted) != nil {
		return false
	}
	f.wake()
	var now rpc.SnapshotResult
	err := f.client.AskThen(ctx, rpc.MethodReload, &rpc.ReloadParams{}, &now, func() {
		f.retool(now.Snapshot.Tools)
		f.gate.opened(f.offeredServers(now.Snapshot.Servers))
	})
	if err != nil {
		f.opening.fail(err)
	}
	return err == nil
}

func (f *face) wake() {
	if f.opt.Wake != nil {
		f.opt.Wake()
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
