// Package control is how a conformance test sees into the fake servers and
// orders what they do, without a clock: every fake reports what happens to it
// over a Unix socket, and waits there when its script says so.
//
// Reports are acknowledged before the fake goes on, so whoever has seen a
// fake's answer can count on its reports having arrived. A connection lives
// exactly as long as its process: its end is the proof that the process is
// gone, also when it was killed.
//
// The package knows neither MCP nor the sidecar.
package control

// Env is the environment variable that holds the path of the socket. Without
// it a fake reports to nobody, and its holds last for ever.
const Env = "CONFORMANCE_CONTROL"

// Events that the hub itself adds to those the fakes report.
const (
	// Started: a process has connected.
	Started = "started"
	// Gone: a process has ended.
	Gone = "gone"
)

// message is one line on the socket, in either direction. Exactly one of
// Hello, Event, Hold (from a fake) and OK (from the hub) is set.
type message struct {
	// Hello is the name of the fake, in its first message.
	Hello string `json:"hello,omitempty"`
	PID   int    `json:"pid,omitempty"`
	// Event is one thing that happened: words, the most general first.
	Event string `json:"event,omitempty"`
	// Hold asks to be told when the hold of this name is released.
	Hold string `json:"hold,omitempty"`
	// Seq ties the hub's OK to the message it answers.
	Seq int  `json:"seq,omitempty"`
	OK  bool `json:"ok,omitempty"`
	// Spawn answers Hello: the how-manieth process of that name this is, from 1.
	Spawn int `json:"spawn,omitempty"`
}
