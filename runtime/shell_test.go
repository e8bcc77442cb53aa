package runtime

import "testing"

func TestANameInAHintIsOneArgumentOfAShell(t *testing.T) {
	for name, want := range map[string]string{
		"fs":              "fs",
		"über.fs-1_x":     "über.fs-1_x",
		"":                "''",
		"a b":             "'a b'",
		"$(touch x)`y`":   "'$(touch x)`y`'",
		`it's "so" \d`:    `'it'\''s "so" \d'`,
		"--all":           "-- --all",
		"-x;y":            "-- '-x;y'",
		"a\nb":            "NAME",
		"a\x1b[31mb":      "NAME",
		"a\u202eb\u2028c": "NAME",
	} {
		if got := ShellArgument(name); got != want {
			t.Errorf("%q: %s; want %s", name, got, want)
		}
	}
}

func TestWhatCannotBeSeenIsShown(t *testing.T) {
	for word, want := range map[string]string{
		"echo hi # a greeting\nrm -rf ~": `$'echo hi # a greeting\nrm -rf ~'`,
		"it's\t\\n\r":                    `$'it\'s\t\\n\r'`,
		"a\x1b[31m\x00\x7f":              `$'a\x1b[31m\x00\x7f'`,
		"no\u200bde\u202e\u00ad\u00a0":   `$'no\u200bde\u202e\u00ad\u00a0'`,
		"\u3164\u2800\ufe0f\U000e0041":   `$'\u3164\u2800\ufe0f\U000e0041'`,
		"größe 読み":                       "'größe 読み'",
		"plain":                          "plain",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s; want %s", word, got, want)
		}
	}
	if got := Visible("a b: $x"); got != "a b: $x" {
		t.Errorf("what can be seen became %s", got)
	}
}
