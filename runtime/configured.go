package runtime

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// Configuration is what a session would be given by the files and the settings,
// found without starting anything.
type Configuration struct {
	Cwd string `json:"cwd"`
	// Files are those that were looked at, as in rpc.DoctorReport.
	Files []rpc.DoctorFile `json:"files"`
	// Servers are the entries that count, sorted by name.
	Servers []ConfiguredServer `json:"servers"`
	// Errors are what is wrong with files and entries.
	Errors []rpc.Diagnostic `json:"errors"`
}

// ConfiguredServer is one entry that counts.
type ConfiguredServer struct {
	Name string `json:"name"`
	// State is "enabled" if a session connects it, else the phase in which it
	// rests: "disabled", "invalid", "untrusted" or "needs-input".
	State     string            `json:"state"`
	Transport rpc.TransportKind `json:"transport"`
	// Source says where it stands and which aliases it has.
	Source rpc.Source `json:"source"`
	// Written is the entry as its file has it, without secrets.
	Written json.RawMessage `json:"written"`
	// Shadows are definitions of the same name that do not count.
	Shadows []rpc.Shadow `json:"shadows,omitempty"`
	// OffIn is the file whose list switches a disabled server off; left out when its
	// own entry does.
	OffIn     string         `json:"offIn,omitempty"`
	Variables []rpc.Variable `json:"variables,omitempty"`
	Commands  []string       `json:"commands,omitempty"`
	Inputs    []string       `json:"inputs,omitempty"`
}

// stateEnabled is ConfiguredServer.State of what a session connects.
const stateEnabled = "enabled"

// Configured reads the configuration as a session with these parameters does,
// and starts nothing: no server, no command, no cache.
func Configured(ctx context.Context, o *Options, p *rpc.InitializeParams) (*Configuration, error) {
	if err := validRoots(p); err != nil {
		return nil, err
	}
	if err := validSettings(p.Settings); err != nil {
		return nil, err
	}
	s := newSearcher(o, p, effective(p.Settings, asksForTrust(p)))
	s.cache = nil
	d := s.search(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := &Configuration{
		Cwd: p.Cwd, Files: filesOf(&d.result), Servers: make([]ConfiguredServer, 0, len(d.candidates)),
		Errors: ofConfiguration(&d.result),
	}
	for _, c := range d.candidates {
		out.Servers = append(out.Servers, configured(c, &d.result, o.Getenv))
	}
	slices.SortFunc(out.Servers, func(a, b ConfiguredServer) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func configured(c candidate, found *config.Result, getenv func(string) (string, bool)) ConfiguredServer {
	w := writtenOf(c.entry, found, getenv)
	out := ConfiguredServer{
		Name: c.entry.Name, State: stateEnabled, Transport: rpc.TransportKind(c.entry.Kind), Source: sourceOf(c.entry),
		Written: w.Written, Shadows: w.Shadows, OffIn: w.OffIn, Variables: w.Variables, Commands: w.Commands, Inputs: w.Inputs,
	}
	if c.rest != "" {
		out.State = string(c.rest)
	}
	return out
}
