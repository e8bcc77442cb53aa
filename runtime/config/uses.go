package config

import (
	"maps"
	"slices"
	"strings"
)

// Uses is what an entry reads and runs when it is started, beside its own
// command: what a user who is asked to trust it has to know.
type Uses struct {
	Variables []string // names
	Commands  []string // as written, without what marks them as such
	Inputs    []string // ids
	Files     []string // environment files and files whose text is a value, as written
}

// Uses looks at the entry as written. Each list is sorted.
func (e *Entry) Uses() Uses {
	var u Uses
	for _, s := range []string{e.Command, e.Cwd, e.EnvFile, e.URL} {
		u.text(s, e.forms, 0)
	}
	for _, arg := range e.Args {
		u.text(arg, e.forms, 0)
	}
	for _, value := range e.Headers {
		u.value(value, e.forms)
	}
	for _, name := range e.EnvHeaders {
		u.Variables = append(u.Variables, name)
	}
	if e.TokenVariable != "" {
		u.Variables = append(u.Variables, e.TokenVariable)
	}
	if e.Auth != nil {
		u.text(e.Auth.ClientID, e.forms, 0)
		u.text(e.Auth.ClientSecret, e.forms, 0)
	}
	u.env(e)
	if e.EnvFile != "" {
		u.Files = append(u.Files, e.EnvFile)
	}
	for _, list := range []*[]string{&u.Variables, &u.Commands, &u.Inputs, &u.Files} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return u
}

// Variable is a variable that an entry refers to.
type Variable struct {
	Name string
	Set  bool
}

// Variables are those an entry refers to, sorted by name. A value that may be
// the name of one counts when there is such a variable; else it is a value. In
// the place of a name that is more likely to be a secret stands "[redacted]".
func (e *Entry) Variables(getenv func(string) (string, bool)) []Variable {
	sure := *e
	sure.forms &^= formWhole
	named := sure.Uses().Variables
	alone := append(slices.Collect(maps.Values(e.EnvHeaders)), e.TokenVariable)
	var found []Variable
	for _, name := range e.Uses().Variables {
		_, set := getenv(name)
		switch {
		case set:
			found = append(found, Variable{name, true})
		case slices.Contains(alone, name):
			found = append(found, Variable{shownVariableName(name), false})
		case slices.Contains(named, name):
			found = append(found, Variable{shownReference(name), false})
		}
	}
	return slices.Compact(found)
}

// ShownCommands are the commands it runs, without the secrets that are written
// in them.
func (u *Uses) ShownCommands() []string {
	var shown []string
	for _, command := range u.Commands {
		shown = append(shown, (&mask{}).line(command))
	}
	return shown
}

// env adds what the values of env use. It comes last: what they give to the
// others, these do not read from the environment.
func (u *Uses) env(e *Entry) {
	var own Uses
	for _, value := range e.Env {
		own.value(value, e.forms)
	}
	if e.forms&formOwnEnv != 0 {
		u.Variables = slices.DeleteFunc(u.Variables, func(name string) bool { return e.Env[name] != "" })
		own.Variables = slices.DeleteFunc(own.Variables, func(name string) bool {
			return e.Env[name] != "" && isPlain(e.Env[name], e.forms)
		})
	}
	u.Variables = append(u.Variables, own.Variables...)
	u.Commands = append(u.Commands, own.Commands...)
	u.Inputs = append(u.Inputs, own.Inputs...)
	u.Files = append(u.Files, own.Files...)
}

func (u *Uses) value(s string, f forms) {
	if command, ok := shellCommand(s, f); ok {
		u.Commands = append(u.Commands, command)
		return
	}
	if f&formWhole != 0 && isVariableName(s) {
		u.Variables = append(u.Variables, s)
		return
	}
	u.text(unescaped(s, f), f, 0)
}

func (u *Uses) text(s string, f forms, depth int) {
	if depth > maxFallbacks {
		return
	}
	for _, p := range split(s, f) {
		switch p.kind {
		case variable:
			u.Variables = append(u.Variables, p.name)
			if p.test != noFallback {
				u.text(p.fallback, f, depth+1)
			}
		case input:
			u.Inputs = append(u.Inputs, p.name)
		case contents:
			u.Files = append(u.Files, p.name)
			if strings.Contains(p.name, "{env:") {
				u.text(p.name, f, depth+1)
			}
		case command:
			u.Commands = append(u.Commands, p.name)
		case plain, fact, escaped, foreignForm:
		}
	}
}
