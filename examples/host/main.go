// Command host is the smallest host that does everything a host does: it
// starts a sidecar, keeps the set of tools true, calls tools, and tells what it
// sees and when. `make run` runs it.
//
//	wire.go    Content-Length framing, and the process behind it
//	host.go    the session: asking, listening, the tool set
//	story.go   what is done with it here
//	print.go   how it is told
//	remote.go  the HTTP server that the example project names
//
// A host in another language needs the first two files only; rpc/PROTOCOL.md
// describes what they speak.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	sidecar := flag.String("sidecar", "bin/mcp-sidecar", "the sidecar's `binary`")
	project := flag.String("project", "examples/project", "the `directory` whose servers are used")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *sidecar, *project); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, sidecar, project string) error {
	var err error
	if sidecar, err = filepath.Abs(sidecar); err != nil {
		return err
	}
	if project, err = filepath.Abs(project); err != nil {
		return err
	}
	// A cache of its own makes the first start a cold one every time.
	cache, err := os.MkdirTemp("", "mcp-sidecar-example")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }()
	remote, err := startRemote(ctx, project)
	if err != nil {
		return err
	}
	defer remote.stop()
	story := story{
		sidecar: sidecar, project: project, cache: cache,
		env: []string{"EXAMPLE_REMOTE_URL=" + remote.url},
		out: newPrinter(os.Stdout),
	}
	if err := story.cold(ctx); err != nil {
		return fmt.Errorf("cold start: %w", err)
	}
	if err := story.warm(ctx); err != nil {
		return fmt.Errorf("warm start: %w", err)
	}
	return nil
}
