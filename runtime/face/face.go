// Package face is a session as an MCP server: the tools of all its servers, for
// a client that only speaks MCP.
//
//	MCP client ─▶ conn ─ SDK ─ middleware ─┬─ tools/list ◀── catalog ◀─ pushes ─┐
//	           ◀─      ◀─                 └─ tools/call ─▶ rpc.Client ────────┴─ session
//
// It is a host like any other, over an rpc.Client, and does not know whether the
// session is this program's own or one that it has joined. The SDK negotiates, in
// both eras, and serves what is not about tools. Tool definitions and results pass
// it by, byte for byte (parcel); but for the name of a tool, which is the face's own,
// and for what the newest era demands of a result (era.go).
//
// Absent on purpose: pages (the list is one), and everything of MCP but tools.
package face

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// Options of a face. Wake and Note may be left out.
type Options struct {
	Name, Version string
	// In and Out are the MCP client's: one message a line (MCP: basic/transports).
	In  io.Reader
	Out io.Writer
	// ClientReads reports whether the client still reads Out. It is asked at the end
	// of In, while there is something to be answered.
	ClientReads func() bool
	// Session is a connection to the session, Hello how it is opened.
	Session io.ReadWriteCloser
	Hello   *rpc.InitializeParams
	// Wake has the session connect its servers from the next discovery on. It is called
	// once, as soon as it is known that the client has come to stay: some begin by
	// starting a server only to see what it speaks. nil for a session that runs.
	Wake func()
	// Guest: the session is somebody else's, who is asked what there is to ask and
	// says where the project is.
	Guest bool
	// Only and Except are globs over the names of servers, by which the client has some
	// of them only: see offers. Their tools are the tools that there are.
	Only, Except []string
	// Wait is how long a list waits for servers of which nothing is remembered; nil for
	// the usual time. One that shows what comes later need not wait.
	Wait *time.Duration
	// Describe shows a person what a project's server is, and Remedy how they allow it
	// by themselves. Visible is a text in which nothing is hidden.
	Describe, Remedy func(rpc.ProjectServer) string
	Visible          func(string) string
	// Note is something that a model should be told of the session.
	Note string
	Log  *slog.Logger
}

// ErrSessionEnded is the end of a session before that of its client.
var ErrSessionEnded = errors.New("the session has ended")

// face is one client's view of a session. Its fields do not change after newFace,
// but for what they say themselves; what changes is behind the lock of a leaf: conn,
// gate, catalog, progress, listeners.
type face struct {
	opt    Options
	log    *slog.Logger
	conn   *conn
	server *mcp.Server
	client *rpc.Client

	opening *opening

	tools      *catalog
	gate       *gate
	announcing atomic.Bool // the client is about to be told that the tools have changed

	listeners *listeners

	// told are the diagnostics that the log has; of the goroutine of client that hears.
	told map[rpc.Diagnostic]bool

	progress *progress
	person   *person
	moved    chan struct{} // has a token when the client's roots may have changed
}

// Run serves the client until it ends, or until ctx does: then the error is nil. The
// session is closed when Run returns.
//
// What may outlive it is a goroutine that waits in In.Read, and those that wait for a
// client that does not read what is in Out.Write.
func Run(ctx context.Context, opt Options) error {
	f := newFace(opt)
	f.client = rpc.NewClient(opt.Session, rpc.Hearing{
		ToolsChanged: f.toolsChanged,
		Status:       f.serverChanged,
		Diagnostics:  func(p *rpc.DiagnosticsParams) { f.diagnosed(p.Errors) },
		Progress:     f.progress.heard,
		Approve:      f.person.approve,
		Input:        f.person.input,
	}, f.log)
	defer f.client.Close()
	f.server = f.newServer()
	session, err := f.server.Connect(context.WithoutCancel(ctx), f.conn, nil)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(ctx)
	defer end()
	go f.open(life)        // ends when the session is awake, or with life
	go f.followRoots(life) // ends with life
	ended := make(chan struct{})
	go func() { // ends with In, or when conn is told to finish
		defer close(ended)
		if err := session.Wait(); err != nil {
			f.log.Debug("the connection to the client ends", "err", err)
		}
	}()
	select {
	case <-ended:
		return nil
	case <-f.conn.over: // the SDK may go on waiting for a client that does not read
	case <-ctx.Done():
		f.conn.kill()
	case <-f.client.Ended():
		err = ErrSessionEnded
		f.conn.finish()
	case <-f.opening.failed:
		err = f.opening.err
		f.conn.finish()
	}
	select {
	case <-ended:
	case <-time.After(flushLimit):
	}
	return err
}

func newFace(opt Options) *face {
	wait := patience
	if opt.Wait != nil {
		wait = *opt.Wait
	}
	f := &face{
		opt: opt, log: opt.Log,
		conn:     newConn(opt.In, opt.Out, opt.ClientReads, opt.Log),
		opening:  newOpening(),
		tools:    newCatalog(),
		gate:     newGate(wait),
		progress: &progress{waiting: map[string]func(*rpc.ProgressValue){}},
		moved:    make(chan struct{}, 1),
		told:     map[rpc.Diagnostic]bool{},
	}
	f.person = newPerson(opt)
	f.listeners = newListeners(f.conn)
	return f
}

// toolsChanged is a push.
func (f *face) toolsChanged(p *rpc.ToolsChanged) {
	p.Added, p.Updated = f.offeredTools(p.Added), f.offeredTools(p.Updated)
	if f.tools.change(p) {
		f.announce()
	}
	f.gate.tried(p.Servers...)
}

// retool replaces the tools.
func (f *face) retool(tools []rpc.Tool) {
	if f.tools.replace(f.offeredTools(tools)) {
		f.announce()
	}
}

// diagnosed is what is wrong with the configuration, all of it. What is new is logged:
// a client has no other place for it. The owner of a session that was joined has, and
// what is wrong with a server is logged where its session is.
func (f *face) diagnosed(all []rpc.Diagnostic) {
	told := map[rpc.Diagnostic]bool{}
	for _, d := range all {
		if f.opt.Guest || strings.HasPrefix(d.Path, "mcp:") || d.Server != "" && !f.opt.offers(d.Server) {
			continue
		}
		if told[d] = true; f.told[d] {
			continue
		}
		where := d.Path
		if d.Line > 0 {
			where = fmt.Sprintf("%s:%d:%d", d.Path, d.Line, d.Column)
		}
		f.log.Warn(d.Error, "at", where, "severity", string(d.Severity))
	}
	f.told = told
}

// serverChanged is what a server has come to. If it has tools that the set does not
// have yet, a push is about to bring them.
func (f *face) serverChanged(s *rpc.Server) {
	if f.gate.awaits(s.Name) && !isUntried(*s) && (s.Tools.Count == 0 || f.tools.has(s.Name)) {
		f.gate.tried(s.Name)
	}
}
