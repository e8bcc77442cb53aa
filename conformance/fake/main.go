// Command fake is an MCP server that does what a script says, on stdio or
// HTTP, in either era, well or badly. README.md in the directory above
// describes the scripts. Its JSON-RPC is written by hand, because a library
// would not let it misbehave.
//
// With a control socket in the environment (package control) it reports what
// happens to it and waits where the script says "hold"; without one, holds are
// for ever. It ends when the socket does, and after two minutes in any case.
//
//	fake SCRIPT [ADDRESS]
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

// lifetime bounds every fake, so that no mistake in a script leaves one behind.
const lifetime = 2 * time.Minute

// grandchildFlag makes this program the process that a server leaves behind.
const grandchildFlag = "--grandchild"

func main() {
	time.AfterFunc(lifetime, func() { os.Exit(99) })
	if len(os.Args) < 2 {
		fail("usage: fake SCRIPT [ADDRESS]")
	}
	if os.Args[1] == grandchildFlag {
		grandchild(os.Args[2])
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err.Error())
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[1]), filepath.Ext(os.Args[1]))
	script, err := parseScript(name, string(text))
	if err != nil {
		fail(err.Error())
	}
	s := newServer(script, dial(name))
	go s.watchSignals() // ends with the process
	switch script.transport {
	case "stdio":
		serveStdio(s)
	default:
		address := "127.0.0.1:0"
		if len(os.Args) > 2 {
			address = os.Args[2]
		}
		if err := serveHTTP(s, address); err != nil {
			fail(err.Error())
		}
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "fake:", text)
	os.Exit(64)
}

// dial is nil without a control socket.
func dial(name string) *control.Client {
	path := os.Getenv(control.Env)
	if path == "" {
		return nil
	}
	hub, err := control.Dial(path, name)
	if err != nil {
		fail("control socket: " + err.Error())
	}
	go func() { // ends with the process
		<-hub.Closed()
		os.Exit(98)
	}()
	return hub
}

// grandchild is what a wrapper such as npx leaves behind: a process in its
// parent's group that has the pipes open and takes no hint to go.
func grandchild(name string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	dial(name + ".child")
	fmt.Fprintln(os.Stderr, "grandchild of", name)
	started := os.NewFile(3, "started")
	started.Close()
	select {} // the lifetime ends it
}

// startGrandchild returns when the grandchild has reported itself.
func startGrandchild(name string) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, grandchildFlag, name) //nolint:noctx // it is to outlive everything
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{write}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return err
	}
	_, _ = read.Read(make([]byte, 1)) // EOF is the report
	return nil
}

// watchSignals reports SIGTERM and dies of it, unless the script says not to.
func (s *server) watchSignals() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM)
	for range signals {
		s.hub.Report("term")
		if !s.ignores("term") {
			os.Exit(128 + int(syscall.SIGTERM))
		}
	}
}
