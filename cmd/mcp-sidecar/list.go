package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

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

// printTable prints servers, their tools, and what is wrong.
func printTable(out io.Writer, snap *rpc.Snapshot) {
	tools := map[string][]rpc.Tool{}
	for _, t := range snap.Tools {
		tools[t.Server] = append(tools[t.Server], t)
	}
	listed := map[string]bool{}
	for _, s := range snap.Servers {
		listed[s.Name] = true
		printLine(out, "%s  %s", s.Name, headline(s))
		printProvenance(out, "    ", s.Source, nil)
		printError(out, s)
		printDiagnostics(out, s, snap.Errors)
		tab := tabwriter.NewWriter(out, 4, 4, 2, ' ', 0)
		for _, t := range tools[s.Name] {
			fmt.Fprintf(tab, "    %s\t%s\n", plain(t.OwnName()), summary(t.Definition))
		}
		_ = tab.Flush()
		fmt.Fprintln(out)
	}
	for _, d := range snap.Errors {
		if listed[d.Server] {
			continue // shown with its server
		}
		printLine(out, "%s: %s: %s", d.Severity, place(d), d.Error)
	}
}

// printDiagnostics prints what is wrong with one server beside its error.
func printDiagnostics(out io.Writer, s rpc.Server, all []rpc.Diagnostic) {
	for _, d := range all {
		if d.Server != s.Name {
			continue
		}
		at := ""
		if !strings.HasPrefix(d.Path, "mcp:") {
			at = place(d) + ": "
		}
		switch {
		case s.Error != nil && strings.Contains(s.Error.Message, d.Error):
			if at != "" { // the error is printed, but not where it is
				printLine(out, "    at %s", place(d))
			}
		default:
			printLine(out, "    %s: %s%s", d.Severity, at, d.Error)
		}
	}
}

func printError(out io.Writer, s rpc.Server) {
	if s.Error == nil {
		return
	}
	printLine(out, "    %s", s.Error.Message)
	printHelpful(out, s.Error)
}

// printDenied prints the project's servers that the user has denied.
func printDenied(out io.Writer, denied []rpc.ProjectServer) {
	for _, s := range denied {
		printLine(out, "%s  denied: it is left out (mcp-sidecar trust revoke %s)", s.Name, runtime.ShellArgument(s.Name))
		printLine(out, "    from %s (%s, project)", s.Path, s.ProviderName)
		fmt.Fprintln(out)
	}
}

// summary is the first line of a tool's description, shortened.
func summary(definition json.RawMessage) string {
	var d struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(definition, &d) // a definition of another shape has none
	line, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
	return shortened(line, 60)
}
