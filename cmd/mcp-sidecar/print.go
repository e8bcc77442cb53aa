package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// printAdvice tells somebody without servers how to get one: in the user's own
// file, or in the project's where there is no home directory.
func printAdvice(out io.Writer, userFile string) {
	if userFile == "" {
		userFile = ".mcp.json"
	}
	printLine(out, "No MCP servers are configured here. One can be put into %s:", userFile)
	fmt.Fprintln(out, `  {"mcpServers": {"everything": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"]}}}`)
}

// userFile is the user's own file, "" when there is no home directory.
func userFile() string { return config.UserFile(homeDir(), os.LookupEnv) }

// printLine prints one line, whatever is in the values: files and servers that
// nobody has approved name things here.
func printLine(out io.Writer, format string, args ...any) {
	fmt.Fprintln(out, plain(fmt.Sprintf(format, args...)))
}

// plain is text with a space for every character that would move the cursor,
// change colours or turn the direction of writing.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)
}

func headline(s rpc.Server) string {
	if s.Phase == rpc.PhaseReady {
		return fmt.Sprintf("ready: %s, %s, connected in %d ms", counted(s.Tools.Count, "tool"), s.Transport, s.Timings.ConnectMs)
	}
	return string(s.Phase)
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// printHelpful prints what an error has beside its message.
func printHelpful(out io.Writer, e *rpc.ServerError) {
	if e == nil {
		return
	}
	if e.Hint != "" {
		printLine(out, "    %s", e.Hint)
	}
	for _, line := range e.Stderr {
		printLine(out, "    | %s", line)
	}
}

func place(d rpc.Diagnostic) string { return placed(d.Path, d.Line, d.Column) }

func printJSON(out io.Writer, v interface{ AppendJSON([]byte) []byte }) {
	_, _ = out.Write(append(v.AppendJSON(nil), '\n')) // out is a buffer
}

// shortened is what fits of a line in that many characters.
func shortened(line string, most int) string {
	runes := []rune(plain(line))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return string(runes)
}
