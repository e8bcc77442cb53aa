package config

import "slices"

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
	for _, table := range []map[string]string{e.Env, e.Headers} {
		for _, value := range table {
			u.value(value, e.forms)
		}
	}
	if e.Auth != nil {
		u.text(e.Auth.ClientID, e.forms, 0)
		u.text(e.Auth.ClientSecret, e.forms, 0)
	}
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
// the name of one counts when there is such a variable; else it is a value.
func (e *Entry) Variables(getenv func(string) (string, bool)) []Variable {
	sure := *e
	sure.forms &^= formWhole
	named := sure.Uses().Variables
	var found []Variable
	for _, name := range e.Uses().Variables {
		_, set := getenv(name)
		if set || slices.Contains(named, name) {
			found = append(found, Variable{name, set})
		}
	}
	return found
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
			if p.hasFallback {
				u.text(p.fallback, f, depth+1)
			}
		case input:
			u.Inputs = append(u.Inputs, p.name)
		case contents:
			u.Files = append(u.Files, p.name)
		case command:
			u.Commands = append(u.Commands, p.name)
		case plain, fact, foreignForm:
		}
	}
}
