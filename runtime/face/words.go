package face

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// instructions are what a model is told: what is missing and why, and what the
// servers say about themselves (MCP: InitializeResult).
func (f *face) instructions() string {
	var b strings.Builder
	servers, whose := f.offeredServers(f.opening.first.Servers), "all MCP servers that the user has configured"
	if f.opt.isChosen() {
		whose = "the MCP servers that the user has chosen for this client"
	}
	b.WriteString("The tools of " + whose + ". Each is named after its server: <server>_<tool>.\n")
	if f.opt.Note != "" {
		b.WriteString("\n" + f.opt.Note + "\n")
	}
	switch {
	case len(f.opening.first.Servers) == 0:
		b.WriteString("\nThere are none: no server is configured, or the client has them all by itself.\n")
	case len(servers) == 0:
		b.WriteString("\nThere are none now: of the servers that are configured, none is chosen for this client.\n")
	}
	heading, waiting := "\nServers whose tools are missing:\n", 0
	for _, s := range servers {
		if s.Phase == rpc.PhaseUntrusted {
			waiting++ // what it is called somebody else may have written, for the model to read
		} else if why := missing(s); why != "" {
			b.WriteString(heading + "- " + s.Name + ": " + why + "\n")
			heading = ""
		}
	}
	if waiting > 0 {
		fmt.Fprintf(&b, "\nServers that files of the project name, and the user has not allowed: %d. Only the user may allow them, and you must "+
			"not do it for them. They see them with: mcp-sidecar trust list\n", waiting)
	}
	heading = "\nWhat the servers say about themselves:\n"
	left := introsLimit
	for _, s := range servers {
		if s.Instructions == "" || left == 0 {
			continue
		}
		said := cut(s.Instructions, min(introLimit, left))
		left -= len(said)
		fmt.Fprintf(&b, "%s\n## %s\n%s\n", heading, s.Name, said)
		heading = ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// missing is why a server's tools are not there, "" if they are, or are about to be, or
// nobody misses them.
func missing(s rpc.Server) string {
	switch {
	case s.Tools.Count > 0 || s.Error == nil || s.Status == rpc.StatusConnected || s.Phase == rpc.PhaseDisabled:
		return ""
	case s.Error.Hint != "":
		return cut(s.Error.Message, whyLimit) + "; " + cut(s.Error.Hint, whyLimit)
	}
	return cut(s.Error.Message, whyLimit)
}

// cut is at most limit bytes of a text, and whole characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
