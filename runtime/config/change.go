package config

import (
	"maps"
	"slices"
)

// NeedsRestart says whether what runs of one entry must end for another entry
// of its name: it is reached differently, or may run on different grounds. If
// not, it goes on, with the new limits, filters and provenance. The entries are
// compared as written: that a variable has another value now is not a change.
func NeedsRestart(from, to *Entry) bool {
	return slices.ContainsFunc(aspects(), func(a aspect) bool { return !a.same(from, to) })
}

// aspect is one field of an Entry that what runs depends on.
type aspect struct {
	field string
	same  func(a, b *Entry) bool
}

// aspects are all of them.
func aspects() []aspect {
	return []aspect{
		{"Kind", func(a, b *Entry) bool { return a.Kind == b.Kind }},
		{"Command", func(a, b *Entry) bool { return a.Command == b.Command }},
		{"Args", func(a, b *Entry) bool { return slices.Equal(a.Args, b.Args) }},
		{"Env", func(a, b *Entry) bool { return maps.Equal(a.Env, b.Env) }},
		{"UnsetEnv", func(a, b *Entry) bool { return slices.Equal(a.UnsetEnv, b.UnsetEnv) }},
		{"EnvFile", func(a, b *Entry) bool { return a.EnvFile == b.EnvFile }},
		{"Cwd", func(a, b *Entry) bool { return a.Cwd == b.Cwd }},
		{"URL", func(a, b *Entry) bool { return a.URL == b.URL }},
		{"Headers", func(a, b *Entry) bool { return maps.Equal(a.Headers, b.Headers) }},
		{"EnvHeaders", func(a, b *Entry) bool { return maps.Equal(a.EnvHeaders, b.EnvHeaders) }},
		{"TokenVariable", func(a, b *Entry) bool { return a.TokenVariable == b.TokenVariable }},
		{"Auth", sameAuth},
		{"base", func(a, b *Entry) bool { return a.base == b.base }},
		{"forms", func(a, b *Entry) bool { return a.forms == b.forms }},
		// Whether it runs at all.
		{"Name", func(a, b *Entry) bool { return a.Name == b.Name }},
		{"Disabled", func(a, b *Entry) bool { return a.Disabled == b.Disabled }},
		{"Invalid", func(a, b *Entry) bool { return a.Invalid == b.Invalid }},
		{"NeedsInput", func(a, b *Entry) bool { return slices.Equal(a.NeedsInput, b.NeedsInput) }},
		// A project's server needs trust, and a user's does not.
		{"Level", func(a, b *Entry) bool { return a.Level == b.Level }},
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
