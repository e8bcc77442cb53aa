package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

// server is the MCP part of a fake, the same for every transport.
type server struct {
	script *script
	hub    *control.Client // nil without a control socket
	pipes  sync.Mutex      // keeps messages and rubbish whole lines

	mu         sync.Mutex
	visible    []string           // guarded by mu; keys of the tools that are listed now
	seen       map[string]int     // guarded by mu; how often each event has happened
	ignored    map[string]bool    // guarded by mu; "term", "eof"
	deaf       bool               // guarded by mu; stdin is read no more
	listeners  map[*listener]bool // guarded by mu; where notifications go
	sessions   map[string]bool    // guarded by mu; those of HTTP that are known
	sessionsNo int                // guarded by mu; how many there have been
}

// listener is one stream to the client that takes notifications.
type listener struct {
	send func(message []byte)
	// id is that of subscriptions/listen, nil in the stateful era.
	id json.RawMessage
}

// exchange is one message of the client being dealt with.
type exchange struct {
	Method string          `json:"method"`
	ID     json.RawMessage `json:"id"`
	Params json.RawMessage `json:"params"`

	tool      string          // for tools/call
	arguments json.RawMessage // for tools/call
	token     json.RawMessage // progressToken, or nil

	send  func(message []byte) // something before the answer
	reply func(message []byte) // the answer
	gone  <-chan struct{}      // closed when nobody waits for it any more; may be nil
	http  *httpReply           // nil on stdio
}

func newServer(script *script, hub *control.Client) *server {
	return &server{
		script:    script,
		hub:       hub,
		visible:   script.visible,
		seen:      map[string]int{},
		ignored:   map[string]bool{},
		listeners: map[*listener]bool{},
		sessions:  map[string]bool{},
	}
}

// receive decodes one message and reports it. It is nil for what needs no
// handling.
func (s *server) receive(raw []byte) *exchange {
	x := s.decode(raw)
	if x != nil {
		s.hub.Report("got " + x.name())
	}
	return x
}

// name is the method, and for a call the tool.
func (x *exchange) name() string {
	if x.tool != "" {
		return x.Method + " " + x.tool
	}
	return x.Method
}

// decode is receive for a message that may yet be refused.
func (s *server) decode(raw []byte) *exchange {
	x := &exchange{}
	if json.Unmarshal(raw, x) != nil {
		s.hub.Report("got garbage")
		return nil
	}
	if x.Method == "" {
		s.hub.Report("got answer " + string(bytes.Trim(x.ID, `"`)))
		return nil
	}
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if x.Params != nil && json.Unmarshal(x.Params, &params) == nil {
		x.arguments, x.token = params.Arguments, params.Meta.ProgressToken
		if x.Method == "tools/call" {
			x.tool = params.Name
		}
	}
	return x
}

// scripted finds the steps for an event and counts it.
func (s *server) scripted(what, which string) ([]step, bool) {
	s.mu.Lock()
	s.seen[what]++
	nthWhat, nthWhich := s.seen[what], 0
	if which != "" {
		s.seen[what+" "+which]++
		nthWhich = s.seen[what+" "+which]
	}
	s.mu.Unlock()
	return s.script.steps(what, which, nthWhich, nthWhat)
}

// handle deals with one message, as the script says or as a server should.
func (s *server) handle(x *exchange, steps []step, scripted bool) {
	if scripted {
		s.run(steps, x)
	} else {
		s.answer(x)
	}
	if x.Method == "tools/list" {
		go s.ready() // ends with its last step or the process; the answer must not wait for it
	}
}

// ready runs the script's "on ready" after the first tools/list.
func (s *server) ready() {
	s.mu.Lock()
	s.seen["ready"]++
	first := s.seen["ready"] == 1
	s.mu.Unlock()
	if steps, ok := s.script.on["ready"]; ok && first {
		s.run(steps, &exchange{send: s.broadcast, reply: func([]byte) {}})
	}
}

// answer is what a well-behaved server says.
func (s *server) answer(x *exchange) {
	if x.ID == nil {
		return
	}
	switch x.Method {
	case "initialize":
		s.initialize(x)
	case "server/discover":
		s.discover(x)
	case "subscriptions/listen":
		s.listen(x)
	case "tools/list":
		s.list(x)
	case "tools/call":
		if !s.script.known(x.tool) {
			x.fail(-32602, "unknown tool "+x.tool)
			return
		}
		x.text(fmt.Sprintf("%s %s", x.tool, x.arguments))
	case "ping", "logging/setLevel":
		x.result([]byte(`{}`))
	default:
		x.fail(-32601, "no method "+x.Method)
	}
}

func (s *server) info() string {
	return fmt.Sprintf(`{"name":%q,"version":"1.0"}`, s.script.name)
}

func (s *server) initialize(x *exchange) {
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(x.Params, &params) // an odd request gets our first version
	if s.script.era == eraStateless {
		x.fail(-32601, "no method initialize")
		return
	}
	version := s.script.versions[0]
	if slices.Contains(s.script.versions, params.ProtocolVersion) {
		version = params.ProtocolVersion
	}
	if x.http != nil {
		x.http.session(s.openSession())
	}
	x.result(fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s%s}`,
		version, s.script.capabilities, s.info(), s.instructions()))
}

func (s *server) discover(x *exchange) {
	if s.script.era == eraInitialize {
		x.fail(-32601, "no method server/discover")
		return
	}
	x.result(fmt.Appendf(nil,
		`{"resultType":"complete","supportedVersions":[%q],"capabilities":%s,"_meta":{"io.modelcontextprotocol/serverInfo":%s},"ttlMs":0,"cacheScope":"private"%s}`,
		stateless, s.script.capabilities, s.info(), s.instructions()))
}

func (s *server) instructions() string {
	if s.script.instructions == "" {
		return ""
	}
	return fmt.Sprintf(`,"instructions":%q`, s.script.instructions)
}

// listen opens a stateless client's stream of notifications. On HTTP it lasts
// as long as its response.
func (s *server) listen(x *exchange) {
	l := &listener{send: x.send, id: x.ID}
	x.send(l.message("notifications/subscriptions/acknowledged", `"notifications":{"toolsListChanged":true}`))
	s.subscribe(l)
	if x.http != nil {
		<-x.gone
		s.unsubscribe(l)
	}
}

func (s *server) subscribe(l *listener) {
	s.mu.Lock()
	s.listeners[l] = true
	s.mu.Unlock()
	s.hub.Report("listening")
}

func (s *server) unsubscribe(l *listener) {
	s.mu.Lock()
	delete(s.listeners, l)
	s.mu.Unlock()
}

// message builds a notification for one listener. members are those of params.
func (l *listener) message(method, members string) []byte {
	if l.id != nil {
		if members != "" {
			members += ","
		}
		members += fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/subscriptionId":%s}`, l.id)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, members)
}

// notify sends a notification to everybody who listens.
func (s *server) notify(method, members string) {
	for _, l := range s.listening() {
		l.send(l.message(method, members))
	}
}

// broadcast sends a whole message to everybody who listens.
func (s *server) broadcast(message []byte) {
	for _, l := range s.listening() {
		l.send(message)
	}
}

func (s *server) listening() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*listener
	for l := range s.listeners {
		all = append(all, l)
	}
	return all
}

// list answers tools/list, one page of it. Cursors are indices into the list.
func (s *server) list(x *exchange) {
	var params struct {
		Cursor *string `json:"cursor"`
	}
	_ = json.Unmarshal(x.Params, &params) // an odd request gets the first page
	s.mu.Lock()
	keys := s.visible
	s.mu.Unlock()
	from := 0
	if params.Cursor != nil {
		from, _ = strconv.Atoi(*params.Cursor) // "" of "cursor empty" is the second page
		if *params.Cursor == "" {
			from = s.script.page
		}
	}
	from = min(max(from, 0), len(keys))
	to, next := len(keys), ""
	if s.script.page > 0 && from+s.script.page < len(keys) {
		to = from + s.script.page
		next = fmt.Sprintf(`,"nextCursor":"%d"`, to)
		if s.script.cursor == "empty" && params.Cursor == nil {
			next = `,"nextCursor":""`
		}
	}
	if s.script.cursor == "repeat" {
		next = `,"nextCursor":"0"`
	}
	var definitions [][]byte
	for _, key := range keys[from:to] {
		definitions = append(definitions, []byte(s.script.tools[key]))
	}
	x.result(fmt.Appendf(nil, `{"tools":[%s]%s}`, bytes.Join(definitions, []byte(",")), next))
}

// result answers with these bytes.
func (x *exchange) result(raw []byte) {
	x.reply(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, x.ID, raw))
}

func (x *exchange) text(text string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		quoted = []byte(`""`)
	}
	x.result(fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, quoted))
}

func (x *exchange) fail(code int, message string) {
	x.reply(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, x.ID, code, message))
}

func (s *server) ignores(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ignored[what]
}

func (s *server) isDeaf() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deaf
}
