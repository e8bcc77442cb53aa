package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/share"
)

// doctorUsage says what is wrong with the words after doctor; "" if nothing is.
func doctorUsage(words []string) string {
	if len(words) > 1 {
		return "doctor takes the name of one server, or none for all"
	}
	return ""
}

// doctor examines the session that the environment names, or else one of its
// own.
func doctor(ctx context.Context, f *flags, w *world, log *slog.Logger, words []string) int {
	only := strings.Join(words, "")
	if w.endpoint != "" && !f.ownSession() {
		report, err := f.askSession(ctx, w, log, only)
		switch {
		case err == nil:
			return tellReport(ctx, f, w, report, "The session that runs ("+share.Variable+"), as it is now:\n\n")
		case !errors.Is(err, share.ErrGone):
			return failed(ctx, w, fmt.Errorf("%w (without that variable, or with --cwd, doctor examines a session of its own)", err))
		}
		printLine(w.err, "mcp-sidecar: %v; what follows is about a session of doctor's own", err)
	}
	return f.withServers(ctx, w, log, only, func(ctx context.Context, client *runtime.Client, _ *rpc.Snapshot) int {
		report, err := client.Doctor(ctx, &rpc.DoctorParams{Server: only})
		if err != nil {
			return failed(ctx, w, err)
		}
		return tellReport(ctx, f, w, report, "")
	})
}

// tellReport prints a report as the flags say, for people under a heading, and
// gives the exit code.
func tellReport(ctx context.Context, f *flags, w *world, report *rpc.DoctorReport, heading string) int {
	return printed(ctx, w, doctorCode(report), func(out io.Writer) {
		if f.json {
			printJSON(out, report)
			return
		}
		fmt.Fprint(out, heading)
		printReport(out, report, homeDir())
		if len(report.Servers) == 0 && report.Healthy {
			printAdvice(out, userFile())
		}
	})
}

// doctorCode is the exit code of doctor.
func doctorCode(r *rpc.DoctorReport) int {
	if r.Healthy {
		return exitOK
	}
	return exitFailed
}

// printReport prints anybody's report; home is the home directory of who reads
// it, or "".
func printReport(out io.Writer, r *rpc.DoctorReport, home string) {
	printLine(out, "%s %s in %s", r.Sidecar.Name, r.Sidecar.Version, r.Cwd)
	fmt.Fprintln(out, "\nFiles, the strongest first:")
	some := false
	for _, f := range r.Files {
		if f.State != rpc.FileAbsent {
			printFile(out, f)
			some = true
		}
	}
	if !some {
		fmt.Fprintln(out, "  none")
	}
	printAbsent(out, r, home)
	fmt.Fprintln(out, "\nServers:")
	for _, s := range r.Servers {
		printExamined(out, s)
		printLastError(out, s.Server, r.Findings)
	}
	if len(r.Servers) == 0 {
		fmt.Fprintln(out, "  none")
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(out, "\nFindings:")
	}
	for _, f := range r.Findings {
		printFinding(out, f)
	}
	fmt.Fprintln(out)
	printWrapped(out, "", summaryOf(r))
}

// printAbsent prints the files that would be read if they were there, a tool a
// line.
func printAbsent(out io.Writer, r *rpc.DoctorReport, home string) {
	var tools []string
	absent := map[string][]string{}
	for _, f := range r.Files {
		if f.State != rpc.FileAbsent {
			continue
		}
		if absent[f.ProviderName] == nil {
			tools = append(tools, f.ProviderName)
		}
		absent[f.ProviderName] = append(absent[f.ProviderName], under(under(f.Path, r.Cwd, "."), home, "~"))
	}
	if len(tools) > 0 {
		fmt.Fprintln(out, "\nNot there, and read as soon as they are:")
	}
	for _, tool := range tools {
		printWrapped(out, "  ", tool+": "+strings.Join(absent[tool], ", "))
	}
}

// under is a path with name for the directory that it begins with.
func under(path, dir, name string) string {
	if rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator)); ok && dir != "" {
		return name + string(filepath.Separator) + rest
	}
	return path
}

// printFile prints a file and what became of what it defines.
func printFile(out io.Writer, f rpc.DoctorFile) {
	text := fmt.Sprintf("%-7s  %s (%s, %s)", f.State, f.Path, f.ProviderName, f.Level)
	var names []string
	for _, d := range f.Servers {
		names = append(names, d.Name+fate(d))
	}
	switch {
	case f.Why != "":
		text += ": " + f.Why
	case len(names) > 0:
		text += ": " + strings.Join(names, ", ")
	case f.State == rpc.FileRead:
		text += ": no servers"
	}
	printWrapped(out, "  ", text)
}

// fate is why a definition does not count, in parentheses.
func fate(d rpc.Definition) string {
	switch d.State {
	case rpc.DefinitionShadowed:
		return " (not used: " + d.By + " has the name)"
	case rpc.DefinitionAlias:
		return " (the same as " + d.By + ")"
	case rpc.DefinitionMerged:
		return " (a part of it)"
	case rpc.DefinitionLeftOut:
		return " (left out)"
	case rpc.DefinitionCounts:
	}
	return ""
}

// printExamined prints a server and what its entry needs.
func printExamined(out io.Writer, s rpc.DoctorServer) {
	r := s.Server
	printWrapped(out, "  ", r.Name+"  "+headline(r))
	line := func(format string, args ...any) { printWrapped(out, "      ", fmt.Sprintf(format, args...)) }
	printProvenance(out, "      ", r.Source, s.Shadows)
	line("written as %s", s.Written)
	for _, text := range needs(s) {
		line("%s", text)
	}
	if t := r.Timings; r.Phase == rpc.PhaseReady {
		line("reached in %d ms, handshake in %d ms, tools listed in %d ms", t.SpawnMs, t.InitializeMs, t.ListMs)
	}
	if s.Cache.State == rpc.CacheHit {
		line("cached: %s, as of %s", counted(s.Cache.Tools, "tool"), s.Cache.CachedAt)
	}
}

// printLastError prints why a server is not there, but for what stands among the
// findings.
func printLastError(out io.Writer, s rpc.Server, findings []rpc.Finding) {
	if s.Error == nil {
		return
	}
	told := slices.ContainsFunc(findings, func(f rpc.Finding) bool {
		return f.Server == s.Name && strings.HasPrefix(f.Message, s.Error.Message)
	})
	if !told {
		printWrapped(out, "      ", s.Error.Message)
	}
	if len(s.Error.Stderr) > 0 {
		printWrapped(out, "      ", "the end of what it wrote to stderr:")
	}
	for _, text := range s.Error.Stderr {
		printWrapped(out, "      ", "| "+text)
	}
}

// needs are what an entry takes from elsewhere, a line each.
func needs(s rpc.DoctorServer) []string {
	var all []string
	if s.OffIn != "" {
		all = append(all, "switched off in "+s.OffIn)
	}
	if x := s.Search; x != nil {
		switch {
		case x.Found != "" && x.LoginShell:
			all = append(all, "program "+x.Found+", by the PATH of the login shell")
		case x.Found != "":
			all = append(all, "program "+x.Found)
		case len(x.Path) > 0:
			all = append(all, "no program "+x.Command+" in "+strings.Join(x.Path, ", "))
		default:
			all = append(all, "no program "+x.Command)
		}
	}
	var variables []string
	for _, v := range s.Variables {
		state := " (not set)"
		if v.Set {
			state = " (set)"
		}
		variables = append(variables, v.Name+state)
	}
	if len(variables) > 0 {
		all = append(all, "variables: "+strings.Join(variables, ", "))
	}
	for _, command := range s.Commands {
		all = append(all, "takes a value from the command "+command)
	}
	if len(s.Inputs) > 0 {
		all = append(all, "asks for "+strings.Join(s.Inputs, ", "))
	}
	for _, f := range s.EnvFiles {
		text := "reads the file " + f.Path
		if !f.Readable {
			text += ", which was not read"
		}
		all = append(all, text)
	}
	return all
}

func printFinding(out io.Writer, f rpc.Finding) {
	where := placed(f.Path, f.Line, f.Column)
	if where == "" {
		where = "given by the host"
	}
	printWrapped(out, "  ", fmt.Sprintf("%s: %s", f.Severity, where))
	printWrapped(out, "      ", f.Message)
	printWrapped(out, "      ", "Fix: "+f.Fix)
}

// summaryOf is the last line.
func summaryOf(r *rpc.DoctorReport) string {
	count := func(severity rpc.Severity) int {
		return len(slices.DeleteFunc(slices.Clone(r.Findings), func(f rpc.Finding) bool { return f.Severity != severity }))
	}
	ready, read := 0, 0
	for _, s := range r.Servers {
		if s.Server.Phase == rpc.PhaseReady {
			ready++
		}
	}
	for _, f := range r.Files {
		if f.State == rpc.FileRead {
			read++
		}
	}
	verdict := "Everything is as it should be"
	if errors, warnings := count(rpc.SeverityError), count(rpc.SeverityWarning); errors+warnings > 0 {
		verdict = fmt.Sprintf("%s, %s", counted(errors, "error"), counted(warnings, "warning"))
	}
	return fmt.Sprintf("%s: %s, %d ready; %s looked at, %d read.",
		verdict, counted(len(r.Servers), "server"), ready, counted(len(r.Files), "file"), read)
}
