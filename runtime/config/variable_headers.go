package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// variableHeaders adds the headers that an entry gives as names of variables. A
// server whose token is missing is not contacted, since it would refuse.
func (ex *expansion) variableHeaders(headers map[string]string) map[string]string {
	e := ex.e
	if len(e.EnvHeaders) == 0 && e.TokenVariable == "" {
		return headers
	}
	all := maps.Clone(headers)
	if all == nil {
		all = make(map[string]string)
	}
	for _, name := range slices.Sorted(maps.Keys(e.EnvHeaders)) {
		value, _ := ex.getenv(e.EnvHeaders[name])
		if strings.TrimSpace(value) == "" {
			ex.unresolved = true
			ex.warn("headers.%s: the variable %s is not set, so the header is left out", shownName(name), shownVariableName(e.EnvHeaders[name]))
			continue
		}
		ex.secret(value)
		setHeader(all, name, value)
	}
	if e.TokenVariable != "" {
		token, _ := ex.getenv(e.TokenVariable)
		if token == "" {
			ex.unresolved = true
			ex.fail(fmt.Errorf("headers.Authorization: the variable %s is not set", shownVariableName(e.TokenVariable)))
			return all
		}
		ex.secret(token)
		setHeader(all, "Authorization", "Bearer "+token)
	}
	return all
}

// setHeader sets a header, whose name has no case.
func setHeader(headers map[string]string, name, value string) {
	maps.DeleteFunc(headers, func(other, _ string) bool { return strings.EqualFold(other, name) })
	headers[name] = value
}
