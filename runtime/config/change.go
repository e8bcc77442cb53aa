package config

import (
	"bytes"
	"maps"
	"slices"
)

// ChangeKind is what a change of an entry asks for.
type ChangeKind int

// The kinds, each asking for more than the one before.
const (
	// NoChange: the same server, at most at another line of its file.
	NoChange ChangeKind = iota
	// Retune: a running server goes on, with the new limits, filters and
	// provenance.
	Retune
	// Restart: it is reached differently, or may run on different grounds.
	Restart
)

// Change says what it takes to go from one entry of a name to another. It
// compares them as written: that a variable has another value now is not a
// change of the entry.
func Change(from, to *Entry) ChangeKind {
	kind := NoChange
	for _, a := range aspects() {
		if a.kind > kind && !a.same(from, to) {
			kind = a.kind
		}
	}
	return kind
}

// aspect is one field of an Entry, and what a change of it asks for.
type aspect struct {
	field string
	kind  ChangeKind
	same  func(a, b *Entry) bool
}

// aspects classifies every field of Entry.
func aspects() []aspect {
	return []aspect{
		{"Kind", Restart, func(a, b *Entry) bool { return a.Kind == b.Kind }},
		{"Command", Restart, func(a, b *Entry) bool { return a.Command == b.Command }},
		{"Args", Restart, func(a, b *Entry) bool { return slices.Equal(a.Args, b.Args) }},
		{"Env", Restart, func(a, b *Entry) bool { return maps.Equal(a.Env, b.Env) }},
		{"UnsetEnv", Restart, func(a, b *Entry) bool { return slices.Equal(a.UnsetEnv, b.UnsetEnv) }},
		{"EnvFile", Restart, func(a, b *Entry) bool { return a.EnvFile == b.EnvFile }},
		{"Cwd", Restart, func(a, b *Entry) bool { return a.Cwd == b.Cwd }},
		{"URL", Restart, func(a, b *Entry) bool { return a.URL == b.URL }},
		{"Headers", Restart, func(a, b *Entry) bool { return maps.Equal(a.Headers, b.Headers) }},
		{"Auth", Restart, sameAuth},
		{"base", Restart, func(a, b *Entry) bool { return a.base == b.base }},
		{"forms", Restart, func(a, b *Entry) bool { return a.forms == b.forms }},
		// Whether it runs at all.
		{"Name", Restart, func(a, b *Entry) bool { return a.Name == b.Name }},
		{"Disabled", Restart, func(a, b *Entry) bool { return a.Disabled == b.Disabled }},
		{"Invalid", Restart, func(a, b *Entry) bool { return a.Invalid == b.Invalid }},
		{"NeedsInput", Restart, func(a, b *Entry) bool { return slices.Equal(a.NeedsInput, b.NeedsInput) }},
		// A project's server needs trust, and a user's does not.
		{"Level", Restart, func(a, b *Entry) bool { return a.Level == b.Level }},

		{"Timeout", Retune, func(a, b *Entry) bool { return a.Timeout == b.Timeout }},
		{"CallTimeout", Retune, func(a, b *Entry) bool { return a.CallTimeout == b.CallTimeout }},
		{"Include", Retune, func(a, b *Entry) bool {
			// No list includes all, an empty one nothing.
			return slices.Equal(a.Include, b.Include) && (a.Include == nil) == (b.Include == nil)
		}},
		{"Exclude", Retune, func(a, b *Entry) bool { return slices.Equal(a.Exclude, b.Exclude) }},
		{"Provider", Retune, func(a, b *Entry) bool { return a.Provider == b.Provider }},
		{"ProviderName", Retune, func(a, b *Entry) bool { return a.ProviderName == b.ProviderName }},
		{"Path", Retune, func(a, b *Entry) bool { return a.Path == b.Path }},
		{"Aliases", Retune, func(a, b *Entry) bool { return slices.Equal(a.Aliases, b.Aliases) }},
		{"Inputs", Retune, func(a, b *Entry) bool { return slices.EqualFunc(a.Inputs, b.Inputs, sameInput) }},
		// Trust is given to the entry as written, unknown keys and all.
		{"Raw", Retune, func(a, b *Entry) bool { return bytes.Equal(a.Raw, b.Raw) }},
		{"InvalidPointer", Retune, func(a, b *Entry) bool { return a.InvalidPointer == b.InvalidPointer }},

		{"Line", NoChange, func(a, b *Entry) bool { return a.Line == b.Line }},
		{"Column", NoChange, func(a, b *Entry) bool { return a.Column == b.Column }},
	}
}

func sameAuth(a, b *Entry) bool {
	if a.Auth == nil || b.Auth == nil {
		return a.Auth == b.Auth
	}
	x, y := a.Auth, b.Auth
	return x.ClientID == y.ClientID && x.ClientSecret == y.ClientSecret && x.Flow == y.Flow &&
		x.CallbackPort == y.CallbackPort && slices.Equal(x.Scopes, y.Scopes)
}

func sameInput(a, b Input) bool {
	return a.ID == b.ID && a.Type == b.Type && a.Description == b.Description &&
		a.Default == b.Default && a.Password == b.Password && slices.Equal(a.Options, b.Options)
}
