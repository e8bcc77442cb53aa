package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

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
	m, closeAll := f.open(log, runtime.Options{Chosen: named(args[0])})
	defer closeAll(0)
	host := newScreenHost(f, w, args[0])
	client, snap, err := f.start(ctx, m, host, 0)
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

// inWords names the tools that an error suggests as call takes them.
func inWords(err error, tools []rpc.Tool) error {
	if !errors.Is(err, &rpc.Error{Code: rpc.CodeUnknownTool}) {
		return err
	}
	text := err.Error()
	longestFirst := slices.SortedFunc(slices.Values(tools), func(a, b rpc.Tool) int { return len(b.Name) - len(a.Name) })
	for _, t := range longestFirst {
		text = strings.ReplaceAll(text, t.Name, fmt.Sprintf("%q", t.Server+" "+t.OwnName()))
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

// toolContent is what of a result people read (MCP: CallToolResult).
type toolContent struct {
	IsError bool `json:"isError"`
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		MIMEType string `json:"mimeType"`
		Data     string `json:"data"`
		URI      string `json:"uri"`
		Resource struct {
			URI      string `json:"uri"`
			Text     string `json:"text"`
			MIMEType string `json:"mimeType"`
		} `json:"resource"`
	} `json:"content"`
}

// print writes the content as text, or the whole result where it has none.
func (c *toolContent) print(out io.Writer, whole json.RawMessage) {
	if len(c.Content) == 0 {
		fmt.Fprintln(out, string(whole))
		return
	}
	for _, b := range c.Content {
		switch {
		case b.Type == "text":
			fmt.Fprintln(out, b.Text)
		case b.Type == "resource" && b.Resource.Text != "":
			fmt.Fprintln(out, b.Resource.Text)
		case b.Type == "resource":
			fmt.Fprintf(out, "[resource %s %s]\n", b.Resource.URI, b.Resource.MIMEType)
		case b.Type == "resource_link":
			fmt.Fprintf(out, "[%s]\n", b.URI)
		default:
			fmt.Fprintf(out, "[%s %s, %d bytes of base64; --json has it]\n", b.Type, b.MIMEType, len(b.Data))
		}
	}
}
