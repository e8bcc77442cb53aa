package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Limits of what a script can make a fake write.
const (
	mostMiB   = 512
	mostTimes = 10_000
)

func stepVerbs() []string {
	return []string{
		"hold", "default", "result", "error", "env", "big", "send", "raw", "progress", "log",
		"noise", "flood", "stderr", "blab", "crash", "deaf", "ignore", "grandchild", "tools", "changed",
		"status", "forget", "hangup",
	}
}

// run takes the steps one after the other.
func (s *server) run(steps []step, x *exchange) {
	for _, st := range steps {
		if st.verb == "hold" {
			if !s.hold(st.args, x) {
				return
			}
			continue
		}
		if !s.speak(st, x) {
			s.act(st, x)
		}
	}
}

// hold says whether the hold was released, rather than its request abandoned.
func (s *server) hold(name string, x *exchange) bool {
	select {
	case <-s.hub.Hold(name):
		return true
	case <-x.gone:
		s.hub.Report("abandoned " + x.Method)
		return false
	}
}

// speak takes the steps that send a message, and says whether it was one.
func (s *server) speak(st step, x *exchange) bool {
	switch st.verb {
	case "default":
		s.answer(x)
	case "result":
		x.result([]byte(x.filled(st.args)))
	case "error":
		code, message, _ := strings.Cut(st.args, " ")
		x.fail(number(code), withGiven(message))
	case "env":
		x.text(os.Getenv(st.args))
	case "big":
		x.text(strings.Repeat("x", min(number(st.args), mostMiB)<<20))
	case "send":
		x.send([]byte(x.filled(st.args)))
	case "progress":
		s.progress(strings.Fields(st.args), x)
	case "log":
		level, text, _ := strings.Cut(st.args, " ")
		s.notify("notifications/message", fmt.Sprintf(`"level":%q,"data":%q`, level, withGiven(text)))
	case "changed":
		for range min(max(number(st.args), 1), mostTimes) {
			s.notify("notifications/tools/list_changed", "")
		}
	default:
		return false
	}
	return true
}

// act takes the steps that are about the process, its pipes and its memory.
func (s *server) act(st step, x *exchange) {
	what, rest, _ := strings.Cut(st.args, " ")
	switch st.verb {
	case "raw":
		if text, err := strconv.Unquote(st.args); err == nil {
			s.write(os.Stdout, []byte(text))
		}
	case "noise":
		for i := range min(number(what), mostTimes) {
			s.write(os.Stdout, fmt.Appendf(nil, "noise %d: %s\n", i+1, rest))
		}
	case "flood":
		s.flood(what, min(number(rest), mostMiB))
	case "stderr":
		s.write(os.Stderr, []byte(withGiven(st.args)+"\n"))
	case "blab":
		out := os.Stdout
		if st.args == "stderr" {
			out = os.Stderr
		}
		s.blab(out)
	case "crash":
		os.Exit(number(st.args))
	case "deaf":
		s.mu.Lock()
		s.deaf = true
		s.mu.Unlock()
	case "ignore":
		s.mu.Lock()
		s.ignored[st.args] = true
		s.mu.Unlock()
	case "grandchild":
		if err := startGrandchild(s.script.name); err != nil {
			fail(err.Error())
		}
	case "tools":
		s.mu.Lock()
		s.visible = strings.Fields(st.args)
		s.mu.Unlock()
	case "forget":
		s.mu.Lock()
		clear(s.sessions)
		s.mu.Unlock()
	case "status":
		if x.http != nil {
			x.http.status(number(what), rest)
		}
	case "hangup":
		panic(errHangUp)
	}
}

// progress sends "N [TOTAL [MESSAGE…]]" of the exchange's own token.
func (s *server) progress(words []string, x *exchange) {
	if x.token == nil || len(words) == 0 {
		s.hub.Report("no progress token")
		return
	}
	members := fmt.Sprintf(`"progressToken":%s,"progress":%s`, x.token, words[0])
	if len(words) > 1 {
		members += `,"total":` + words[1]
	}
	if len(words) > 2 {
		members += fmt.Sprintf(`,"message":%q`, withGiven(strings.Join(words[2:], " ")))
	}
	x.send((&listener{}).message("notifications/progress", members))
}

// filled puts the exchange's own values into a message of the script.
func (x *exchange) filled(text string) string {
	return strings.NewReplacer(
		"$id", orNull(x.ID), "$token", orNull(x.token), "$arguments", orNull(x.arguments), "$given", givenAsJSON(),
	).Replace(text)
}

func orNull(value json.RawMessage) string {
	if value == nil {
		return "null"
	}
	return string(value)
}

// flood writes lines of rubbish, 64 KiB at a time.
func (s *server) flood(stream string, mib int) {
	out := os.Stdout
	if stream == "stderr" {
		out = os.Stderr
	}
	lines := bytes.Repeat([]byte("0123456789 flood flood flood flood flood flood flood flood flood\n"), 1024)
	for written := 0; written < mib<<20; written += len(lines) {
		s.write(out, lines)
	}
}

// number is 0 for what is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
