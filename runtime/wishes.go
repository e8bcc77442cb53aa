package runtime

import (
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// unknownWishes warns of what a host asked for in words that nobody knows: a
// misspelt trust.project would start what it was meant to stop.
func unknownWishes(c *rpc.Capabilities, s *rpc.Settings) []rpc.Diagnostic {
	var found []rpc.Diagnostic
	for _, u := range slices.Concat(rpc.FindUnknown("capabilities", c), rpc.FindUnknown("settings", s)) {
		text := config.UnknownKeys(u.Names) + "; known: " + strings.Join(u.Known, ", ")
		found = append(found, rpc.Diagnostic{
			Path: u.Path, Error: shortened(text, errorBytes), Severity: rpc.SeverityWarning,
		})
	}
	return found
}
