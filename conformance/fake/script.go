package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// script is what one fake does. It does not change once parsed.
type script struct {
	name         string // of the server, in serverInfo
	transport    string // "stdio", "http" or "sse"
	era          string // "initialize", "stateless" or "both"
	versions     []string
	page         int    // tools a page; 0: all on one
	cursor       string // "", "repeat" or "empty"
	answers      string // how a POST is answered: "json" or "sse"
	stream       bool   // whether a GET opens a stream (http)
	quirks       []string
	capabilities string
	instructions string
	tools        map[string]string // key → definition, verbatim
	order        []string          // keys of tools, as written
	visible      []string          // keys of those that are listed at first
	on           map[string][]step // event → steps
}

// step is one line under an "on".
type step struct {
	verb string
	args string // the rest of the line, verbatim
}

const (
	eraInitialize = "initialize"
	eraStateless  = "stateless"
	eraBoth       = "both"

	newestStateful = "2025-11-25"
	stateless      = "2026-07-28"
)

func parseScript(name, text string) (*script, error) {
	s := &script{
		name:         name,
		transport:    "stdio",
		era:          eraInitialize,
		versions:     []string{newestStateful, "2025-06-18", "2025-03-26", "2024-11-05"},
		answers:      "json",
		stream:       true,
		capabilities: `{"tools":{"listChanged":true},"logging":{}}`,
		tools:        map[string]string{},
		on:           map[string][]step{},
	}
	event := ""
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		verb, args, _ := strings.Cut(trimmed, " ")
		args = strings.TrimSpace(args)
		var err error
		switch indented := strings.HasPrefix(line, " "); {
		case indented && event == "":
			err = fmt.Errorf("a step outside an \"on\"")
		case indented && !slices.Contains(stepVerbs(), verb):
			err = fmt.Errorf("unknown step %q", verb)
		case indented:
			s.on[event] = append(s.on[event], step{verb, args})
		case verb == "on":
			event = args
			s.on[event] = []step{}
		default:
			event = ""
			err = s.set(verb, args)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return s, nil
}

// set takes one line that is not about an event.
func (s *script) set(key, value string) error {
	var err error
	switch key {
	case "serve":
		s.transport, err = oneOf(value, "stdio", "http", "sse")
	case "era":
		s.era, err = oneOf(value, eraInitialize, eraStateless, eraBoth)
	case "answers":
		s.answers, err = oneOf(value, "json", "sse")
	case "stream":
		s.stream = value != "no"
	case "versions":
		s.versions = strings.Fields(value)
	case "cursor":
		s.cursor, err = oneOf(value, "repeat", "empty")
	case "page":
		s.page, err = strconv.Atoi(value)
	case "quirk":
		if _, err = oneOf(value, "crlf", "bom", "bytewise", "paired", "invalid"); err == nil {
			s.quirks = append(s.quirks, value)
		}
	case "capabilities":
		s.capabilities = value
	case "instructions":
		s.instructions = value
	case "tool":
		s.visible = append(s.visible, s.addTool(value))
	case "spare":
		s.addTool(value)
	default:
		err = fmt.Errorf("unknown line %q", key)
	}
	return err
}

// addTool takes "KEY" or "KEY DEFINITION" and returns the key.
func (s *script) addTool(value string) string {
	key, definition, _ := strings.Cut(value, " ")
	if definition == "" {
		definition = fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, key, key)
	}
	s.tools[key] = definition
	s.order = append(s.order, key)
	return key
}

// known says whether any of the tools, listed or not, has this name.
func (s *script) known(tool string) bool {
	for key, definition := range s.tools {
		var d struct{ Name string }
		if key == tool || json.Unmarshal([]byte(definition), &d) == nil && d.Name == tool {
			return true
		}
	}
	return false
}

func oneOf(value string, allowed ...string) (string, error) {
	if !slices.Contains(allowed, value) {
		return "", fmt.Errorf("%q is none of %s", value, strings.Join(allowed, ", "))
	}
	return value, nil
}

// has says whether stdio output is written in that unusual way.
func (s *script) has(quirk string) bool { return slices.Contains(s.quirks, quirk) }

// steps finds what to do about an event: a word that says what, perhaps a
// second one that says which, and the how-manieth it is by each of the two
// names. The most specific "on" wins.
func (s *script) steps(what, which string, nthWhich, nthWhat int) ([]step, bool) {
	if which != "" {
		if steps, ok := s.numbered(what+" "+which, nthWhich); ok {
			return steps, true
		}
	}
	return s.numbered(what, nthWhat)
}

// numbered tries "event #n", then "event #m+" with the largest m up to n, then
// "event".
func (s *script) numbered(event string, n int) ([]step, bool) {
	if steps, ok := s.on[fmt.Sprintf("%s #%d", event, n)]; ok {
		return steps, true
	}
	for m := n; m > 0; m-- {
		if steps, ok := s.on[fmt.Sprintf("%s #%d+", event, m)]; ok {
			return steps, true
		}
	}
	steps, ok := s.on[event]
	return steps, ok
}
