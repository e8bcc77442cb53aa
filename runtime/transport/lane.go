package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The ids of the lane, which are its progress tokens too: integers below 2^31,
// because some servers read nothing else. The SDK counts its own from 1 upward
// and starts anew with every handshake, so that it would have to send a billion
// requests on one connection to meet one of these.
const (
	firstLaneID = 1 << 30
	laneIDs     = 1 << 30
)

// lane sends requests past the SDK and takes their answers and their progress
// before the SDK sees them: what a server sends reaches the caller as bytes.
//
// The link that owns it shows it everything that arrives, in order and from one
// goroutine (take), and ends it once (fail).
type lane struct {
	// send hands over one frame, newline excluded. It waits no longer than ctx
	// lasts; after an error the frame has not been sent. A nil ticket means
	// that it is out already.
	send func(ctx context.Context, frame []byte) (ticket, error)
	// post sends a notification if that is possible without waiting.
	post func(frame []byte)
	// redact is for the server's words in errors and progress.
	redact redactor

	mu      sync.Mutex
	pending map[int64]*laneRequest // guarded by mu
	last    int64                  // guarded by mu; the offset of the last id given
	meta    string                 // guarded by mu; members of _meta every request carries, or ""
	ended   *Error                 // guarded by mu; why nothing works any more
	// settled is closed when pending is empty. It is guarded by mu, and nil
	// unless somebody waits for that.
	settled chan struct{}
}

// laneRequest is one request under way.
type laneRequest struct {
	id     int64
	ticket ticket
	answer chan answer // cap 1; gets one answer at most, by whoever takes it from pending

	// mu is held while progress runs, so that none is reported after the
	// request has been left.
	mu       sync.Mutex
	progress func(Progress) // guarded by mu; nil when nobody wants it
}

// answer is a result, or an error: an *RPCError of the server or an *Error of
// ours.
type answer struct {
	result json.RawMessage
	err    error
}

func newLane(send func(context.Context, []byte) (ticket, error), post func([]byte), redact redactor) *lane {
	return &lane{send: send, post: post, redact: redact, pending: map[int64]*laneRequest{}}
}

// negotiated fixes what requests carry in this era.
func (l *lane) negotiated(era Era, client identity) {
	meta := ""
	if era == EraStateless {
		meta = client.requestMeta()
	}
	l.mu.Lock()
	l.meta = meta
	l.mu.Unlock()
}

// question is a request to be sent.
type question struct {
	stage  Stage
	method string
	params json.RawMessage // an object without _meta, or nil
	meta   string          // members of its _meta besides the era's
	// token asks for progress; it goes to progress, if anywhere.
	token    bool
	progress func(Progress)
}

// call is link.call.
func (l *lane) call(ctx context.Context, c Call) (json.RawMessage, error) {
	arguments := c.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	params := make([]byte, 0, len(c.Tool)+len(arguments)+32)
	params = append(params, `{"name":`...)
	params = appendString(params, c.Tool)
	params = append(params, `,"arguments":`...)
	params = append(params, arguments...)
	params = append(params, '}')
	return l.ask(ctx, question{stage: StageCall, method: "tools/call", params: params, token: true, progress: c.Progress})
}

// request is link.request.
func (l *lane) request(ctx context.Context, stage Stage, method string, params json.RawMessage) (json.RawMessage, error) {
	return l.ask(ctx, question{stage: stage, method: method, params: params})
}

func (l *lane) ask(ctx context.Context, q question) (json.RawMessage, error) {
	x, err := l.start(ctx, q)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-x.answer:
		return l.finish(x, q, a)
	case <-ctx.Done():
		notSent := l.abandon(x, context.Cause(ctx).Error())
		return nil, interrupted(ctx, q.stage, q.method, notSent)
	}
}

// start sends a request. Whoever starts one takes its answer from x.answer, or
// forgets or abandons it.
func (l *lane) start(ctx context.Context, q question) (*laneRequest, error) {
	if ctx.Err() != nil {
		return nil, interrupted(ctx, q.stage, q.method, true)
	}
	x := &laneRequest{answer: make(chan answer, 1), progress: q.progress}
	meta, err := l.register(x)
	if err != nil {
		return nil, during(err, q.stage, q.method, true)
	}
	x.ticket, err = l.send(ctx, q.frame(x.id, meta))
	if err == nil {
		return x, nil
	}
	l.forget(x)
	if ctx.Err() != nil {
		return nil, interrupted(ctx, q.stage, q.method, true)
	}
	// A writer fails before the reason is known, which is the end of the
	// connection.
	select {
	case a := <-x.answer:
		err = a.err
	default:
	}
	return nil, during(err, q.stage, q.method, true)
}

// register gives x an id nobody uses.
func (l *lane) register(x *laneRequest) (meta string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return "", l.ended
	}
	for {
		l.last = (l.last + 1) % laneIDs
		x.id = firstLaneID + l.last
		if l.pending[x.id] == nil {
			break
		}
	}
	l.pending[x.id] = x
	return l.meta, nil
}

// forget leaves a request without a word to the server.
func (l *lane) forget(x *laneRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending[x.id] == x {
		l.drop(x.id)
	}
}

// drop takes a request out of pending. The caller holds mu.
func (l *lane) drop(id int64) {
	delete(l.pending, id)
	if len(l.pending) == 0 && l.settled != nil {
		close(l.settled)
		l.settled = nil
	}
}

// settle waits until no request is under way, but not for long. One goroutine
// may do so.
func (l *lane) settle(limit time.Duration) {
	l.mu.Lock()
	if len(l.pending) == 0 {
		l.mu.Unlock()
		return
	}
	settled := make(chan struct{})
	l.settled = settled
	l.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-settled:
	case <-timer.C:
	}
}

// abandon leaves a request: a late answer is ignored, no progress is reported
// any more, and the server is told unless it never saw the request, which is
// what the result says.
func (l *lane) abandon(x *laneRequest, reason string) (notSent bool) {
	l.forget(x)
	x.mu.Lock()
	x.progress = nil
	x.mu.Unlock()
	if x.withdraw() {
		return true
	}
	frame := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":`, x.id)
	l.post(append(appendString(frame, reason), "}}"...))
	return false
}

// withdraw reports whether the server cannot have seen the request.
func (x *laneRequest) withdraw() bool { return x.ticket != nil && x.ticket.withdraw() }

// finish turns an answer into what the caller gets.
func (l *lane) finish(x *laneRequest, q question, a answer) (json.RawMessage, error) {
	if a.err == nil {
		return a.result, nil
	}
	var refusal *RPCError
	if errors.As(a.err, &refusal) {
		refusal = l.redact.refusal(refusal)
		return nil, &Error{Code: CodeProtocol, Stage: q.stage, Message: refusal.Message, Err: refusal}
	}
	return nil, during(a.err, q.stage, q.method, x.withdraw())
}

// take is shown every message that arrives and keeps those that belong to the
// lane: answers to its ids, also late ones, and progress of its requests.
func (l *lane) take(e envelope) bool {
	if e.isAnswer() {
		return l.takeAnswer(e)
	}
	return e.id == nil && string(e.method) == `"notifications/progress"` && l.takeProgress(e.params)
}

func (l *lane) takeAnswer(e envelope) bool {
	id, ok := number(e.id)
	if !ok || id < firstLaneID || id >= firstLaneID+laneIDs {
		return false
	}
	if x := l.remove(id); x != nil {
		result, err := e.answer()
		x.answer <- answer{result, err}
	}
	return true
}

// refuse answers a pending request in the server's place.
func (l *lane) refuse(id int64, err error) bool {
	x := l.remove(id)
	if x == nil {
		return false
	}
	x.answer <- answer{err: err}
	return true
}

// refuseOnly answers the one request that is under way, if it is the only one:
// an error without an id can mean no other.
func (l *lane) refuseOnly(err error) bool {
	l.mu.Lock()
	var only int64
	if len(l.pending) == 1 {
		for id := range l.pending {
			only = id
		}
	}
	l.mu.Unlock()
	return only != 0 && l.refuse(only, err)
}

// remove takes a request out of pending; its remover owes it the answer.
func (l *lane) remove(id int64) *laneRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.pending[id]
	l.drop(id)
	return x
}

func (l *lane) takeProgress(params json.RawMessage) bool {
	var p struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress json.RawMessage `json:"progress"`
		Total    json.RawMessage `json:"total"`
		Message  json.RawMessage `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return false
	}
	id, ok := number(p.Token)
	if !ok || id < firstLaneID || id >= firstLaneID+laneIDs {
		return false
	}
	l.mu.Lock()
	x := l.pending[id]
	l.mu.Unlock()
	if x == nil {
		return true
	}
	report := Progress{Progress: p.Progress}
	if string(p.Total) != "null" {
		report.Total = p.Total
	}
	if p.Message != nil && string(p.Message) != "null" {
		report.Message = l.redact.text(plainText(p.Message))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.progress != nil {
		x.progress(report)
	}
	return true
}

// fail ends the lane: every request under way gets underWay, and every later one
// gets err. Only the first err counts.
func (l *lane) fail(err, underWay *Error) {
	l.mu.Lock()
	if l.ended != nil {
		l.mu.Unlock()
		return
	}
	l.ended = err
	left := l.pending
	l.pending = map[int64]*laneRequest{}
	l.mu.Unlock()
	for _, x := range left {
		x.answer <- answer{err: underWay}
	}
}
