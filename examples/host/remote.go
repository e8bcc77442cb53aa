package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// remote is an MCP server on this machine that the sidecar reaches by URL, as
// if it ran elsewhere. It is no child of the sidecar.
type remote struct {
	url string
	cmd *exec.Cmd
	// quiet is closed when its output has ended and nobody reads it any more.
	quiet chan struct{}
}

// startRemote runs the project's server-everything on a free port and waits
// until it listens.
func startRemote(ctx context.Context, project string) (*remote, error) {
	// The port is free between this line and the server's start, unless
	// another program takes it meanwhile.
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}

	script := filepath.Join(project, "node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	cmd := exec.CommandContext(ctx, "node", script, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &remote{url: "http://" + address + "/mcp", cmd: cmd, quiet: make(chan struct{})}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "listening on port") {
			go func() { // ends with the server; stop waits for it
				defer close(r.quiet)
				_, _ = io.Copy(io.Discard, stderr)
			}()
			return r, nil
		}
	}
	return nil, errors.Join(errors.New("the example's HTTP server did not start"), cmd.Wait())
}

func (r *remote) stop() {
	_ = r.cmd.Process.Kill()
	<-r.quiet
	_ = r.cmd.Wait()
}
