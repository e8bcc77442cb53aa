// Package glob matches names, such as those of servers and tools, with the globs that
// users write in settings, entries and on command lines.
package glob

import (
	"path"
	"slices"
	"strings"
)

// Choose says whether a name is chosen: include, when given, keeps only what matches;
// exclude drops what matches, also when included.
func Choose(include, exclude []string, name string) bool {
	return (include == nil || MatchesAny(include, name)) && !MatchesAny(exclude, name)
}

// MatchesAny says whether one of the globs matches a name.
func MatchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { return Matches(glob, name) })
}

// Matches has the syntax of path.Match, but "/" is a character like any other, so that
// "*" and "?" match it: names are no paths. A glob that is not well formed matches
// only itself.
func Matches(glob, name string) bool {
	if glob == name {
		return true
	}
	const stand = "\uE000" // private use: for path.Match no separator
	ok, err := path.Match(strings.ReplaceAll(glob, "/", stand), strings.ReplaceAll(name, "/", stand))
	return ok && err == nil
}
