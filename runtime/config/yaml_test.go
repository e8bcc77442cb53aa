package config

import "testing"

func yamlValues() []languageCase {
	return []languageCase{
		// A file without a value configures nothing.
		{"", `{}`},
		{" \n# nothing else", `{}`},
		{"---\n", `{}`},
		{"%YAML 1.2\n---\n# a\n...\n", `{}`},
		{"null", `null`},
		{"~", `null`},
		{"''", `""`},
		{"a: 1\n...\n# b\n", `{"a":1}`},
		// Plain scalars.
		{"a: true\nb: True\nc: TRUE\nd: false", `{"a":true,"b":true,"c":true,"d":false}`},
		{"a: yes\nb: on\nc: Off\nd: n\ne: tRue", `{"a":"yes","b":"on","c":"Off","d":"n","e":"tRue"}`},
		{"a:\nb: ~\nc: null\nd: NULL\ne: nULL", `{"a":null,"b":null,"c":null,"d":null,"e":"nULL"}`},
		{"a: 0\nb: -1\nc: +1\nd: 0x1F\ne: 0o14\nf: 0b11\ng: -0x1", `{"a":0,"b":-1,"c":1,"d":31,"e":12,"f":3,"g":-1}`},
		{"a: .5\nb: 1.\nc: 1e3\nd: -0.5E-6\ne: 18446744073709551616", `{"a":0.5,"b":1,"c":1e3,"d":-0.5E-6,"e":18446744073709551616}`},
		{"a: 1_000\nb: 0123\nc: 1e400\nd: 0x\ne: 12:30\nf: 1.2.3\ng: .", `{"a":"1_000","b":"0123","c":"1e400","d":"0x","e":"12:30","f":"1.2.3","g":"."}`},
		{"a: .inf\nb: -.Inf\nc: .NaN\nd: 2001-12-14\ne: 2001-12-14t21:59:43.10-05:00", `{"a":".inf","b":"-.Inf","c":".NaN","d":"2001-12-14","e":"2001-12-14t21:59:43.10-05:00"}`},
		{"a: b c\n  d\n\n  e #f\ng: h#i", `{"a":"b c d\ne","g":"h#i"}`},
		// Quoted ones and blocks.
		{`{a: "1\n\x41\u00e9\U0001F600\
   b", c: 'it''s', d: "true"}`, `{"a":"1\nAé😀b","c":"it's","d":"true"}`},
		{"a: |\n  b\n   c\nd: >-\n  e\n  f\ng: |+\n  1\n\n", `{"a":"b\n c\n","d":"e f","g":"1\n\n"}`},
		// Lists and mappings.
		{"a:\n- b\n-  - c\n   - d: e\n     f: g\n- {h: [i, j,], }\n-\n", `{"a":["b",["c",{"d":"e","f":"g"}],{"h":["i","j"]},null]}`},
		{"? a\n: b\n? c\n", `{"a":"b","c":null}`},
		{"[a: 1, {\"b\":2, c}]", `[{"a":1},{"b":2,"c":null}]`},
		{"1: a\ntrue: b\n~: c\n1.50: d\n: e", `{"1":"a","true":"b","~":"c","1.50":"d","":"e"}`},
		{"a: 1\nb: {c: 2, c: 3}\na: 4", `{"a":4,"b":{"c":3}} /a again /b/c again`},
		// Tags.
		{"a: !!str 1\nb: ! 2\nc: !!int '3'\nd: !!float 4\ne: !!bool \"true\"\nf: !!null ''", `{"a":"1","b":"2","c":3,"d":4,"e":true,"f":null}`},
		{"a: !b 1\nc: !b '2'\nd: !b {e: 3}\nf: !<tag:yaml.org,2002:str> 4\ng: !!binary aGk=\nh: !!set {i}", `{"a":1,"c":"2","d":{"e":3},"f":"4","g":"aGk=","h":{"i":null}}`},
		// Aliases and merge keys.
		{"a: &x {b: 1}\nc: [*x, *x]\nd: &y z\n*y : *y", `{"a":{"b":1},"c":[{"b":1},{"b":1}],"d":"z","z":"z"}`},
		{"a: &x 1\nb: &x 2\nc: *x", `{"a":1,"b":2,"c":2}`},
		{"a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n  e: 4", `{"a":{"b":1,"c":2},"d":{"c":3,"e":4,"b":1}}`},
		{"a: &x {b: 1}\nc: &y [*x, {b: 2, d: 3}]\ne: {<<: *y}\nf: {<<: [{d: 4}, *x], <<: {b: 5, g: 6}}", `{"a":{"b":1},"c":[{"b":1},{"b":2,"d":3}],"e":{"b":1,"d":3},"f":{"d":4,"b":1,"g":6}}`},
		{"a: &x {b: 1}\nc: &y {<<: *x, d: 2}\ne: {<<: *y}", `{"a":{"b":1},"c":{"d":2,"b":1},"e":{"d":2,"b":1}}`},
		{"{a:, b, \"c:d\", 'e:f': , g:h: i}", `{"a":null,"b":null,"c:d":null,"e:f":null,"g:h":"i"}`},
		{"'<<': 1\na: <<\nb: {!!str <<: 2}", `{"<<":1,"a":"<<","b":{"<<":2}}`},
		{"extensions:\n  fetch:\n    cmd: uvx\n    args: [mcp-server-fetch]\n    enabled: true", `{"extensions":{"fetch":{"cmd":"uvx","args":["mcp-server-fetch"],"enabled":true}}}`},
	}
}

func TestYAMLValues(t *testing.T) {
	checkLanguage(t, parseYAML, yamlValues())
}

func yamlErrors() []languageCase {
	return []languageCase{
		{"a: 1\n---\nb: 2\n", `2:1 a second document: only one is read, so leave out the --- before it`},
		{"---\n---\n", `2:1 a second document: only one is read, so leave out the --- before it`},
		{"? [a]\n: b", `1:3 a key that is a list or a mapping: write a word, or quote it`},
		{"{{a: b}: c}", `1:2 a key that is a list or a mapping: write a word, or quote it`},
		{"a: {TOKEN:hunter2, b: c}", `1:5 a key without a value: write a colon and a space between the two`},
		{"a: {b: c, TOKEN=hunter2}", `1:11 a key without a value: write a colon and a space between the two`},
		{"a: &x [b]\n*x : c", `2:1 a key that is a list or a mapping: write a word, or quote it`},
		{"a: &x [b]\nc: {<<: *x}", `1:8 a merge key (<<) needs a mapping, or a list of mappings`},
		{"a:\n  <<: b", `2:7 a merge key (<<) needs a mapping, or a list of mappings`},
		{"a: {<<: [{b: 1}, c]}", `1:18 a merge key (<<) needs a mapping, or a list of mappings`},
		{"a: &x [*x]", `1:8 this alias stands for a value that it is a part of`},
		{"a: &x {<<: *x}", `1:12 this alias stands for a value that it is a part of`},
		{"a: *x", `1:4 an alias (*) of an anchor (&) that is not above it: put a value that begins with * or & in quotes`},
		{"a: **/*.go", `1:4 an alias (*) of an anchor (&) that is not above it: put a value that begins with * or & in quotes`},
		{"a: !!int b", `1:4 a tag that its value does not fit: leave out the tag`},
		{"a: !!bool yes", `1:4 a tag that its value does not fit: leave out the tag`},
		{"a: !b!c d", `1:4 not a valid tag: put a value that begins with ! in quotes`},
		{"a: b: c", `1:5 a colon that no key can be before: put the value in quotes, or check the indentation`},
		{"a: 1\n  b: 2", `2:4 a colon that no key can be before: put the value in quotes, or check the indentation`},
		{"a:\n  b: 1\n c: 2", `3:2 expected a key: the keys of one mapping begin in the same column`},
		{"a:\n\tb: 1", "2:1 a tab, or one of % @ `, where a value should begin: indent with spaces, and put such a value in quotes"},
		{"a:\n  b: 1\n\tc: 2", "3:1 a tab, or one of % @ `, where a value should begin: indent with spaces, and put such a value in quotes"},
		{"a: @b", "1:4 a tab, or one of % @ `, where a value should begin: indent with spaces, and put such a value in quotes"},
		{"a: `b`", "1:4 a tab, or one of % @ `, where a value should begin: indent with spaces, and put such a value in quotes"},
		{"a: %b", "1:4 a tab, or one of % @ `, where a value should begin: indent with spaces, and put such a value in quotes"},
		{"a\nb: c", `2:2 a colon that no key can be before: put the value in quotes, or check the indentation`},
		{"a: 1\nb\nc: 2", `2:1 a line that is no key with a colon: expected "key: value"`},
		{"a: - b", `1:4 a list item where none can be: write it on its own line`},
		{"- a\nb: c", `2:1 expected a list item: the items of one list begin in the same column`},
		{"é: \"b\nc: d", `1:5 a quote that is not closed`},
		{"a: 'b\n---\n", `1:4 a quote that is not closed`},
		{"a: 'b' c", `1:8 expected a key: the keys of one mapping begin in the same column`},
		{"a: 'b'#c", `1:7 a # right behind a value: put a space before it, or the value in quotes`},
		{`a: "C:\q"`, `1:7 an escape that YAML has not: use single quotes, or write \\`},
		{`a: "\xg"`, `1:7 an escape that YAML has not: use single quotes, or write \\`},
		{`a: "\ud800"`, `1:7 an escape that YAML has not: use single quotes, or write \\`},
		{"a: [b, c\nd: e", `2:2 expected a comma or a closing bracket after the value`},
		{"a: {b: c\nd: e", `2:2 expected a comma or a closing brace after the value`},
		{"a: [b", `1:6 expected a comma or a closing bracket after the value`},
		{"a: [b}", `1:6 expected a comma or a closing bracket after the value`},
		{"a: b}\n}", `2:1 expected a key: the keys of one mapping begin in the same column`},
		{"[a]]", `1:4 something follows the end of the value: check its quotes, and the indentation of this line`},
		{"a: |b\n c", `1:5 something follows the end of the value: check its quotes, and the indentation of this line`},
		{"a: &\n", `1:5 an alias (*) of an anchor (&) that is not above it: put a value that begins with * or & in quotes`},
		{"\x01", `1:1 a control character: write it as an escape in double quotes`},
		{"a: é\x02", `1:6 a control character: write it as an escape in double quotes`},
		{"%FOO", `1:5 a directive (%) that cannot be read: leave the line out`},
		{"%YAML 2.0\n---\na: 1", `1:1 a version of YAML that cannot be read: leave the line out`},
		{"%TAG !a! b\n%TAG !a! c\n---\nd: 1", `2:1 a directive (%) that cannot be read: leave the line out`},
		{"a: x\ry: \x02", `1:9 a control character: write it as an escape in double quotes`},
	}
}

func TestYAMLErrorsSayWhatToDo(t *testing.T) {
	checkLanguage(t, parseYAML, yamlErrors())
}

// A value stands where it begins, with its anchor and tag; what an alias stands
// for, where the alias is; what is merged, where it is written. The library's
// columns are characters, and some of its line breaks are none to an editor.
func TestYAMLPlaces(t *testing.T) {
	checkPlaces(t, parseYAML, ""+
		"# é\né: é\na: \"a\u2028 b\"\nb:  'é'\nc: [é, {é: &x {d: 1}}, *x]\r\n"+
		"e:\n  f: |\n    g\u0085    h\n  <<: *x\ni:\nj: !!str\n  k\nl:\n- m\r- - n\n", `
2:1 ""
2:5 "/é"
3:4 "/a"
4:5 "/b"
5:4 "/c"
5:5 "/c/0"
5:9 "/c/1"
5:14 "/c/1/é"
5:21 "/c/1/é/d"
5:26 "/c/2"
5:21 "/c/2/d"
7:3 "/e"
7:6 "/e/f"
5:21 "/e/d"
10:3 "/i"
11:4 "/j"
14:1 "/l"
14:3 "/l/0"
14:7 "/l/1"
14:9 "/l/1/0"
`)
}
