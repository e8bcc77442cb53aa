package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody bounds what the fake reads of one request.
const maxBody = 128 << 20

// serveHTTP serves streamable HTTP at /mcp and HTTP+SSE at /sse, whichever the
// script says; the other path does not exist.
func serveHTTP(s *server, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	path := "/mcp"
	if s.script.transport == "sse" {
		path = "/sse"
		streams := &sseStreams{server: s, open: map[string]*stream{}}
		mux.HandleFunc("GET /sse", streams.get)
		mux.HandleFunc("POST /message", streams.post)
	} else {
		mux.HandleFunc("POST /mcp", s.post)
		mux.HandleFunc("GET /mcp", s.get)
		mux.HandleFunc("DELETE /mcp", s.delete)
	}
	s.startSteps(&exchange{send: s.broadcast, reply: func([]byte) {}})
	s.hub.Report("url http://" + listener.Addr().String() + path)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}

// httpReply is the answer to one POST. Its exchange's goroutine owns it.
type httpReply struct {
	w    http.ResponseWriter
	sse  *stream // nil when answers are JSON
	sent bool
}

func (r *httpReply) session(id string) { r.w.Header().Set("Mcp-Session-Id", id) }

// status answers without a message; header is "Name: value" or "".
func (r *httpReply) status(code int, header string) {
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.w.Header().Set(name, value)
	}
	r.sent = true
	http.Error(r.w, http.StatusText(code), code)
}

func (r *httpReply) reply(message []byte) {
	r.sent = true
	if r.sse != nil {
		r.sse.send(message)
		return
	}
	r.w.Header().Set("Content-Type", "application/json")
	_, _ = r.w.Write(message)
}

func (s *server) post(w http.ResponseWriter, r *http.Request) {
	defer hangUp()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x := s.decode(body)
	if x != nil && x.ID != nil && !s.admits(r, x) {
		s.hub.Report("refused " + x.name())
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	if x != nil {
		s.hub.Report("got " + x.name())
	}
	if x == nil || x.ID == nil {
		s.accept(w, x)
		return
	}
	steps, scripted := s.scripted(x.Method, x.tool)
	reply := &httpReply{w: w}
	x.http, x.reply, x.send, x.gone = reply, reply.reply, s.broadcast, r.Context().Done()
	if s.script.answers == "sse" || x.Method == "subscriptions/listen" {
		reply.sse = &stream{w: w}
		x.send = reply.sse.send
	}
	s.handle(x, steps, scripted)
	if !reply.sent {
		<-r.Context().Done()
		s.hub.Report("abandoned " + x.Method)
	}
}

// accept takes what needs no answer: a notification, or (x is nil) an answer.
func (s *server) accept(w http.ResponseWriter, x *exchange) {
	reply := &httpReply{w: w}
	if x != nil {
		if steps, ok := s.scripted(x.Method, ""); ok {
			x.send, x.reply, x.http = s.broadcast, func([]byte) {}, reply
			s.run(steps, x)
		}
	}
	if !reply.sent {
		w.WriteHeader(http.StatusAccepted)
	}
}

// admits says whether a request belongs to a session we know, or needs none.
func (s *server) admits(r *http.Request, x *exchange) bool {
	if x.Method == "initialize" || x.Method == "server/discover" || s.script.era == eraStateless {
		return true
	}
	if s.script.era == eraBoth && r.Header.Get("Mcp-Protocol-Version") == stateless {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[r.Header.Get("Mcp-Session-Id")]
}

func (s *server) openSession() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessionsNo++
	id := fmt.Sprintf("session-%d", s.sessionsNo)
	s.sessions[id] = true
	return id
}

// get opens the stream on which a stateful server speaks unasked.
func (s *server) get(w http.ResponseWriter, r *http.Request) {
	defer hangUp()
	s.hub.Report("got GET")
	if !s.script.stream {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if steps, ok := s.scripted("GET", ""); ok {
		x := &exchange{Method: "GET", send: s.broadcast, reply: func([]byte) {}, gone: r.Context().Done(), http: &httpReply{w: w}}
		s.run(steps, x)
		if x.http.sent {
			return
		}
	}
	out := &stream{w: w}
	out.open()
	l := &listener{send: out.send}
	s.subscribe(l)
	<-r.Context().Done()
	s.unsubscribe(l)
}

func (s *server) delete(w http.ResponseWriter, r *http.Request) {
	s.hub.Report("got DELETE")
	s.mu.Lock()
	delete(s.sessions, r.Header.Get("Mcp-Session-Id"))
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// hangUp turns the step of that name into a connection that breaks.
func hangUp() {
	switch cause := recover(); cause {
	case nil:
	case errHangUp:
		panic(http.ErrAbortHandler)
	default:
		panic(cause)
	}
}

// stream is one server-sent-events response.
type stream struct {
	mu     sync.Mutex
	w      http.ResponseWriter // guarded by mu
	opened bool                // guarded by mu
}

func (st *stream) open() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.header()
}

// header is called with mu held.
func (st *stream) header() {
	if !st.opened {
		st.w.Header().Set("Content-Type", "text/event-stream")
		st.w.WriteHeader(http.StatusOK)
		st.opened = true
	}
	_ = http.NewResponseController(st.w).Flush() // a client that left shows in the context
}

func (st *stream) send(message []byte) { st.event("message", message) }

func (st *stream) event(name string, data []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.header()
	fmt.Fprintf(st.w, "event: %s\ndata: %s\n\n", name, data)
	st.header()
}
