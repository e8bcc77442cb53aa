package runtime

import (
	"encoding/json"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// serverEvent is everything the Manager knows of a server, whole: a later one
// replaces an earlier one. It is the one way news goes up.
type serverEvent struct {
	srv *server
	// rec is the record as hosts see it, but for Source and Tools.Count, which
	// the Manager owns.
	rec rpc.Server
	// tools is the list the server contributes now; nil for none.
	tools *toolList
	// warnings name what of the entry could not be expanded.
	warnings []string
	// settled: see state.
	settled bool
	// reason is why tools changed, if they did.
	reason rpc.ChangeReason
	// acks are closed when the Manager has published this event.
	acks []chan<- struct{}
	// inherited are those of connects that a server which ends leaves to the one
	// that follows it.
	inherited []chan<- struct{}
}

// toolList is one server's tools as it listed them. It is never changed.
type toolList struct {
	defs []toolDef
	time time.Time // when the server listed them
	// issues are what is odd about the list, for people. A cached list has none.
	issues []string
}

func (l *toolList) find(tool string) (toolDef, bool) {
	if l != nil {
		for _, d := range l.defs {
			if d.name == tool {
				return d, true
			}
		}
	}
	return toolDef{}, false
}

func (l *toolList) names() []string {
	if l == nil {
		return nil
	}
	names := make([]string, len(l.defs))
	for i, d := range l.defs {
		names[i] = d.name
	}
	return names
}

// connection is a session with what was learnt while it was made. It is never
// changed.
type connection struct {
	sess    transport.Session
	tools   *toolList
	timings rpc.Timings
	// remember writes a list to the cache, if there is one.
	remember func(*toolList)
}

// introduction is what a server said of itself, now or when it was cached.
type introduction struct {
	protocolVersion string
	serverInfo      json.RawMessage
	instructions    string
	pid             int
	kind            rpc.TransportKind
}

// Messages to a server's loop.
type (
	// msgConnect wants the server connected. ack is closed once the attempt has
	// ended and the outcome is published.
	msgConnect struct {
		restart bool
		ack     chan<- struct{}
	}
	// msgStop is mcp/disconnect: ack is closed once the process is gone and the
	// outcome is published.
	msgStop struct{ ack chan<- struct{} }
	// msgRetire is msgEnd, once the calls that run have ended, or after drainTime.
	msgRetire struct{}
	// msgEnd is the last message: stop, and end the loop.
	msgEnd struct{}
	// msgNeed asks for a session, but not for the lost one; the answer is one
	// value.
	msgNeed struct {
		reply chan<- lent
		lost  transport.Session // or nil
	}
	// msgDenied says that a call in a session was answered by a demand to sign in.
	msgDenied struct {
		sess transport.Session
		err  error
	}
	// msgPolicy is settings.reconnect.
	msgPolicy struct{ auto bool }
	// msgRests replaces why the server rests, if it does.
	msgRests struct{ err *rpc.ServerError }
	// msgTune replaces how later attempts are made.
	msgTune struct{ connect connectFunc }

	// msgStage, msgAttempt, msgStderr, msgWarned, msgLost, msgListChanged and
	// msgRelisted come from the attempt numbered n; they mean nothing when another
	// one has begun.
	msgStage struct {
		n     int
		phase rpc.Phase
	}
	msgAttempt struct {
		n   int
		err error // nil: attempt.conn is set
	}
	msgStderr struct{ n int }
	msgWarned struct {
		n        int
		warnings []string
	}
	msgLost struct {
		n   int
		err error
	}
	msgListChanged struct{ n int }
	msgRelisted    struct {
		n     int
		tools *toolList // nil if err is set
		err   error
	}
	// msgGone says that what msgStop stopped is gone.
	msgGone struct{ ack chan<- struct{} }
)

// lent is the answer to msgNeed: a connection, or why there is none.
type lent struct {
	conn  *connection
	phase rpc.Phase // when conn is nil
	err   *rpc.ServerError
}
