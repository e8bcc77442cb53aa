package config

import (
	"net/url"
	"slices"
	"strings"
)

const (
	exaHost     = "mcp.exa.ai"
	exaKeyParam = "exaApiKey="
	exaKeyEnv   = "EXA_API_KEY"
)

// withoutExa takes the Exa servers out and returns their API keys: hosts that
// have Exa built in use the key and not the server. Those that are switched off
// keep their keys to themselves.
func withoutExa(entries []*Entry, getenv func(string) (string, bool)) (others []*Entry, keys []string) {
	for _, e := range entries {
		if !isExa(e) {
			others = append(others, e)
			continue
		}
		if key := exaKey(e, getenv); key != "" && !e.Disabled && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return others, keys
}

func isExa(e *Entry) bool {
	mentions := func(s string) bool { return strings.Contains(strings.ToLower(s), exaHost) }
	return strings.EqualFold(e.Name, "exa") || mentions(e.URL) || slices.ContainsFunc(e.Args, mentions)
}

// exaKey is the key in the URL or an argument, else in the environment of the
// entry. Commands are not run for it. A project may name no variable but the
// one that is meant for this: the key goes to a third party.
func exaKey(e *Entry, getenv func(string) (string, bool)) string {
	look := getenv
	if e.NeedsTrust() && getenv != nil {
		look = func(name string) (string, bool) {
			if name != exaKeyEnv {
				return "", false
			}
			return getenv(name)
		}
	}
	ex := &expansion{e: e, x: Expander{Getenv: look}}
	for _, s := range append([]string{e.URL}, e.Args...) {
		_, rest, ok := strings.Cut(s, exaKeyParam)
		if !ok {
			continue
		}
		if end := strings.IndexAny(rest, "&#\"' \t\n"); end >= 0 {
			rest = rest[:end]
		}
		if key, known := ex.known(rest, false); known {
			if unescaped, err := url.QueryUnescape(key); err == nil {
				return unescaped
			}
			return key
		}
	}
	written := e.Env[exaKeyEnv]
	if key, known := ex.known(written, true); known && (key != written || !isVariableName(key)) {
		return key
	}
	return ""
}
