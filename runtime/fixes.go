package runtime

import (
	"fmt"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// fixOf is the likely fix of a failure, in one sentence.
func fixOf(e *config.Entry, failed *rpc.ServerError) string {
	switch transport.Code(failed.Code) {
	case transport.CodeNotFound:
		if meant := launcherLike(e.Command); meant != "" {
			return fmt.Sprintf("did you mean %q? Else %s", meant, failed.Hint)
		}
	case transport.CodeAuth:
		return fixOfAuth(e)
	default:
	}
	if failed.Hint != "" {
		return failed.Hint
	}
	switch transport.Code(failed.Code) {
	case transport.CodeSpawn:
		return "make sure that you may execute the command and enter its working directory"
	case transport.CodeExited:
		return "run the command in a terminal to see why it ends, and correct its arguments and variables in the entry"
	case transport.CodeTimeout:
		return "see whether the server answers at all; if it only needs more time, raise timeouts"
	case transport.CodeRefused:
		return "start the server, or check the host and the port of the URL"
	case transport.CodeHTTP:
		return "check the URL: many servers listen on /mcp or /sse"
	case transport.CodeProtocol:
		return "make sure that the command or URL is that of an MCP server, and update it"
	case transport.CodeTooLarge:
		return "have the server list less, or update it"
	case transport.CodeClosed:
		return "connect it again; if it ends again, see what it writes to stderr"
	default:
	}
	if failed.Stage == rpc.StageConfig {
		return "correct the entry: it cannot be used as it is, or what it refers to is not there"
	}
	return "connect it again, and look into the log if it fails again"
}

// launcherLike is the command, of those that most entries have, that a misspelt
// one is likely to be; "" for none.
func launcherLike(command string) string {
	const sure = 0.6 // of 1: one letter of three
	launchers := []string{
		"npx", "npm", "node", "uvx", "uv", "docker", "podman", "bunx", "bun", "deno", "python", "python3", "pipx", "dnx", "java",
	}
	near := nearest(command, launchers)
	if len(near) == 0 || near[0] == command || newLikeness(command).to(near[0]) < sure {
		return ""
	}
	return near[0]
}

// fixOfAuth is about a server that wants to know who asks.
func fixOfAuth(e *config.Entry) string {
	for name := range e.Headers {
		if strings.EqualFold(name, "Authorization") {
			return "the server does not take the token in the entry's header Authorization: renew it, or correct it"
		}
	}
	return `give it a token, such as "headers": {"Authorization": "Bearer ${TOKEN}"} in the entry, or sign in where the program you use can do that`
}

// fixOfExpansion is about references that lead nowhere.
func fixOfExpansion(variables []rpc.Variable) string {
	var unset []string
	for _, v := range variables {
		if !v.Set {
			unset = append(unset, v.Name)
		}
	}
	if len(unset) == 0 {
		return "correct what the entry refers to; a command can be tried in a terminal"
	}
	return "set " + strings.Join(unset, ", ") + " in the environment that mcp-sidecar is started with (an editor's is that of its own start), or write a value in its place"
}
