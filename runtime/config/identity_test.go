package config

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func stdioEntry() *Entry {
	return &Entry{
		Name: "s", Provider: "claude", ProviderName: "Claude Code", Level: User, Path: "/p", Kind: "stdio", Command: "./c",
		Args: []string{"a"}, Env: map[string]string{"K": "${SET}"}, Cwd: "d", base: "/base", forms: nativeDialect().forms,
	}
}

func TestIdentityIsHowTheServerIsReached(t *testing.T) {
	x := expander()
	x.Run = func(context.Context, string) (string, error) {
		t.Error("an identity ran a command")
		return "", nil
	}
	base := stdioEntry().Identity(x)
	same := map[string]func(*Entry){
		"name":     func(e *Entry) { e.Name = "other" },
		"enabled":  func(e *Entry) { e.Disabled = true },
		"timeouts": func(e *Entry) { e.Timeout, e.CallTimeout = time.Second, time.Second },
		"filters":  func(e *Entry) { e.Include, e.Exclude = []string{"a"}, []string{"b"} },
		"origin":   func(e *Entry) { e.Path, e.Provider, e.Line = "/q", "vscode", 3 },
		"raw":      func(e *Entry) { e.Raw = []byte(`{"x":1}`) },
	}
	for name, change := range same {
		e := stdioEntry()
		change(e)
		if e.Identity(x) != base {
			t.Errorf("%s is part of the identity", name)
		}
	}
	other := map[string]func(*Entry){
		"command": func(e *Entry) { e.Command = "./d" },
		"args":    func(e *Entry) { e.Args = []string{"a", "b"} },
		"env":     func(e *Entry) { e.Env = map[string]string{"K": "!true"} },
		"unset":   func(e *Entry) { e.UnsetEnv = []string{"X"} },
		"envFile": func(e *Entry) { e.EnvFile = ".env" },
		"cwd":     func(e *Entry) { e.Cwd = "e" },
		"base":    func(e *Entry) { e.base = "/other" },
		"kind":    func(e *Entry) { e.Kind, e.URL = "http", "https://example.com" },
		"written": func(e *Entry) { e.Env = map[string]string{"K": "value"} },
	}
	seen := map[string]string{base: "none"}
	for name, change := range other {
		e := stdioEntry()
		change(e)
		id := e.Identity(x)
		if before, ok := seen[id]; ok {
			t.Errorf("changes %s and %s have one identity", name, before)
		}
		seen[id] = name
	}
	x.Getenv = func(string) (string, bool) { return "another value", true }
	if stdioEntry().Identity(x) == base {
		t.Error("the value of a variable is no part of the identity")
	}
}

func TestEveryFieldOfAnEntryIsClassified(t *testing.T) {
	var fields, classified []string
	for f := range reflect.TypeFor[Entry]().Fields() {
		fields = append(fields, f.Name)
	}
	for _, a := range aspects() {
		classified = append(classified, a.field)
	}
	classified = append(classified, tuned()...)
	slices.Sort(fields)
	slices.Sort(classified)
	if diff := cmp.Diff(fields, classified); diff != "" {
		t.Errorf("fields of Entry and those NeedsRestart or tuned knows (-fields +known):\n%s", diff)
	}
}

// tuned are the fields of an Entry that change under a server that goes on.
func tuned() []string {
	return []string{
		"Timeout", "CallTimeout", "Include", "Exclude", "Provider", "ProviderName", "Path", "Parts", "Aliases", "Inputs",
		"Raw", // trust is given to the entry as written, unknown keys and all
		"InvalidPointer", "OffIn", "Line", "Column", "Passed",
	}
}

func TestAChangeOfEachFieldAsksForWhatItsClassSays(t *testing.T) {
	altered := func(field string) (from, to *Entry) {
		from, to = stdioEntry(), stdioEntry()
		from.Auth = &Auth{Scopes: []string{"a"}}
		to.Auth = &Auth{Scopes: []string{"a"}}
		if NeedsRestart(from, to) {
			t.Fatal("equal entries need a restart")
		}
		alter(t, to, field)
		return from, to
	}
	for _, a := range aspects() {
		if from, to := altered(a.field); a.same(from, to) || !NeedsRestart(from, to) {
			t.Errorf("%s: a change is not noticed", a.field)
		}
	}
	for _, field := range tuned() {
		if NeedsRestart(altered(field)) {
			t.Errorf("%s: a change needs a restart", field)
		}
	}
}

// alter gives a field of e another value.
func alter(t *testing.T, e *Entry, field string) {
	t.Helper()
	switch field {
	case "base":
		e.base += "x"
		return
	case "forms":
		e.forms++
		return
	}
	v := reflect.ValueOf(e).Elem().FieldByName(field)
	switch kind := v.Kind(); {
	case kind == reflect.String:
		v.SetString(v.String() + "x")
	case kind == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case kind == reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case kind == reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"x": "y"}))
	case kind == reflect.Pointer:
		v.SetZero()
	default:
		t.Fatalf("%s is of kind %v", field, kind)
	}
}

func TestNeedsRestartSeesTheSubtleOnes(t *testing.T) {
	cases := []struct {
		name   string
		change func(from, to *Entry)
		want   bool
	}{
		{"no args and empty args", func(_, to *Entry) { to.Args = append(to.Args, "x")[:1] }, false},
		{"all tools and none", func(_, to *Entry) { to.Include = []string{} }, false},
		{"both", func(_, to *Entry) { to.Timeout, to.Command = 1, "d" }, true},
		{"secret of auth", func(from, to *Entry) { from.Auth, to.Auth = &Auth{ClientSecret: "a"}, &Auth{ClientSecret: "b"} }, true},
		{"auth given", func(_, to *Entry) { to.Auth = &Auth{} }, true},
		{"input described", func(from, to *Entry) {
			from.Inputs, to.Inputs = []Input{{ID: "a"}}, []Input{{ID: "a", Description: "b"}}
		}, false},
	}
	for _, c := range cases {
		from, to := stdioEntry(), stdioEntry()
		c.change(from, to)
		if got := NeedsRestart(from, to); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestUsesNamesWhatAnEntryReadsAndRuns(t *testing.T) {
	e := &Entry{
		Command: "${A}/x", Args: []string{"${B:-${C}}", "WHOLE_NAME", "!not a command"}, Cwd: "${D}", EnvFile: "${E}/.env",
		Env:     map[string]string{"X": "WHOLE_NAME", "Y": "!op read ${IN_SHELL}", "Z": "!!${F}", "W": "NO1"},
		URL:     "https://${G}/",
		Headers: map[string]string{"H": "!op read x", "I": "${A}${input:no-form-of-this-dialect}"},
		Auth:    &Auth{ClientID: "${I}", ClientSecret: "${J}"},
		forms:   nativeDialect().forms,
	}
	want := Uses{
		Variables: []string{"A", "B", "C", "D", "E", "F", "G", "I", "J", "WHOLE_NAME"},
		Commands:  []string{"op read ${IN_SHELL}", "op read x"},
		Files:     []string{"${E}/.env"},
	}
	if diff := cmp.Diff(want, e.Uses()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e.forms = vscodeDialect().forms
	if got := e.Uses(); !slices.Equal(got.Inputs, []string{"no-form-of-this-dialect"}) || got.Commands != nil || got.Variables != nil {
		t.Errorf("in VS Code's dialect: %+v", got)
	}
}
