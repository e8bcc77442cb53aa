package config

// oddJSON5 are oddInputs and what is odd, or not, in JSON5 alone.
func oddJSON5(wrap func(servers string) string) []oddInput {
	return append(
		oddInputs(wrap),
		oddInput{"names without quotes", wrap(`{good: {command: 'good-server', $a_1: 1, null: 2, ünï: 3}}`)},
		oddInput{"a string over two lines", wrap("{good: {command: 'good-\\\nserver', args: ['a\\\r\nb']}}")},
		oddInput{"escapes", wrap(`{good: {command: '\x67ood-server', args: ['\u0041', "it's", 'say "x"', '\'\v\0']}}`)},
		oddInput{"numbers", wrap(`{good: {command: 'good-server', env: {H: 0xFF, P: +1, D: .5, E: 5., M: -0x1, X: 1e3}}}`)},
		oddInput{"numbers that JSON has not", wrap(`{good: {command: 'good-server', env: {I: Infinity, M: -Infinity, N: NaN}}}`)},
		oddInput{"white space", wrap("\u00a0{\vgood\u2003:\u2028{\fcommand: 'good-server'}}")},
		oddInput{"a name that is none", wrap(`{good-server: {command: 'x'}}`)},
		oddInput{"a name that is a number", wrap(`{1: {command: 'x'}}`)},
		oddInput{"a bad escape", wrap(`{good: {command: '\x6'}}`)},
		oddInput{"a word", wrap(`{good: {command: good}}`)},
		oddInput{"an octal number", wrap(`{good: {command: 'good-server', env: {O: 010}}}`)},
		oddInput{"two commas", wrap(`{good: {command: 'good-server',,}}`)},
		oddInput{"a comment without an end", wrap(`{good: {command: 'good-server'}}`) + "/* "},
		oddInput{"something after the end", wrap(`{good: {command: 'good-server'}}`) + "}"},
	)
}
