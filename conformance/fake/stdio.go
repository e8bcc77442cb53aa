package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
)

// maxLine bounds what the fake reads as one message.
const maxLine = 128 << 20

// errHangUp ends an HTTP exchange without an answer.
var errHangUp = errors.New("hang up")

// write does not care whether anybody reads: a fake whose pipe is broken ends
// by EOF or by its lifetime.
func (s *server) write(out *os.File, data []byte) {
	s.pipes.Lock()
	defer s.pipes.Unlock()
	_, _ = out.Write(data)
}

func serveStdio(s *server) {
	out := &stdout{server: s, script: s.script}
	s.subscribe(&listener{send: out.send})
	nobody := &exchange{send: out.send, reply: func([]byte) {}}
	s.startSteps(nobody)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for !s.isDeaf() && lines.Scan() {
		x := s.receive(bytes.Clone(lines.Bytes()))
		if x == nil {
			continue
		}
		x.send, x.reply = out.send, out.send
		steps, scripted := s.scripted(x.Method, x.tool)
		if x.Method == "subscriptions/listen" && !scripted {
			s.unsubscribeAll()
		}
		for _, st := range steps {
			if st.verb == "deaf" { // before the next line is read, not some time after
				s.act(st, x)
			}
		}
		go s.handle(x, steps, scripted) // ends with its last step or the process
	}
	if s.isDeaf() {
		select {} // the lifetime or a signal ends it
	}
	s.hub.Report("eof")
	if steps, ok := s.script.on["eof"]; ok {
		s.run(steps, nobody)
	}
	if s.ignores("eof") {
		select {} // as above
	}
	os.Exit(0)
}

// startSteps runs "on start", before anything is read.
func (s *server) startSteps(x *exchange) {
	spawn := 1
	if s.hub != nil {
		spawn = s.hub.Spawn
	}
	if steps, ok := s.script.steps("start", "", 0, spawn); ok {
		s.run(steps, x)
	}
}

// unsubscribeAll makes room for the stream that a stateless client asks for.
func (s *server) unsubscribeAll() {
	s.mu.Lock()
	clear(s.listeners)
	s.mu.Unlock()
}

// stdout frames messages as lines, in the ways of the script.
type stdout struct {
	server *server
	script *script
}

func (o *stdout) send(message []byte) {
	line := bytes.Clone(message)
	if o.script.has("invalid") {
		line = bytes.ReplaceAll(line, []byte("INVALID"), []byte{0xff, 0xfe})
	}
	if o.script.has("bom") {
		line = append([]byte("\xef\xbb\xbf"), line...)
	}
	if o.script.has("crlf") {
		line = append(line, '\r')
	}
	line = append(line, '\n')
	if o.script.has("paired") {
		line = append([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"pair"}}`+"\n"), line...)
	}
	if !o.script.has("bytewise") {
		o.server.write(os.Stdout, line)
		return
	}
	o.server.pipes.Lock()
	defer o.server.pipes.Unlock()
	for i := range line {
		_, _ = os.Stdout.Write(line[i : i+1])
	}
}
