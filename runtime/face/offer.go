package face

import (
	"slices"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/glob"
)

// offers says whether the client has a server: Only, when given, keeps what one of its
// globs matches, and Except drops what one of its globs matches, also when kept. The
// client hears nothing of the others: their tools do not exist, and nobody is asked
// about them.
func (o *Options) offers(server string) bool { return glob.Choose(o.Only, o.Except, server) }

// isChosen says that the client may not have all servers.
func (o *Options) isChosen() bool { return o.Only != nil || o.Except != nil }

func (f *face) offeredServers(all []rpc.Server) []rpc.Server {
	return offered(&f.opt, all, func(s rpc.Server) string { return s.Name })
}

func (f *face) offeredTools(all []rpc.Tool) []rpc.Tool {
	return offered(&f.opt, all, func(t rpc.Tool) string { return t.Server })
}

// offered are those of all that belong to servers which the client has.
func offered[T any](o *Options, all []T, server func(T) string) []T {
	if !o.isChosen() {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !o.offers(server(x)) })
}

// sayWhatIsMissed logs at the opening that there is nothing to offer, or that no server
// is called what the client's configuration says: servers come and go, so that it may
// be right all the same.
func (f *face) sayWhatIsMissed() {
	servers := f.opening.first.Servers
	if len(servers) == 0 && !f.opt.Guest && f.opt.Note == "" {
		f.log.Warn("there is no MCP server to offer; mcp-sidecar doctor says where it has looked")
	}
	for _, name := range f.opt.Only {
		if !slices.ContainsFunc(servers, func(s rpc.Server) bool { return glob.Matches(name, s.Name) }) {
			f.log.Warn("no server has this name now; one that comes is offered", "--only", name)
		}
	}
}
