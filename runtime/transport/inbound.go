package transport

import (
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inbound is where a link reports to: it takes what the server sends besides
// answers and progress. List changes and log messages go to the hooks, questions
// and everything else to the SDK. Every link has one, and shows it the messages
// of each stream in wire order.
type inbound struct {
	hooks Hooks
	post  func(frame []byte) // sends to the server, and never waits

	redact redactor

	sdk    atomic.Pointer[sdkConn] // nil before open
	closed atomic.Bool
	// confirmed: the server has confirmed a subscription, so that a further one
	// follows a gap.
	confirmed atomic.Bool
}

// open makes the SDK's side of the link. From then on the server's questions
// wait for the SDK.
func (i *inbound) open(g greeting) {
	c := newSDKConn(g, i.post)
	i.sdk.Store(c)
	if i.closed.Load() {
		_ = c.Close()
	}
}

// close ends the SDK's side of the link, also if it is made later.
func (i *inbound) close() {
	i.closed.Store(true)
	if c := i.sdk.Load(); c != nil {
		_ = c.Close()
	}
}

// take is given a request or a notification of the server.
func (i *inbound) take(e envelope) {
	if e.isRequest() {
		i.question(e)
		return
	}
	switch e.name() {
	case "notifications/tools/list_changed":
		i.changed()
	case "notifications/subscriptions/acknowledged":
		if i.confirmed.Swap(true) {
			i.changed()
		}
	case "notifications/message":
		i.logged(e.params)
	default:
		if m, ok := e.message(); ok {
			if c := i.sdk.Load(); c != nil {
				c.put(m)
			}
		}
	}
}

// question is a request of the server.
func (i *inbound) question(e envelope) {
	c := i.sdk.Load()
	m, ok := e.message()
	switch {
	case string(e.method) == `"ping"`:
		i.reply(e.id, `"result":{}`)
	case c == nil || c.isClosed():
		i.refuse(e.id, jsonrpc.CodeMethodNotFound, "method not found: "+e.name())
	case !ok || !holdsID(e.id):
		i.refuse(e.id, jsonrpc.CodeInvalidRequest, "the id must be a string or an integer below 2^53")
	default:
		c.put(m)
	}
}

// holdsID: the SDK keeps ids as strings or float64s and would answer others
// under a changed id.
func holdsID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n > -1<<53 && n < 1<<53
}

// reply answers a request of the server; outcome is the member that says how.
func (i *inbound) reply(id json.RawMessage, outcome string) {
	i.post([]byte(`{"jsonrpc":"2.0","id":` + string(id) + `,` + outcome + `}`))
}

func (i *inbound) refuse(id json.RawMessage, code int, message string) {
	i.reply(id, `"error":{"code":`+strconv.Itoa(code)+`,"message":`+string(appendString(nil, message))+`}`)
}

// reached: the process runs, or the URL has answered.
func (i *inbound) reached() {
	if i.hooks.Stage != nil {
		i.hooks.Stage(StageInitialize)
	}
}

func (i *inbound) changed() {
	if i.hooks.ToolsChanged != nil {
		i.hooks.ToolsChanged()
	}
}

// noise is what the server sent that is no message, or about it.
func (i *inbound) noise(about string, text []byte) {
	if i.hooks.Noise != nil {
		i.hooks.Noise(about + i.redact.shorten(text, maxSample))
	}
}

// logged reports the params of notifications/message. Its data is a string or
// anything else in JSON (MCP: server/utilities/logging).
func (i *inbound) logged(params json.RawMessage) {
	var p struct {
		Level, Logger string
		Data          json.RawMessage
	}
	if i.hooks.Log == nil || json.Unmarshal(params, &p) != nil {
		return
	}
	text := plainText(p.Data)
	if p.Logger != "" {
		text = p.Logger + ": " + text
	}
	i.hooks.Log(p.Level, i.redact.text(text))
}
