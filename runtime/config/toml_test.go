package config

import "testing"

func tomlValues() []languageCase {
	return []languageCase{
		{"", `{}`},
		{" \t\r\n# nothing else", `{}`},
		{"a = 1 # b = 2\r\nc = 3", `{"a":1,"c":3}`},
		{"a = 0\nb = -0\nc = +7\nd = 1_000\ne = -9223372036854775808", `{"a":0,"b":0,"c":7,"d":1000,"e":-9223372036854775808}`},
		{"a = 0x10\nb = 0xdead_BEEF\nc = 0o14\nd = 0b11", `{"a":16,"b":3735928559,"c":12,"d":3}`},
		{"a = 1.5\nb = -0.0\nc = +1e5\nd = 2E-06\ne = 1_0.2_5e+1_0", `{"a":1.5,"b":-0.0,"c":1e5,"d":2E-06,"e":10.25e+10}`},
		{"a = inf\nb = -inf\nc = +inf\nd = nan\ne = -nan", `{"a":"inf","b":"-inf","c":"inf","d":"nan","e":"-nan"}`},
		{"a = true\nb = false", `{"a":true,"b":false}`},
		{"a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.25-07:00", `{"a":"1979-05-27T07:32:00Z","b":"1979-05-27 07:32:00.25-07:00"}`},
		{"a = 1979-05-27T07:32:00\nb = 1979-05-27\nc = 07:32:00.5\nd = 07:32", `{"a":"1979-05-27T07:32:00","b":"1979-05-27","c":"07:32:00.5","d":"07:32"}`},
		{`a = "b\n\t\"\\\u00e9\U0001F600\e\x41"`, `{"a":"b\n\t\"\\é😀\u001bA"}`},
		{`a = 'C:\new'`, `{"a":"C:\\new"}`},
		{"a = \"\"\"\nb \\\n   c\n\"d\"\"\"\"", `{"a":"b c\n\"d\""}`},
		{"a = '''\nb\\\n'c''''", `{"a":"b\\\n'c'"}`},
		{"a = [1, [ 'b', ], {c = 2}, # d\n]", `{"a":[1,["b"],{"c":2}]}`},
		{"a = { b.c = 1, b.d = {}, # e\n 'f g' = [] , }", `{"a":{"b":{"c":1,"d":{}},"f g":[]}}`},
		{"a.b.c = 1\na . \"b\" . d = 2\na.e = 3", `{"a":{"b":{"c":1,"d":2},"e":3}}`},
		{"1.2 = 3\n'' = 4\n\"a.b\" = 5", `{"1":{"2":3},"":4,"a.b":5}`},
		{"[ a . b ]\nc = 1\n[a]\nd = 2\n[a.b.e]", `{"a":{"b":{"c":1,"e":{}},"d":2}}`},
		{"[[a]]\nb = 1\n[[a.c]]\n[[a.c]]\nd = 2\n[a.e]\n[[a]]\n[a.e]\nf = 3", `{"a":[{"b":1,"c":[{},{"d":2}],"e":{}},{"e":{"f":3}}]}`},
		{"[a]\nb.c = 1\n[a.b.d]\ne = 2\n[f]", `{"a":{"b":{"c":1,"d":{"e":2}}},"f":{}}`},
		{"[mcp_servers.fs]\ncommand = \"npx\"\n[mcp_servers.fs.env]\nA = \"b\"", `{"mcp_servers":{"fs":{"command":"npx","env":{"A":"b"}}}}`},
	}
}

func TestTOMLValues(t *testing.T) {
	checkLanguage(t, parseTOML, tomlValues())
}

func tomlErrors() []languageCase {
	return []languageCase{
		// A name is given once.
		{"a = 1\na = 2", `2:1 this key is defined already: keep one of the two`},
		{"a = {b = 1,\n b = 2}", `2:2 this key is defined already: keep one of the two`},
		{"a = {b.c = 1, b = 2}", `1:15 this key is defined already: keep one of the two`},
		{"a = 1\na.b = 2", `2:1 this key is defined already: keep one of the two`},
		{"a.b = 1\na = 2", `2:1 this key is defined already: keep one of the two`},
		{"a = {b = 1}\na.c = 2", `2:1 this key is defined already: keep one of the two`},
		{"[a.b.c]\n[a]\nb.d = 1", `3:1 this key is defined already: keep one of the two`},
		{"[[a.b]]\n[a]\nb.c = 1", `3:1 this key is defined already: keep one of the two`},
		{"[a]\n[b]\n[a]", `3:2 this name is defined already: keep one of the two, or put both under one header`},
		{"[a]\nb = 1\n[a.b]", `3:4 this name is defined already: keep one of the two, or put both under one header`},
		{"[a]\nb.c = 1\n[a.b]", `3:4 this name is defined already: keep one of the two, or put both under one header`},
		{"[a]\nb = 1\n[a.b.c]", `3:4 no table can be added to this name: it has a value already`},
		{"a = {}\n[a.b]", `2:2 no table can be added to this name: it has a value already`},
		{"a = [{}]\n[a.b]", `2:2 no table can be added to this name: it has a value already`},
		{"[[a]]\n[a]", `2:2 this name is an array of tables: add to it by a header in double brackets`},
		{"[a]\n[[a]]", `2:3 this name is defined already, and not by headers in double brackets`},
		{"[a.b]\n[[a]]", `2:3 this name is defined already, and not by headers in double brackets`},
		{"a = []\n[[a]]", `2:3 this name is defined already, and not by headers in double brackets`},
		// Values that JSON has no room for, or TOML has not.
		{"a = 9223372036854775808", `1:5 an integer of more than 64 bits: put it in quotes`},
		{"a = 0x10000000000000000", `1:5 an integer of more than 64 bits: put it in quotes`},
		{"a = 1979-13-01", `1:5 not a date or time: put a string in quotes`},
		{"a = 1979-01-01 1:00:00", `1:5 not a date or time: put a string in quotes`},
		{"a = 25:00:00", `1:5 not a date or time: put a string in quotes`},
		{"a = 01", `1:5 not a number: put a string in quotes`},
		{"a = 1__0", `1:6 not a number: put a string in quotes`},
		{"a = 1.", `1:6 not a number: put a string in quotes`},
		{"a = +0x1", `1:5 not a number: put a string in quotes`},
		{"a = 20s", `1:7 expected a value: put a string in quotes`},
		{"a = npx", `1:5 expected a value: put a string in quotes`},
		{"a = True", `1:5 expected a value: put a string in quotes`},
		{"a = trap", `1:5 expected a value: put a string in quotes`},
		{"a = -x", `1:6 not a number: put a string in quotes`},
		{"a = -inx", `1:6 expected a value: put a string in quotes`},
		// Where a text stops to be TOML.
		{"a", `1:1 expected = after the key`},
		{"a 1", `1:3 expected = after the key`},
		{"a =", `1:3 the file ends in the middle of a value`},
		{"a = 1 b = 2", `1:7 something follows the value: write one key a line`},
		{"= 1", `1:1 expected a key: letters, digits, _ and -, or a string in quotes`},
		{"é = 1", `1:1 expected a key: letters, digits, _ and -, or a string in quotes`},
		{"a. = 1", `1:4 expected a key: letters, digits, _ and -, or a string in quotes`},
		{"[]", `1:2 expected a key: letters, digits, _ and -, or a string in quotes`},
		{"[a\nb = 1", `1:3 a table header that is not closed: expected ] or ]]`},
		{"[[a]\nb = 1", `1:4 a table header that is not closed: expected ] or ]]`},
		{"a = [1,\n 2", `2:2 the file ends in the middle of a value (the array that begins in line 1 is not closed before this)`},
		{"a = [[], [\n1,\n[t]\nb = 1", `3:2 expected a value: put a string in quotes (the array that begins in line 1 is not closed before this)`},
		{"a = [ # ]\n']', \"\\\"]\",\nb = 1", `3:1 expected a value: put a string in quotes (the array that begins in line 1 is not closed before this)`},
		{"a = [\"\"\"]\"\"\"\"\", ''']\n]''', {}\n\n b", `4:2 expected a comma or a closing bracket after the value (the array that begins in line 1 is not closed before this)`},
		{"[t]\na = {b = 1,\nc}", `3:2 expected = after the key (the table that begins in line 2 is not closed before this)`},
		{"a = \"\"\"\nb = 1\n", `2:6 the file ends in the middle of a value (the string that begins in line 1 is not closed before this)`},
		{"a = [1 2]", `1:8 expected a comma or a closing bracket after the value`},
		{"a = {b = 1 c = 2}", `1:12 expected a comma or a closing brace after the value`},
		{"a = {b = 1,, }", `1:12 a comma with no value before it`},
		{"a = [,]", `1:6 expected a value: put a string in quotes`},
		{"a = \"b\nc\"", `1:7 a string that does not end on its line: close it, or write three quotes at both ends`},
		{"a = 'b\nc'", `1:7 a string that does not end on its line: close it, or write three quotes at both ends`},
		{"a = \"b", `1:6 the file ends in the middle of a value`},
		{"a = '''b", `1:8 the file ends in the middle of a value`},
		{"a = '''b''''''", `1:9 too many quotes: a string of several lines ends with three`},
		{`a = "C:\new\q"`, `1:12 an escape that TOML has not: use single quotes, in which a backslash is only that, or write \\`},
		{`a = "\ud800"`, `1:6 an escape that TOML has not: use single quotes, in which a backslash is only that, or write \\`},
		{`a = "\xg0"`, `1:8 an escape that TOML has not: use single quotes, in which a backslash is only that, or write \\`},
		{"a = 'b\x00'", `1:7 a control character or a lone carriage return: in a string write it as an escape`},
		{"# a\rb", `1:4 a control character or a lone carriage return: in a string write it as an escape`},
	}
}

func TestTOMLErrorsSayWhatToDo(t *testing.T) {
	checkLanguage(t, parseTOML, tomlErrors())
}

// A value stands where it begins, a table where its name is first written.
func TestTOMLPlaces(t *testing.T) {
	checkPlaces(t, parseTOML, `'é'.a = 'é' # x
b = [ 'é', [ 1, # , ]
  [ ] , ], {c . d = {e=1}} , -1 ]
[ f . "g" ]
h=  """
i"""
[f]
[[j]]
  [j.k]
[[j]]
l = 1979-05-27 07:32:00
`, `
1:1 ""
1:1 "/é"
1:10 "/é/a"
2:5 "/b"
2:7 "/b/0"
2:13 "/b/1"
2:15 "/b/1/0"
3:3 "/b/1/1"
3:12 "/b/2"
3:13 "/b/2/c"
3:21 "/b/2/c/d"
3:24 "/b/2/c/d/e"
3:30 "/b/3"
4:3 "/f"
4:7 "/f/g"
5:5 "/f/g/h"
8:3 "/j"
8:3 "/j/0"
9:6 "/j/0/k"
10:3 "/j/1"
11:5 "/j/1/l"
`)
}
