package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// sseStreams is the transport of MCP 2024-11-05: one GET carries everything
// from the server, each POST something to it.
type sseStreams struct {
	server *server

	mu   sync.Mutex
	open map[string]*stream // guarded by mu; by session
	no   int                // guarded by mu
}

func (ss *sseStreams) get(w http.ResponseWriter, r *http.Request) {
	defer hangUp()
	ss.server.hub.Report("got GET")
	out := &stream{w: w}
	ss.mu.Lock()
	ss.no++
	id := fmt.Sprintf("session-%d", ss.no)
	ss.open[id] = out
	ss.mu.Unlock()
	out.event("endpoint", []byte("/message?session="+id))
	l := &listener{send: out.send}
	ss.server.subscribe(l)
	<-r.Context().Done()
	ss.server.unsubscribe(l)
	ss.mu.Lock()
	delete(ss.open, id)
	ss.mu.Unlock()
}

func (ss *sseStreams) post(w http.ResponseWriter, r *http.Request) {
	defer hangUp()
	ss.mu.Lock()
	out := ss.open[r.URL.Query().Get("session")]
	ss.mu.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if out == nil || err != nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	x := ss.server.receive(body)
	w.WriteHeader(http.StatusAccepted)
	if x == nil {
		return
	}
	x.send, x.reply = out.send, out.send
	steps, scripted := ss.server.scripted(x.Method, x.tool)
	go ss.server.handle(x, steps, scripted) // ends with its last step or the process
}
