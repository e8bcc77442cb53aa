package face

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Methods that matter to the account.
const (
	methodListen    = "subscriptions/listen" // is answered when it ends
	methodCancelled = "notifications/cancelled"
)

// account is of what the client is owed an answer to before the end.
type account struct {
	mu       sync.Mutex              // guards what follows
	open     map[jsonrpc.ID]bool     // requests; true while the answer is written
	dropped  map[jsonrpc.ID]struct{} // requests that the client has cancelled
	refusals int                     // answers to what is no message
	idle     chan struct{}           // closed when nothing is owed; nil until somebody waits
}

func newAccount() *account {
	return &account{open: map[jsonrpc.ID]bool{}, dropped: map[jsonrpc.ID]struct{}{}}
}

// enter takes up what has come, before the SDK sees it. It is false for a request
// whose id is in flight.
func (a *account) enter(r *jsonrpc.Request) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case r.IsCall() && r.Method != methodListen:
		if written, known := a.open[r.ID]; known && !written {
			return false
		}
		a.open[r.ID] = false
	case r.Method == methodCancelled:
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &p) != nil {
			return true // the SDK says so
		}
		id, err := jsonrpc.MakeID(p.RequestID)
		if answered, known := a.open[id]; err == nil && known && !answered {
			delete(a.open, id)
			a.dropped[id] = struct{}{}
			a.settle()
		}
	}
	return true
}

// answers says whether a request is answered, which it is not when it has been
// cancelled. After that it is too late to cancel it.
func (a *account) answers(id jsonrpc.ID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, cancelled := a.dropped[id]; cancelled {
		delete(a.dropped, id)
		return false
	}
	if _, known := a.open[id]; known {
		a.open[id] = true
	}
	return true
}

// answered says that a request's answer is written. The client may have used the id
// again, as soon as it had read that.
func (a *account) answered(id jsonrpc.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[id] {
		delete(a.open, id)
		a.settle()
	}
}

// refusing counts answers to what is no message: 1 for one that is to be written, -1
// when it is.
func (a *account) refusing(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refusals += n
	a.settle()
}

// settle tells who waits for it that nothing is owed, if nothing is. Called with mu
// held.
func (a *account) settle() {
	if len(a.open) == 0 && a.refusals == 0 && a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

// whenIdle is closed when nothing is owed.
func (a *account) whenIdle() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	idle := make(chan struct{})
	a.idle = idle
	a.settle()
	return idle
}
