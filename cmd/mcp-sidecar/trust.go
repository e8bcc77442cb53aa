package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// The words after trust.
const (
	trustList   = "list"
	trustAllow  = "allow"
	trustDeny   = "deny"
	trustRevoke = "revoke"
)

// trustUsage says what is wrong with the words after trust; "" if nothing is.
func trustUsage(words []string) string {
	switch {
	case len(words) == 0:
		return "trust takes list, or allow, deny or revoke with the names of servers"
	case words[0] == trustList && len(words) == 1:
		return ""
	case words[0] == trustList:
		return "trust list takes no names"
	case words[0] != trustAllow && words[0] != trustDeny && words[0] != trustRevoke:
		return fmt.Sprintf("trust has no %q; there are list, allow, deny and revoke", words[0])
	case len(words) == 1:
		return fmt.Sprintf("trust %s takes the names of servers, as trust list has them", words[0])
	}
	return ""
}

// trustCommand shows what is decided about the project's servers, or decides.
// It starts none of them.
func trustCommand(ctx context.Context, f *flags, w *world, log *slog.Logger, words []string) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	f.trust = string(rpc.TrustAsk)
	m, closeAll := f.open(log, runtime.Options{Idle: func() bool { return true }})
	defer closeAll(0)
	host := &screenHost{out: w.err}
	client, _, err := f.start(ctx, m, host, 0)
	if err != nil {
		return failed(ctx, w, err)
	}
	list, err := client.TrustList(ctx, &rpc.TrustListParams{})
	for _, name := range words[1:] {
		if err == nil {
			list, err = decide(ctx, client, list, words[0], name)
		}
	}
	for _, d := range m.Snapshot().Errors {
		if d.Server == "" { // whoever misses a server looks for it in vain
			printLine(w.err, "%s: %s: %s", d.Severity, place(d), d.Error)
		}
	}
	if err != nil {
		return failed(ctx, w, err)
	}
	return printed(ctx, w, exitOK, func(out io.Writer) {
		if f.json {
			printJSON(out, list)
		} else {
			printTrust(out, list, f.cwd)
		}
	})
}

// decide decides about every server of a name: several files may have it. To
// allow one is about what was not refused, if there is such a one: the refused
// one would come back in its place.
func decide(ctx context.Context, client *runtime.Client, list *rpc.TrustListResult, what, name string) (*rpc.TrustListResult, error) {
	do := client.TrustAllow
	switch what {
	case trustDeny:
		do = client.TrustDeny
	case trustRevoke:
		do = client.TrustRevoke
	}
	var about, refused []rpc.ProjectServer
	for _, s := range list.Servers {
		switch {
		case s.Name != name:
		case s.Decision == rpc.DecideDeny:
			refused = append(refused, s)
		default:
			about = append(about, s)
		}
	}
	if what != trustAllow || len(about) == 0 {
		about = append(about, refused...)
	}
	if len(about) == 0 {
		return nil, fmt.Errorf("no file of the project has a server %q; see: mcp-sidecar trust list", name)
	}
	for _, s := range about {
		// One that was refused takes the name from those behind it when it is not.
		if !slices.ContainsFunc(list.Servers, func(x rpc.ProjectServer) bool { return x.Name == name && x.Hash == s.Hash }) {
			continue
		}
		var err error
		if list, err = do(ctx, &rpc.TrustDecisionParams{Server: name, Hash: s.Hash}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// printTrust prints the project's servers and what is decided about them.
func printTrust(out io.Writer, list *rpc.TrustListResult, cwd string) {
	if len(list.Servers) == 0 {
		printLine(out, "No file of the project %s has servers.", cwd)
		return
	}
	for i, s := range list.Servers {
		if i > 0 {
			fmt.Fprintln(out)
		}
		printProjectServer(out, s)
		switch s.Decision {
		case rpc.DecideAllow:
			fmt.Fprintln(out, "    allowed")
		case rpc.DecideDeny:
			fmt.Fprintln(out, "    denied: left out, as if the file did not have it")
		default:
			fmt.Fprintln(out, "    not decided: it is not started")
		}
	}
}
