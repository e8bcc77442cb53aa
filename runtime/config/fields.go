package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fields reads the members of one entry into an Entry and says what is wrong
// with them. Each accessor takes a missing or null member as not given.
type fields struct {
	*report
	e    *Entry
	obj  *node
	used map[string]bool // names an accessor has asked for
	// words are the tool's own names for what is asked for by the usual ones.
	words map[string]string
	// invalidAt is where e.Invalid first arose; nil while it is "".
	invalidAt *node
	// skipped: it is no server.
	skipped bool
}

// get is the member of that name, or nil when it is missing or null. The tool's
// own name for it counts before the usual one.
func (f *fields) get(name string) *node {
	f.used[name] = true
	if word, ok := f.words[name]; ok {
		f.used[word] = true
		if n := present(f.obj.get(word)); n != nil {
			return n
		}
	}
	return present(f.obj.get(name))
}

func present(n *node) *node {
	if n == nil || n.kind == null {
		return nil
	}
	return n
}

// invalid makes the entry unusable. The first reason has the pointer.
func (f *fields) invalid(n *node, format string, args ...any) {
	message := `Server "` + f.e.Name + `": ` + fmt.Sprintf(format, args...)
	if f.e.Invalid != "" {
		f.e.Invalid += "; " + message
		return
	}
	f.e.Invalid = message
	f.e.InvalidPointer = n.pointer()
	f.invalidAt = n
}

// skip leaves the entry out, with a warning that says why.
func (f *fields) skip(why string) {
	f.skipped = true
	f.add(f.obj, f.e.Name, true, why, "nothing has to be done if it is right for "+f.e.ProviderName)
}

func (f *fields) expected(n *node, what string) {
	if n == f.obj {
		f.invalid(n, "expected %s, found %v", what, n.kind)
		return
	}
	f.invalid(n, "%s: expected %s, found %v", n.label(f.obj), what, n.kind)
}

// note warns of a member, if it is given.
func (f *fields) note(n *node, format string, args ...any) {
	if present(n) == nil {
		return
	}
	f.warn(n, f.e.Name, "%s: "+format, append([]any{n.label(f.obj)}, args...)...)
}

// unsupported warns of a member that the tool knows, and that has no effect here.
func (f *fields) unsupported(n *node, instead string) {
	if present(n) == nil {
		return
	}
	f.add(n, f.e.Name, true, n.label(f.obj)+": not supported: "+instead,
		"nothing has to be done: it is right for "+f.e.ProviderName)
}

func (f *fields) str(name string) string {
	return f.textOf(f.get(name))
}

func (f *fields) textOf(n *node) string {
	if n = present(n); n == nil {
		return ""
	}
	if n.kind != text {
		f.expected(n, "a string")
		return ""
	}
	return n.text
}

func (f *fields) list(name string) []string {
	return f.listOf(f.get(name))
}

func (f *fields) listOf(n *node) []string {
	if n = present(n); n == nil {
		return nil
	}
	if n.kind != array {
		f.expected(n, "an array of strings")
		return nil
	}
	list := make([]string, 0, len(n.items))
	for _, item := range n.items {
		if item.kind != text {
			f.expected(item, "a string")
			return nil
		}
		list = append(list, item.text)
	}
	return list
}

// table reads an object of strings. Numbers and booleans in it are taken as
// strings; onNull is told of each name whose value is null, and when it is nil
// such a value is as wrong as an array.
func (f *fields) table(name string, onNull func(name string)) map[string]string {
	return f.tableOf(f.get(name), onNull)
}

func (f *fields) tableOf(n *node, onNull func(name string)) map[string]string {
	if n = present(n); n == nil {
		return nil
	}
	if n.kind != object {
		f.expected(n, "an object of strings")
		return nil
	}
	f.repeated(n, f.e.Name, f.obj)
	table := make(map[string]string, len(n.members))
	for _, m := range n.members {
		switch m.value.kind {
		case text:
			table[m.name] = m.value.text
		case number, boolean:
			f.note(m.value, "%v, used as a string: put it in quotes", m.value.kind)
			table[m.name] = m.value.text
		case null:
			if onNull != nil {
				onNull(m.name)
				continue
			}
			f.expected(m.value, "a string")
		case array, object:
			f.expected(m.value, "a string")
		}
	}
	return table
}

func (f *fields) object(name string) *node {
	n := f.get(name)
	if n == nil {
		return nil
	}
	if n.kind != object {
		f.expected(n, "an object")
		return nil
	}
	f.repeated(n, f.e.Name, f.obj)
	return n
}

// flag reads a boolean, and takes "true" and "false" for one.
func (f *fields) flag(name string, otherwise bool) bool {
	n := f.get(name)
	switch {
	case n == nil:
		return otherwise
	case n.kind == boolean:
		return n.text == "true"
	case n.kind == text && (n.text == "true" || n.text == "false"):
		f.note(n, "a string, used as %s: remove the quotes", n.text)
		return n.text == "true"
	}
	f.expected(n, "true or false")
	return otherwise
}

// numberOf reads a number from 0 to high, and takes a string that holds one for
// it. What is neither is a warning, and 0.
func (f *fields) numberOf(n *node, high float64) float64 {
	if n = present(n); n == nil {
		return 0
	}
	if n.kind != number && n.kind != text {
		f.note(n, "expected a number, found %v: not used", n.kind)
		return 0
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(n.text), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > high {
		f.note(n, "expected a number from 0 to %s: not used", strconv.FormatFloat(high, 'f', -1, 64))
		return 0
	}
	if n.kind == text {
		f.note(n, "a string, used as a number: remove the quotes")
	}
	return v
}

// milliseconds reads a duration; 0 when it is not given or of no use.
func (f *fields) milliseconds(name string) time.Duration {
	return f.millisecondsOf(f.get(name))
}

func (f *fields) millisecondsOf(n *node) time.Duration {
	return f.durationOf(n, time.Millisecond)
}

// seconds is milliseconds for tools that count in seconds.
func (f *fields) seconds(name string) time.Duration {
	return f.durationOf(f.get(name), time.Second)
}

func (f *fields) durationOf(n *node, unit time.Duration) time.Duration {
	// A year is more than anybody waits, and far from what overflows.
	const limit = 365 * 24 * time.Hour
	return time.Duration(f.numberOf(n, float64(limit/unit)) * float64(unit))
}

// exactNames reads a list of tool names as the globs that match these names and
// no others.
func (f *fields) exactNames(name string) []string {
	list := f.list(name)
	for i, tool := range list {
		list[i] = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(tool)
	}
	return list
}

// reach reads how the server is reached; onNull is that of table, for env.
func (f *fields) reach(onNull func(name string)) {
	e := f.e
	e.Command = f.str("command")
	e.Args = f.list("args")
	e.Env = f.table("env", onNull)
	e.Cwd = f.str("cwd")
	e.URL = f.str("url")
	e.Headers = f.table("headers", nil)
}

// envFile reads the path of an environment file. The transport must be known: a
// server that is not started has no environment.
func (f *fields) envFile() {
	path := f.str("envFile")
	if path != "" && f.e.Kind != "stdio" {
		f.note(f.get("envFile"), "only for servers that are started: it has no effect on one with a url")
		return
	}
	f.e.EnvFile = path
}

// enabled reads both ways in which tools switch a server off.
func (f *fields) enabled() {
	enabled := f.flag("enabled", true)
	f.e.Disabled = f.flag("disabled", false) || !enabled
}

// transport decides how the server is reached and what the entry lacks for
// that.
func (f *fields) transport() {
	hasCommand, hasURL := f.given("command"), f.given("url")
	if hasCommand && hasURL {
		f.invalid(f.obj, `both "command" and "url" are set - server should be either stdio (command) OR http/sse (url), not both`)
	}
	f.e.Kind = "stdio"
	if hasURL && !hasCommand {
		f.e.Kind = "http"
	}
	if f.given("type") {
		n := f.get("type")
		if n.kind != text {
			f.expected(n, "a string")
			return
		}
		named, ok := kindNamed(n.text)
		if !ok {
			f.invalid(n, `unknown server type "%s"`, ShownText(n.text))
			return
		}
		f.e.Kind = named
	}
	switch {
	case f.e.Kind == "stdio" && !hasCommand:
		f.invalid(f.obj, `stdio server requires "command" field`)
	case f.e.Kind != "stdio" && !hasURL:
		f.invalid(f.obj, `%s server requires "url" field`, f.e.Kind)
	}
}

// given says that a member is there and not empty, whatever its kind: one of a
// wrong kind is reported as that, not as missing.
func (f *fields) given(name string) bool {
	n := f.get(name)
	return n != nil && (n.kind != text || n.text != "")
}

// kindNamed is the transport that a type means, in any tool's words.
func kindNamed(word string) (kind string, ok bool) {
	switch strings.ToLower(word) {
	case "stdio", "local":
		return "stdio", true
	case "http", "streamable-http", "streamablehttp", "streamable_http", "remote":
		return "http", true
	case "sse":
		return "sse", true
	}
	return "", false
}

// unused warns of the names that no accessor asked for and the owning tool does
// not know.
func (f *fields) unused(silent []string) {
	f.repeated(f.obj, f.e.Name, f.obj)
	f.unknown(f.obj, slices.Concat(slices.Sorted(maps.Keys(f.used)), silent))
}

// unknown warns of the members of n, which is the entry or an object in it, that
// have none of the known names: once, at the first.
func (f *fields) unknown(n *node, known []string) {
	var first *node
	var names, meant []string
	for _, m := range n.members {
		if slices.Contains(known, m.name) {
			continue
		}
		if first == nil {
			first = m.value
		}
		names = append(names, m.name)
		if word := nearestWord(m.name, known); word != "" {
			meant = append(meant, strconv.Quote(word))
		}
	}
	if first == nil {
		return
	}
	message, fix := UnknownKeys(names), ""
	if n != f.obj {
		message = n.label(f.obj) + ": " + message
	}
	if len(meant) > 0 {
		fix = "did you mean " + strings.Join(meant, ", ") + "?"
	}
	f.add(first, f.e.Name, true, message, fix)
}

// UnknownKeys says of names that nobody knows that they have no effect.
func UnknownKeys(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(shownName(name))
	}
	if len(names) == 1 {
		return "unknown key " + quoted[0] + ": it has no effect"
	}
	return "unknown keys " + strings.Join(quoted, ", ") + ": they have no effect"
}

func (f *fields) port(n *node) int {
	return int(f.numberOf(n, 65535))
}
