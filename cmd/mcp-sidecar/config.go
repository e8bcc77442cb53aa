package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// configuration prints the entries that count. It starts nothing.
func configuration(ctx context.Context, f *flags, w *world, log *slog.Logger, _ []string) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	opt := surroundings(log)
	found, err := runtime.Configured(ctx, &opt, f.params(0))
	if err != nil {
		return failed(ctx, w, err)
	}
	return printed(ctx, w, errorCode(found.Errors), func(out io.Writer) {
		switch {
		case f.json:
			printConfigurationJSON(out, found)
		case len(found.Servers) == 0 && len(found.Errors) == 0:
			printAdvice(out, userFile())
		default:
			printConfiguration(out, found)
		}
	})
}

func printConfigurationJSON(out io.Writer, c *runtime.Configuration) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(c) // out is a buffer, and it is all texts and numbers
}

// printConfiguration prints each entry that counts, and what is wrong with the
// others.
func printConfiguration(out io.Writer, c *runtime.Configuration) {
	listed := map[string]bool{}
	for _, s := range c.Servers {
		listed[s.Name] = true
		printWrapped(out, "", fmt.Sprintf("%s  %s, %s", s.Name, s.Transport, s.State))
		line := func(format string, args ...any) { printWrapped(out, "    ", fmt.Sprintf(format, args...)) }
		printProvenance(out, "    ", s.Source, s.Shadows)
		if s.OffIn != "" {
			line("switched off in %s", s.OffIn)
		}
		line("%s", s.Written)
		for _, d := range c.Errors {
			if d.Server == s.Name {
				line("%s: %s: %s", d.Severity, place(d), d.Error)
			}
		}
		fmt.Fprintln(out)
	}
	for _, d := range c.Errors {
		if !listed[d.Server] {
			printWrapped(out, "", fmt.Sprintf("%s: %s: %s", d.Severity, place(d), d.Error))
		}
	}
}
