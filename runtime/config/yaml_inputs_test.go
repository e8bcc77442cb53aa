package config

import (
	"slices"
	"strings"
)

// goodYAML is goodServers as Goose has it.
const goodYAML = `
  good:
    type: stdio
    cmd: good-server
    args: [--port, "1"]
    envs:
      A: b
  remote:
    type: streamable_http
    uri: https://example.com/mcp
    headers:
      X-A: b`

// oddYAML are oddInputs, and what is odd in YAML alone.
func oddYAML(wrap func(servers string) string) []oddInput {
	beside := func(entry string) string { return wrap("\n  bad: " + entry + "\n  good: {cmd: good-server}") }
	good := wrap(goodYAML)
	return append(
		slices.Concat([]oddInput{
			{"valid", good},
			{"comments", "# first\n" + strings.Replace(good, "cmd: good-server", "cmd: good-server # here", 1) + "# last, without a line break"},
			{"trailing comma", wrap(` {good: {cmd: good-server, args: [a,],},}`)},
		}, encoded(good), []oddInput{
			{"null", "null"},
			{"array", "- a"},
			{"servers are an array", wrap(" []")},
			{"servers are null", wrap("")},
			{"entry is a string", beside("npx")},
			{"entry is null", beside("")},
			{"args is a string", beside("{cmd: c, args: x}")},
			{"args holds a number", beside("{cmd: c, args: [a, 1]}")},
			{"env is an array", beside("{cmd: c, envs: []}")},
			{"env holds an object", beside("{cmd: c, envs: {A: {}}}")},
			{"headers is a string", beside("{uri: 'https://example.com', headers: x}")},
			{"numbers and booleans in env", beside("{cmd: c, envs: {N: 1.50, B: true, H: 0x1F, O: 0o7, X: 010, E: 1e3, U: 1_000, I: .inf, D: 2024-01-02}}")},
			{"command is a number", beside("{cmd: 1}")},
			{"booleans as strings", beside(`{cmd: c, enabled: "true"}`)},
			{"enabled is a word", beside("{cmd: c, enabled: yes}")},
			{"type is a number", beside("{type: 1, cmd: c}")},
			{"unknown keys", beside("{cmd: c, comand: d, zzz: 1}")},
			{"repeated keys", wrap("\n  good: {cmd: lost}\n  good: {cmd: lost, cmd: good-server, envs: {A: '1', A: '2'}}")},
			{"half written", good[:len(good)/2]},
			{"half a flow", wrap(" {good: {cmd: good-server")},
			{"single quotes", strings.ReplaceAll(good, `"`, `'`)},
			{"line break in a string", wrap("\n  good:\n    cmd: \"good\n      server\"")},
			{"comma missing", wrap(` {good: {cmd: good-server args: [a]}}`)},
			{"nested too deep", wrap(" " + strings.Repeat("[", 100_000))},
			{"strange names", wrap("\n  \"\": {cmd: good-server}\n  a/b~c: {args: 1}\n  \"\\0\": {cmd: nul}")},
		}),
		yamlAlone(wrap)...)
}

func yamlAlone(wrap func(servers string) string) []oddInput {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		last, next := string(rune('0'+i)), string(rune('1'+i))
		bomb.WriteString("a" + next + ": &a" + next + " [" + strings.Repeat("*a"+last+", ", 9) + "*a" + last + "]\n")
	}
	return []oddInput{
		{"a tab for indentation", wrap("\n\tgood: {cmd: good-server}")},
		{"indented otherwise", wrap("\n  good:\n    cmd: good-server\n   args: [a]")},
		{"a quote without its end", wrap("\n  good:\n    cmd: \"good-server")},
		{"a colon too many", wrap("\n  good:\n    cmd: good: server")},
		{"blocks of text", wrap("\n  good:\n    cmd: >-\n      good-server\n    args:\n      - |\n        one\n        two")},
		{"anchors and aliases", wrap("\n  good: &a {cmd: good-server, envs: &e {A: b}}\n  again: {cmd: again, envs: *e}\n  same: *a")},
		{"merge keys", "base: &b {cmd: good-server, timeout: 5}\n" + wrap("\n  good: {<<: *b, args: [a]}\n  other: {<<: *b, cmd: other-server}")},
		{"an alias of nothing", wrap("\n  good: {cmd: *nothing}")},
		{"an alias of what it is in", wrap("\n  good: &a {cmd: good-server, envs: {A: *a}}")},
		{"aliases of aliases", bomb.String() + wrap("\n  good: {cmd: good-server, args: *a9}")},
		{"tags", wrap("\n  good: !server {cmd: !!str 1, args: [!secret x], envs: {A: !!int '1'}}")},
		{"names that are no strings", wrap("\n  1: {cmd: one}\n  true: {cmd: yes-server}\n  null: {cmd: null-server}\n  [a]: {cmd: c}")},
		{"two documents", wrap("\n  good: {cmd: good-server}") + "---\nextensions: {}\n"},
		{"a document's marks", "---\n" + wrap("\n  good: {cmd: good-server}") + "...\n"},
		{"timeouts", wrap("\n  a: {cmd: a, timeout: .inf}\n  b: {cmd: b, timeout: -1}\n  c: {cmd: c, timeout: '60'}\n  d: {cmd: d, timeout: ~}\n  e: {cmd: e, timeout: 0x10}")},
	}
}
