package main

import (
	"fmt"
	"io"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// printProvenance prints where an entry stands, which entries start the same,
// and which of its name do not count, a line each.
func printProvenance(out io.Writer, indent string, s rpc.Source, shadows []rpc.Shadow) {
	line := func(format string, args ...any) { printWrapped(out, indent, fmt.Sprintf(format, args...)) }
	line("from %s", origin(s))
	for _, a := range s.Aliases {
		line("also %s in %s", a.Name, placed(a.Path, a.Line, a.Column))
	}
	for _, x := range shadows {
		same := ""
		if x.Same {
			same = ", which is the same"
		}
		line("instead of the one in %s (%s, %s)%s", placed(x.Path, x.Line, x.Column), x.ProviderName, x.Level, same)
	}
}

// origin is where an entry stands.
func origin(s rpc.Source) string {
	if s.Path == "" {
		return s.ProviderName
	}
	return fmt.Sprintf("%s (%s, %s)", placed(s.Path, s.Line, s.Column), s.ProviderName, s.Level)
}

// placed is a file and the place in it; "" for no file.
func placed(path string, line, column int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}
