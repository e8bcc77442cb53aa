package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
)

// frame is any JSON-RPC 2.0 message: a request or notification has a method,
// an answer a result or an error.
type frame struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// params are those of a method. They write themselves: what a type of package
// rpc keeps beside its members is not for the wire.
type params interface{ AppendJSON(to []byte) []byte }

// received is a frame from the sidecar, its parts still JSON.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

// wireError is a JSON-RPC error.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *wireError) Error() string { return fmt.Sprintf("%s (error %d)", e.Message, e.Code) }

// wire is a running sidecar and the two pipes to it. One goroutine sends and
// receives from frames; another one reads the pipe.
type wire struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *bytes.Buffer // read it only after wait
	// frames has everything the sidecar says, in order. It is closed at the
	// end of its stdout.
	frames chan received
}

// start runs the sidecar. The end of ctx kills it; its guard then sees to the
// servers.
func start(ctx context.Context, binary, dir string, env []string, args ...string) (*wire, error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	w := &wire{cmd: cmd, stderr: &bytes.Buffer{}, frames: make(chan received)}
	cmd.Stderr = w.stderr
	var err error
	if w.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go w.read(stdout) // ends with stdout; wait drains frames until then
	return w, nil
}

// send writes one message: a header that counts the bytes, and the bytes.
func (w *wire) send(f frame) error {
	f.JSONRPC = "2.0"
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdin, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (w *wire) read(stdout io.Reader) {
	defer close(w.frames)
	reader := textproto.NewReader(bufio.NewReader(stdout))
	for {
		header, err := reader.ReadMIMEHeader()
		if err != nil {
			return
		}
		size, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(reader.R, body); err != nil {
			return
		}
		var f received
		if err := json.Unmarshal(body, &f); err != nil {
			return
		}
		w.frames <- f
	}
}

// wait waits for the end of the process and says what it complained about.
func (w *wire) wait() error {
	_ = w.stdin.Close() // closed already when the sidecar has ended
	for range w.frames {
	}
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("the sidecar ended: %w\n%s", err, w.stderr)
	}
	return nil
}
