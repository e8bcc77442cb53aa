package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

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

// printDenied prints the project's servers that the user has denied.
func printDenied(out io.Writer, denied []rpc.ProjectServer) {
	for _, s := range denied {
		printLine(out, "%s  denied: it is left out (mcp-sidecar trust revoke %s)", s.Name, runtime.ShellArgument(s.Name))
		printLine(out, "    from %s (%s, project)", s.Path, s.ProviderName)
		fmt.Fprintln(out)
	}
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
			fmt.Fprintf(tab, "    %s\t%s\n", plain(strings.TrimPrefix(t.Label, s.Name+"/")), summary(t.Definition))
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

func printError(out io.Writer, s rpc.Server) {
	if s.Error == nil {
		return
	}
	printLine(out, "    %s", s.Error.Message)
	printHelpful(out, s.Error)
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

// summary is the first line of a tool's description, shortened.
func summary(definition json.RawMessage) string {
	var d struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(definition, &d) // a definition of another shape has none
	line, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
	return shortened(line, 60)
}

// shortened is what fits of a line in that many characters.
func shortened(line string, most int) string {
	runes := []rune(plain(line))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return string(runes)
}
