package runtime

import (
	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// inSettings is how people are told of what a host configured itself.
const inSettings = "settings.servers"

// writtenOf is what an entry says, with nothing looked up but whether variables
// are set.
func writtenOf(e *config.Entry, found *config.Result, getenv func(string) (string, bool)) rpc.DoctorServer {
	uses := e.Uses()
	out := rpc.DoctorServer{Written: e.Shown(), Commands: uses.ShownCommands(), Inputs: uses.Inputs, OffIn: e.OffIn}
	for _, v := range e.Variables(getenv) {
		out.Variables = append(out.Variables, rpc.Variable(v))
	}
	for _, file := range uses.Files {
		out.EnvFiles = append(out.EnvFiles, rpc.EnvFile{Path: config.ShownText(file)})
	}
	for _, l := range found.Lost {
		if l.Name == e.Name {
			out.Shadows = append(out.Shadows, rpc.Shadow{
				Path: l.Path, Provider: l.Provider, ProviderName: l.ProviderName, Level: rpc.Level(l.Level),
				Line: l.Line, Column: l.Column, Same: l.Same,
			})
		}
	}
	return out
}
