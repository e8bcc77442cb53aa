package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"syscall"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// start opens a session of our own for a command. gate is how long servers are
// waited for, in milliseconds.
func (f *flags) start(ctx context.Context, m *runtime.Manager, h *screenHost, gate int, uncached rpc.Uncached) (*runtime.Client, *rpc.Snapshot, error) {
	client := m.Join(h)
	p := f.params(gate, uncached)
	p.Capabilities = h.capabilities()
	watch := h.person != nil // a question may be settled elsewhere
	p.Settings.Discovery.Watch = &watch
	wait, err := client.Initialize(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if _, err := wait(ctx); err != nil {
		return nil, nil, err
	}
	if err := m.Answered(ctx); err != nil {
		return nil, nil, err
	}
	if uncached == rpc.UncachedWait { // also for what has only just been allowed
		if _, err := client.Wait(ctx, &rpc.WaitParams{TimeoutMs: &gate}); err != nil {
			return nil, nil, err
		}
	}
	return client, m.Snapshot(), nil
}

// params are those of the session of every command.
func (f *flags) params(gate int, uncached rpc.Uncached) *rpc.InitializeParams {
	watch := false
	settings := &rpc.Settings{
		Startup:   &rpc.StartupSettings{GateMs: &gate, Uncached: uncached},
		Trust:     &rpc.TrustSettings{Project: rpc.ProjectTrust(f.trust)},
		Discovery: &rpc.DiscoverySettings{Watch: &watch},
		Reconnect: rpc.ReconnectManual,
	}
	if f.timeout > 0 {
		ms := f.timeout * 1000
		settings.Timeouts = &rpc.TimeoutSettings{ConnectMs: ms, CallMs: ms}
	}
	return &rpc.InitializeParams{
		ProtocolVersion: rpc.ProtocolVersion,
		Client:          rpc.ClientInfo{Name: "mcp-sidecar", Version: version},
		Cwd:             f.cwd,
		Settings:        settings,
	}
}

// list prints every server and its tools.
func list(ctx context.Context, f *flags, w *world, log *slog.Logger, _ []string) int {
	return f.withServers(ctx, w, log, "", func(ctx context.Context, client *runtime.Client, snap *rpc.Snapshot) int {
		denied := deniedBy(ctx, client)
		return printed(ctx, w, listCode(snap), func(out io.Writer) {
			switch {
			case f.json:
				printJSON(out, snap)
			case len(snap.Servers)+len(snap.Errors)+len(denied) == 0:
				printAdvice(out, userFile())
			default:
				printTable(out, snap)
				printDenied(out, denied)
			}
		})
	})
}

// deniedBy are the project's servers that the user has denied, as a client is
// told.
func deniedBy(ctx context.Context, client *runtime.Client) []rpc.ProjectServer {
	list, err := client.TrustList(ctx, &rpc.TrustListParams{})
	if err != nil {
		return nil // the session ends, and says why
	}
	return slices.DeleteFunc(list.Servers, func(s rpc.ProjectServer) bool { return s.Decision != rpc.DecideDeny })
}

// withServers gives use a session of its own, when every server is connected or
// has failed: the only one that is named, or all if only is "".
func (f *flags) withServers(ctx context.Context, w *world, log *slog.Logger, only string, use func(context.Context, *runtime.Client, *rpc.Snapshot) int) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	m, closeAll := f.open(log, runtime.Options{Only: only})
	defer closeAll(0)
	host := newScreenHost(f, w, only)
	client, snap, err := f.start(ctx, m, host, waitForAll, rpc.UncachedWait)
	host.clear()
	if err != nil {
		return failed(ctx, w, err)
	}
	return use(ctx, client, snap)
}

// listCode is the exit code of list: whether everything is as it should be. What
// somebody has switched off or not approved yet is.
func listCode(snap *rpc.Snapshot) int {
	for _, s := range snap.Servers {
		switch s.Phase {
		case rpc.PhaseFailed, rpc.PhaseInvalid, rpc.PhaseNeedsAuth, rpc.PhaseNeedsInput, rpc.PhaseSuspended:
			return exitFailed
		default:
		}
	}
	return errorCode(snap.Errors)
}

// errorCode is the exit code that diagnostics call for.
func errorCode(all []rpc.Diagnostic) int {
	if slices.ContainsFunc(all, func(d rpc.Diagnostic) bool { return d.Severity == rpc.SeverityError }) {
		return exitFailed
	}
	return exitOK
}

// waitForAll is a gate that no connect timeout outlasts, in milliseconds.
const waitForAll = 24 * 60 * 60 * 1000

// callUsage says what is wrong with the words after call; "" if nothing is.
func callUsage(words []string) string {
	if len(words) < 2 || len(words) > 3 {
		return "call takes SERVER TOOL and optionally the arguments as a JSON object"
	}
	return ""
}

// call runs one tool.
func call(ctx context.Context, f *flags, w *world, log *slog.Logger, args []string) int {
	arguments, err := argumentsOf(args, w.in)
	if err != nil {
		return usage(w, cmdCall, err.Error())
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	m, closeAll := f.open(log, runtime.Options{Only: args[0]})
	defer closeAll(0)
	host := newScreenHost(f, w, args[0])
	client, snap, err := f.start(ctx, m, host, 0, rpc.UncachedBackground)
	if err != nil {
		host.clear()
		return failed(ctx, w, err)
	}
	result, err := client.Call(ctx, &rpc.CallParams{
		Server: args[0], Tool: args[1], Arguments: arguments, ProgressToken: json.RawMessage(`"call"`),
	})
	host.clear()
	if err != nil {
		code := failed(ctx, w, inWords(err, m.Snapshot().Tools))
		if hint := hintOn(args[0], snap, deniedBy(ctx, client)); hint != "" && ctx.Err() == nil {
			printLine(w.err, "%s", hint)
		}
		return code
	}
	var content toolContent
	if err := json.Unmarshal(result.Result, &content); err != nil {
		log.Debug("the result has an unusual shape", "err", err)
	}
	code := exitOK
	if content.IsError {
		code = exitFailed
	}
	code = printed(ctx, w, code, func(out io.Writer) {
		if f.json {
			printJSON(out, result)
		} else {
			content.print(out, result.Result)
		}
	})
	if !f.json {
		printHelpful(w.err, result.Details.Error)
	}
	return code
}

// argumentsOf gives the JSON object of a call.
func argumentsOf(args []string, in io.Reader) (json.RawMessage, error) {
	if len(args) < 3 {
		return nil, nil
	}
	text := []byte(args[2])
	if args[2] == "-" {
		var err error
		if text, err = io.ReadAll(in); err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %s", strings.TrimSpace(string(text)))
	}
	return json.RawMessage(strings.TrimSpace(string(text))), nil
}

func failed(ctx context.Context, w *world, err error) int {
	var by *interruption
	if errors.As(context.Cause(ctx), &by) {
		fmt.Fprintln(w.err, "mcp-sidecar: interrupted")
		return by.code()
	}
	printLine(w.err, "mcp-sidecar: %v", err)
	return exitFailed
}

// inWords names the tools that an error suggests as call takes them.
func inWords(err error, tools []rpc.Tool) error {
	if !errors.Is(err, &rpc.Error{Code: rpc.CodeUnknownTool}) {
		return err
	}
	text := err.Error()
	longestFirst := slices.SortedFunc(slices.Values(tools), func(a, b rpc.Tool) int { return len(b.Name) - len(a.Name) })
	for _, t := range longestFirst {
		text = strings.ReplaceAll(text, t.Name, fmt.Sprintf("%q", t.Server+" "+strings.TrimPrefix(t.Label, t.Server+"/")))
	}
	return errors.New(text)
}

// hintOn says what a refused call of a server's tool has to do with the server;
// "" for nothing.
func hintOn(name string, snap *rpc.Snapshot, denied []rpc.ProjectServer) string {
	if slices.ContainsFunc(denied, func(s rpc.ProjectServer) bool { return s.Name == name }) {
		return "A file of the project has it, and you have denied it; mcp-sidecar trust revoke " + runtime.ShellArgument(name) + " takes that back."
	}
	for _, s := range snap.Servers {
		for _, a := range s.Source.Aliases {
			if a.Name == name {
				return fmt.Sprintf("%q starts the same server as %q: call it by that name.", name, s.Name)
			}
		}
		if s.Name != name {
			continue
		}
		switch s.Phase {
		case rpc.PhaseUntrusted:
			return "Somebody else may have written the files of a project: mcp-sidecar trust allow " + runtime.ShellArgument(name) + " lets it run."
		case rpc.PhaseDisabled:
			return "The server is disabled, in " + origin(s.Source) + " or by a list of servers that are off."
		case rpc.PhaseInvalid, rpc.PhaseNeedsInput:
			if s.Error != nil {
				return s.Error.Message
			}
		default:
		}
	}
	return ""
}

// printed writes to standard output and gives the exit code: code, unless not
// all could be written or ctx ended before somebody had read it. A reader that
// is gone, such as head, has what it wanted.
func printed(ctx context.Context, w *world, code int, print func(io.Writer)) int {
	var text bytes.Buffer
	print(&text)
	w.err.flush(flushLimit) // both may be the same screen
	written := make(chan error, 1)
	go func() { // ends with the write, or with the process
		_, err := w.out.Write(text.Bytes())
		written <- err
	}()
	select {
	case <-ctx.Done():
		return failed(ctx, w, context.Cause(ctx))
	case err := <-written:
		switch {
		case err == nil:
			return code
		case !errors.Is(err, syscall.EPIPE):
			fmt.Fprintln(w.err, "mcp-sidecar: standard output:", err)
		}
		return exitFailed
	}
}
