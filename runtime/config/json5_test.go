package config

import "testing"

func json5Values() []languageCase {
	return []languageCase{
		{`{}`, `{}`},
		{`[]`, `[]`},
		{`1`, `1`},
		{"\ufeff \t\v\f\u00a0\u2003\r\n\u2028\u2029{ // a\r/* b */ }//", `{}`},
		{"{a: 1, // b\u2028c: 2, /* * / */ 'd': 3, \"e\": 4,}", `{"a":1,"c":2,"d":3,"e":4}`},
		{`{$a_1: null, été: true, ユーザ: false, \u0061\u0062: 1, a` + "\u200d" + `b: 2, if: 3, Ⅷ: 4}`, `{"$a_1":null,"été":true,"ユーザ":false,"ab":1,"a` + "\u200d" + `b":2,"if":3,"Ⅷ":4}`},
		{`[0, -1, +2, .5, -.5, 5., 1.50, 1e3, 1.E-3, 0.0]`, `[0,-1,2,0.5,-0.5,5,1.50,1e3,1E-3,0.0]`},
		{`[0x1F, 0XaBc, -0x1, +0xffffffffffffffff]`, `[31,2748,-1,18446744073709551615]`},
		{`[Infinity, +Infinity, -Infinity, NaN, -NaN, 1e400]`, `["Infinity","Infinity","-Infinity","NaN","NaN",1e400]`},
		{`['a"b', "a'b", 'it\'s', '\b\f\n\r\t\v\0\\\/\q\"']`, `["a\"b","a'b","it's","\b\f\n\r\t\u000b\u0000\\/q\""]`},
		{`['\x41\u00e9', '\ud83d\ude00', '\ud800', '\ud800\u0041', '\udc00\ud83d\ude00']`, `["Aé","😀","` + "\ufffd" + `","` + "\ufffd" + `A","` + "\ufffd" + `😀"]`},
		{"['a\\\nb\\\r\nc\\\rd\\\u2028e', 'f\u2028\u2029g\tأ']", `["abcde","f` + "\u2028\u2029" + `g\tأ"]`},
		{`{a: 1, b: {c: 2, c: 3}, 'a': 4}`, `{"a":4,"b":{"c":3}} /a again /b/c again`},
		{"{mcpServers: {\n  // files\n  fs: {command: 'npx', args: ['-y', 'fs',], env: {A: ''}},\n}}", `{"mcpServers":{"fs":{"command":"npx","args":["-y","fs"],"env":{"A":""}}}}`},
	}
}

func TestJSON5Values(t *testing.T) {
	checkLanguage(t, parseJSON5, json5Values())
}

func json5Errors() []languageCase {
	return []languageCase{
		{"", `0:0 the file is empty: expected an object`},
		{" \n", `0:0 the file is empty: expected an object`},
		{"// a", `1:5 the file ends in the middle of a value`},
		{"{", `1:2 the file ends in the middle of a value`},
		{"{a", `1:3 the file ends in the middle of a value`},
		{"{a:", `1:4 the file ends in the middle of a value`},
		{"{a: 1", `1:6 the file ends in the middle of a value`},
		{"[1,", `1:4 the file ends in the middle of a value`},
		{"{a: 'b", `1:7 the file ends in the middle of a value`},
		{`{a: 'b\`, `1:8 the file ends in the middle of a value`},
		{"/* a", `1:1 a comment that does not end: expected */`},
		{"{é: 1 a: 2}", `1:8 expected a comma or a closing brace after the value`},
		{"[1 2]", `1:4 expected a comma or a closing bracket after the value`},
		{"{a: [1}", `1:7 expected a comma or a closing bracket after the value`},
		{"{a 1}", `1:4 expected a colon after the key`},
		{"{1: 2}", `1:2 expected a key: a word, or a string in quotes`},
		{"{a-b: 1}", `1:3 expected a colon after the key`},
		{"{: 1}", `1:2 expected a key: a word, or a string in quotes`},
		{"{,}", `1:2 expected a key: a word, or a string in quotes`},
		{`{\u0020: 1}`, `1:2 not a letter: put the key in quotes`},
		{`{a\u002d: 1}`, `1:3 not a letter: put the key in quotes`},
		{`{\x41: 1}`, `1:3 expected \u and four digits: put the key in quotes`},
		{`{\u00: 1}`, `1:4 expected 4 hexadecimal digits: write a backslash itself as \\`},
		{"[,]", `1:2 expected a value: put a string in quotes`},
		{"[1,,2]", `1:4 expected a value: put a string in quotes`},
		{"{a: npx}", `1:5 expected a value: put a string in quotes`},
		{"{a: True}", `1:5 expected a value: put a string in quotes`},
		{"{a: 1x}", `1:5 expected a value: put a string in quotes`},
		{"{a: 1.2.3}", `1:5 expected a value: put a string in quotes`},
		{"{a: --1}", `1:5 expected a value: put a string in quotes`},
		{"{a: +}", `1:5 expected a value: put a string in quotes`},
		{"{a: .}", `1:5 expected a value: put a string in quotes`},
		{"{a: 1e}", `1:5 expected a value: put a string in quotes`},
		{"{a: 1_000}", `1:5 expected a value: put a string in quotes`},
		{"{a: 010}", `1:5 a number cannot begin with 0: put it in quotes, or leave the 0 out`},
		{"{a: 0x}", `1:5 not a hexadecimal number of up to 64 bits: put a string in quotes`},
		{"{a: 0x10000000000000000}", `1:5 not a hexadecimal number of up to 64 bits: put a string in quotes`},
		{"{a: 0b1}", `1:5 expected a value: put a string in quotes`},
		{"{\n a: 'b\n'}", `2:5 a string that does not end on its line: check its quotes and backslashes`},
		{`{a: '\1'}`, `1:6 an escape that JSON5 has not: write \x or \u and digits`},
		{`{a: '\01'}`, `1:6 an escape that JSON5 has not: write \x or \u and digits`},
		{`{a: '\xg0'}`, `1:8 expected 2 hexadecimal digits: write a backslash itself as \\`},
		{`{a: 'C:\users'}`, `1:10 expected 4 hexadecimal digits: write a backslash itself as \\`},
		{"{} {}", `1:4 something follows the end of the value: check the brackets and braces before it`},
		{"{a: 1}}", `1:7 something follows the end of the value: check the brackets and braces before it`},
		{"{a: /b/}", `1:5 expected a value: put a string in quotes`},
		{"\x00", `1:1 expected a value: put a string in quotes`},
	}
}

func TestJSON5ErrorsSayWhatToDo(t *testing.T) {
	checkLanguage(t, parseJSON5, json5Errors())
}

// A value stands where it begins.
func TestJSON5Places(t *testing.T) {
	checkPlaces(t, parseJSON5, "// é\n { é : 'é', \"b\": [ -1,\r\n\t{}, // c\u2028 null,\n/* \n */ Infinity ] }", `
2:2 ""
2:9 "/é"
2:20 "/b"
2:22 "/b/0"
3:2 "/b/1"
3:14 "/b/2"
5:5 "/b/3"
`)
}
