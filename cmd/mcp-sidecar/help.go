package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/share"
)

// overview has a line for each command.
const overview = `  mcp-sidecar list                     the servers it finds, and their tools
  mcp-sidecar call SERVER TOOL [JSON]  run one tool
  mcp-sidecar trust list               the project's servers, and whether they may run
  mcp-sidecar doctor                   what is wrong, and what to do about it
  mcp-sidecar config                   the entries that count, and where they are
  mcp-sidecar attach                   joins a running session, for a program
  mcp-sidecar mcp                      all your servers as one MCP server, for a client
  mcp-sidecar help [COMMAND]           options
`

const explanation = `mcp-sidecar runs the MCP servers you have configured, for a program.

A program (an editor, an agent) starts it and speaks JSON-RPC to it over
standard input and output; this is a terminal, so there is nothing to say here.
You may want:

` + overview + `
rpc/PROTOCOL.md describes what the program says.
`

// entryOfMCP is what stands in the configuration of an MCP client, here Claude Code's.
const entryOfMCP = `  {"command": "mcp-sidecar", "args": ["mcp", "--client", "claude"]}
`

const mcpExplanation = `mcp-sidecar mcp is an MCP server: an MCP client starts it and speaks to it over
standard input and output; this is a terminal, so there is nothing to say here.
In the configuration of a client (here Claude Code) its entry is

` + entryOfMCP + `
See: mcp-sidecar help mcp
`

// What "help COMMAND" says, before the options.
const (
	listHelp = `mcp-sidecar list [options]

Connects to every configured server and prints the servers and their tools.
Exit code 1 if any server is failed, invalid, needs-auth, needs-input or
suspended, or if any diagnostic is an error; untrusted and disabled are no
failures.`

	callHelp = `mcp-sidecar call SERVER TOOL [JSON] [options]

Runs one tool. JSON is an object, or - to read it from standard input. Prints
the text of the result, or with --json the whole answer. Exit code 1 if the
result is an error.`

	trustHelp = `mcp-sidecar trust list [options]
mcp-sidecar trust allow|deny|revoke SERVER... [options]

A file inside a project can name any command, and somebody else may have written
it. What is decided about its servers is remembered for this project and for the
entry as it is now: one that changes has to be decided about again. Nothing is
started.

  list    the servers of the project's files, and what is decided about them
  allow   they may run
  deny    they are left out, as if the files did not have them
  revoke  forget what was decided`

	doctorHelp = `mcp-sidecar doctor [SERVER] [options]

Connects to every configured server, or to one, and says of every file why it counts, of
every server what its entry needs and how it is doing, and what is wrong, with
the likely fix. Secrets are shown as [redacted]. With --json, the answer to
mcp/doctor (see PROTOCOL.md). Exit code 1 if anything is an error; warnings, such
as a server that waits for approval or two of one name, are no failures.

Where ` + share.Variable + ` is set, as in the terminal of an editor that shares
its session, that session is asked, and nothing is started; with --cwd, --trust,
--timeout or --client, and when it has ended, doctor starts a session of its own.`

	attachHelp = `mcp-sidecar attach [options]

Joins the session whose endpoint is in ` + share.Variable + `, and passes on what the
program that started it says and what the session says, byte for byte: the wire
of PROTOCOL.md, for a guest. The host that owns the session gets the endpoint by
runtime/share, and puts it into the environment of those it lets in. Exit code 0
when the session or the program ends it, 1 if it is not let in.`

	mcpHelp = `mcp-sidecar mcp [options]

Runs as an MCP server over standard input and output, whose tools are those of
all MCP servers you have configured, in whichever program's files. One entry in
the configuration of an MCP client gives it all of them:

` + entryOfMCP + `
--client names the client, which starts the servers of its own files itself: it
would have them twice. Each tool is named after its server, <server>_<tool>, in
at most 40 characters. Tools that were there before are there at once. For a
server that has never run the first list of tools waits, up to 15 seconds or
those of --wait; what comes later is announced.

The client says where the project is (roots), or else it is the current
directory. Servers of the project's files are started when you allow them: the
client asks you, if it can (elicitation); mcp-sidecar trust allow does it in any
case.

--only and --except choose among the servers, by name or by a pattern with *: the
client hears nothing of the others, and they are not started for it.

Where ` + share.Variable + ` is set, the session of that endpoint is offered, with
the connections and settings it has; --only and --except choose among its
servers. One that another mcp-sidecar has started offers nothing, since the other
one does.`

	configHelp = `mcp-sidecar config [options]

Prints the entries that count, as they are written, with the file and place of
each. It starts nothing and asks nothing. Secrets are shown as [redacted]. With
--json: {cwd, files, servers: [{name, state, transport, source, written,
shadows?, offIn?, variables?, commands?, inputs?}], errors}, where state is "enabled",
"disabled", "invalid", "untrusted" or "needs-input", and the rest is as in the
answer to mcp/doctor (see PROTOCOL.md). Exit code 1 if a file or an entry cannot
be used.`

	serveHelp = `mcp-sidecar [options]

Serves the program that started it: speaks JSON-RPC over standard input and
output, and writes nothing else to standard output. PROTOCOL.md describes the
wire. The commands, which are for people:

` + overview
)

func synopsis(name string) string {
	for _, c := range commands() {
		if c.name == name {
			return c.help
		}
	}
	return strings.TrimSuffix(serveHelp, "\n")
}

func printHelp(w io.Writer, name string, set *pflag.FlagSet) {
	fmt.Fprintf(w, "%s\n\nOptions:\n%s", synopsis(name), set.FlagUsagesWrapped(90))
}

func usage(w *world, name, wrong string) int {
	hint := "mcp-sidecar help"
	if name != cmdServe {
		hint += " " + name
	}
	fmt.Fprintf(w.err, "mcp-sidecar: %s\nSee: %s\n", wrong, hint)
	return exitUsage
}
