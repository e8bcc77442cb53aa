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
