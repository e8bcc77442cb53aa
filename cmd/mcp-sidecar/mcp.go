package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/face"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/glob"
)

// faceName is what a face calls itself to its session.
const faceName = "mcp-sidecar mcp"

// nestedNote is what a sidecar says that finds no servers because another one does.
const nestedNote = "This mcp-sidecar was started by another one, which offers the user's servers itself: it has none, so that none is started twice."

// mcpServer is an MCP server, for a client that speaks nothing else: of the session
// that the environment names, or else of one of its own.
func mcpServer(ctx context.Context, f *flags, w *world, log *slog.Logger, _ []string) int {
	if w.terminal {
		_, _ = io.WriteString(w.err, mcpExplanation)
		return exitUsage
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	wait := time.Duration(f.wait) * time.Second
	opt := face.Options{
		Name: "mcp-sidecar", Version: version, Log: log,
		In: w.in, Out: w.out, ClientReads: func() bool { return hasReader(w.out) },
		Describe: described, Only: f.only, Except: f.except, Wait: &wait,
		Visible: runtime.Visible,
		Remedy: func(s rpc.ProjectServer) string {
			return "in " + s.Project + ": mcp-sidecar trust allow " + runtime.ShellArgument(s.Name)
		},
	}
	if w.endpoint != "" {
		conn, err := w.join(ctx)
		if err != nil {
			return failed(ctx, w, err)
		}
		for _, name := range f.ofSession() {
			log.Warn("the session that is joined is its owner's: a flag has no effect", "flag", "--"+name)
		}
		opt.Session, opt.Guest = conn, true
		opt.Hello = f.helloOfGuest(faceName)
		return w.faceEnded(ctx, face.Run(ctx, opt))
	}
	if isNested() {
		opt.Note = nestedNote // in the log it is as a diagnostic
	}
	var awake atomic.Bool
	session, end := f.ownWire(log, runtime.Options{
		Idle:   func() bool { return !awake.Load() },
		Chosen: func(server string) bool { return glob.Choose(f.only, f.except, server) },
	})
	opt.Session, opt.Hello, opt.Wake = session, f.helloOfFace(), func() { awake.Store(true) }
	err := face.Run(ctx, opt)
	end()
	return w.faceEnded(ctx, err)
}

// ownWire is a session of our own, special as open has it, and a connection to it. The
// function ends both: a client waits no longer than seconds for the end of what it has
// started.
func (f *flags) ownWire(log *slog.Logger, special runtime.Options) (session net.Conn, end func()) {
	ours, theirs := net.Pipe()
	m, closeAll := f.open(log, special)
	s := rpc.NewSession(theirs, theirs, rpc.Options{Log: log, HostReads: func() bool { return false }})
	owner := m.Join(s)
	ended := make(chan struct{})
	go func() { // ends with ours
		defer close(ended)
		s.Run(context.Background(), owner)
	}()
	return ours, func() {
		ours.Close()
		closeAll(stopLimit)
		<-ended
	}
}

// helloOfFace opens the session of a face: nobody waits for a slow server, since the
// client is told when its tools are there.
func (f *flags) helloOfFace() *rpc.InitializeParams {
	p := f.params(0)
	p.Client.Name = faceName
	p.Capabilities = &rpc.Capabilities{Approve: true, Input: true}
	all := false // a client that can use an Exa server finds it like any other
	p.Settings.Discovery.FilterExa = &all
	p.Settings.Discovery.Watch = nil // this one lasts
	p.Settings.Reconnect = rpc.ReconnectAuto
	return p
}

// described is a project's server, for somebody who is to decide about it.
func described(s rpc.ProjectServer) string {
	var text bytes.Buffer
	printProjectServer(&text, s)
	return text.String()
}

// faceEnded is the exit code.
func (w *world) faceEnded(ctx context.Context, err error) int {
	if err == nil || ctx.Err() != nil {
		return exitOK
	}
	code := failed(ctx, w, err)
	if errors.Is(err, face.ErrSessionEnded) {
		return exitOK // its owner has ended it
	}
	return code
}
