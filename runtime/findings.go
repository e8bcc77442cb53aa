package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// lastLineBytes is how much of a server's last line a finding has.
const lastLineBytes = 300

// findings are what is wrong, each thing once, with the likely fix: errors
// first, then by file and place. servers are those of ex, in its order.
func (ex *examination) findings(servers []rpc.DoctorServer) []rpc.Finding {
	all := make([]rpc.Finding, 0)
	for _, d := range ex.unknown {
		all = append(all, rpc.Finding{
			Severity: d.Severity, Path: d.Path, Server: d.Server, Message: d.Error, Fix: "correct the name, or take it out",
		})
	}
	if err := ex.found.Hard; err != nil {
		all = append(all, rpc.Finding{
			Severity: rpc.SeverityError, Path: ex.cwd, Message: err.Error(),
			Fix: "work in a directory that exists and that you may read",
		})
	}
	for _, d := range ex.found.Diagnostics {
		all = append(all, ofDiagnostic(d))
	}
	for _, l := range ex.found.Lost {
		if !l.Same {
			all = append(all, ofLost(l))
		}
	}
	for i, x := range ex.servers {
		for _, a := range x.entry.Aliases {
			all = append(all, ofAlias(x.entry, a))
		}
		all = append(all, x.findings(servers[i].Variables)...)
	}
	slices.SortStableFunc(all, func(a, b rpc.Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity, b.Severity), // "error" comes before "warning"
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Server, b.Server),
		)
	})
	return all
}

func severityOf(warning bool) rpc.Severity {
	if warning {
		return rpc.SeverityWarning
	}
	return rpc.SeverityError
}

// ofDiagnostic is about a file or an entry.
func ofDiagnostic(d config.Diagnostic) rpc.Finding {
	f := rpc.Finding{
		Severity: severityOf(d.Warning), Path: d.Path, Server: d.Server, Line: d.Line, Column: d.Column,
		Message: d.Message, Fix: d.Fix,
	}
	if strings.HasPrefix(d.Path, "mcp:") { // an entry of the host's
		f.Path = ""
	}
	switch {
	case f.Fix != "":
	case d.Warning:
		f.Fix = "correct it there, or take it out"
	case d.Server != "":
		f.Fix = "correct the entry: the server is not started until then"
	default:
		f.Fix = "correct it there: what stands there does not count until then"
	}
	return f
}

// ofLost is about a definition whose name another one has.
func ofLost(l config.Lost) rpc.Finding {
	return rpc.Finding{
		Severity: rpc.SeverityWarning, Path: l.Path, Server: l.Name, Line: l.Line, Column: l.Column,
		Message: fmt.Sprintf("server %q of this file does not count: %s has another one of that name, and comes first", l.Name, placeOf(l.To)),
		Fix:     "nothing, if the first is the one that you want; else give one of the two another name",
	}
}

// ofAlias is about an entry that starts what another one starts.
func ofAlias(e *config.Entry, a config.Alias) rpc.Finding {
	return rpc.Finding{
		Severity: rpc.SeverityWarning, Path: a.Path, Server: a.Name, Line: a.Line, Column: a.Column,
		Message: fmt.Sprintf("server %q starts the same as %q in %s, so there is one server, called %q", a.Name, e.Name, placeOf(e.Origin()), e.Name),
		Fix:     fmt.Sprintf("nothing: it runs once, and is called %q here; for the other name, remove that one", e.Name),
	}
}

func placeOf(o config.Origin) string {
	switch {
	case o.Path == "":
		return inSettings
	case o.Line == 0:
		return o.Path
	}
	return fmt.Sprintf("%s:%d:%d", o.Path, o.Line, o.Column)
}

// findings are those of one server. What is wrong with its entry as such is a
// diagnostic of the configuration.
func (x *examined) findings(variables []rpc.Variable) []rpc.Finding {
	var all []rpc.Finding
	add := func(severity rpc.Severity, message, fix string) {
		s := x.rec.Source
		all = append(all, rpc.Finding{
			Severity: severity, Path: s.Path, Server: x.rec.Name, Line: s.Line, Column: s.Column, Message: message, Fix: fix,
		})
	}
	unexpanded := strings.Join(x.warnings, "; ")
	switch e := x.rec.Error; {
	case x.rec.Phase == rpc.PhaseInvalid:
	case x.rec.Phase == rpc.PhaseUntrusted:
		add(rpc.SeverityWarning, e.Message, e.Hint)
	case e != nil && unexpanded != "":
		message := messageOf(e)
		for _, w := range x.warnings {
			if !strings.Contains(message, w) {
				message += "; " + w
			}
		}
		add(rpc.SeverityError, message, fixOfExpansion(variables)+"; if that is not it: "+fixOf(x.entry, e))
	case e != nil && e.Stage == rpc.StageConfig && x.rec.Phase != rpc.PhaseNeedsInput && anyUnset(variables):
		add(rpc.SeverityError, messageOf(e), fixOfExpansion(variables))
	case e != nil:
		add(rpc.SeverityError, messageOf(e), fixOf(x.entry, e))
	case unexpanded != "":
		add(rpc.SeverityWarning, fmt.Sprintf("server %q: %s", x.rec.Name, unexpanded), fixOfExpansion(variables))
	}
	if x.filtered != "" {
		add(rpc.SeverityWarning, fmt.Sprintf("server %q: %s", x.rec.Name, x.filtered), "correct the names in the filter")
	}
	if n := len(x.issues); n > 0 {
		message := fmt.Sprintf("server %q: its list of tools is odd: %s", x.rec.Name, x.issues[0])
		if n > 1 {
			message += fmt.Sprintf(" (and %d more)", n-1)
		}
		add(rpc.SeverityWarning, message, "update the server, or tell its author; the tools are offered as they are")
	}
	return all
}

// messageOf is an error with the line on stderr that says more than it, if there
// is one.
func messageOf(e *rpc.ServerError) string {
	if len(e.Stderr) == 0 {
		return e.Message
	}
	what, line := "its last line on stderr", e.Stderr[len(e.Stderr)-1]
	if cause := tellingLine(e.Stderr); cause != "" && cause != line {
		what, line = "on stderr it says", cause
	}
	return fmt.Sprintf("%s; %s: %q", e.Message, what, shortened(line, lastLineBytes))
}

// tellingLine is the last line that speaks of an error, "" for none: a runtime that
// crashes often ends with something else.
func tellingLine(lines []string) string {
	for _, line := range slices.Backward(lines) {
		for _, word := range []string{"error:", "exception:", "fatal:", "panic:", "cannot find", "not found", "no such"} {
			if strings.Contains(strings.ToLower(line), word) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

func anyUnset(variables []rpc.Variable) bool {
	return slices.ContainsFunc(variables, func(v rpc.Variable) bool { return !v.Set })
}
