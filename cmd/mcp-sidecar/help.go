package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

const explanation = `mcp-sidecar runs the MCP servers you have configured, for a program.

A program (an editor, an agent) starts it and speaks JSON-RPC to it over
standard input and output; this is a terminal, so there is nothing to say here.
You may want:

  mcp-sidecar list                     the servers it finds, and their tools
  mcp-sidecar call SERVER TOOL [JSON]  run one tool
  mcp-sidecar help [COMMAND]           options

rpc/PROTOCOL.md describes what the program says.
`

func synopsis(name string) string {
	switch name {
	case cmdList:
		return `mcp-sidecar list [options]

Connects to every configured server and prints the servers and their tools.
Exit code 1 if any server is failed, invalid, needs-auth, needs-input or
suspended, or if any diagnostic is an error; untrusted and disabled are no
failures.`
	case cmdCall:
		return `mcp-sidecar call SERVER TOOL [JSON] [options]

Runs one tool. JSON is an object, or - to read it from standard input. Prints
the text of the result, or with --json the whole answer. Exit code 1 if the
result is an error.`
	}
	return `mcp-sidecar [options]                serve a host over standard input and output
mcp-sidecar list [options]           the servers, and their tools
mcp-sidecar call SERVER TOOL [JSON]  run one tool

Without a command it speaks JSON-RPC to the program that started it: PROTOCOL.md
describes the wire. Nothing but that is written to standard output.`
}

func printHelp(w io.Writer, name string, set *pflag.FlagSet) {
	fmt.Fprintf(w, "%s\n\nOptions:\n%s", synopsis(name), set.FlagUsages())
}

func usage(w *world, name, wrong string) int {
	hint := "mcp-sidecar help"
	if name != cmdServe {
		hint += " " + name
	}
	fmt.Fprintf(w.err, "mcp-sidecar: %s\nSee: %s\n", wrong, hint)
	return exitUsage
}
