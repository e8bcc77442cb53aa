package config

import (
	"io/fs"
	"strings"
	"testing"
)

func TestFurtherForms(t *testing.T) {
	files := map[string]string{"/conf/key": " file-text\n", "/home/u/key": "home-text", "/abs/key": "abs-text"}
	read := func(path string) ([]byte, fs.FileInfo, error) {
		text, ok := files[path]
		if !ok {
			return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil, nil
	}
	const bare = formBare | formVariable
	const shell = bare | formDefaultEmpty | formSubstitution | formUnsetEmpty
	cases := []struct {
		forms forms
		in    string
		want  string // starts with "error: " for an error
	}{
		{bare, "$SET-$SETS ${SET}x", "value-$SETS valuex"},
		{bare, "$1 $ $$SET $-", "$1 $ $value $-"},
		{bare, "$(pass show key)", "$(pass show key)"},
		{formVariable, "$SET", "$SET"},
		{formSingleBraces | formUnsetEmpty, "<{env:SET}{env:UNSET}>", "<value>"},
		{formSingleBraces, "{env:} {env:SET {other:SET}", "{env:} {env:SET {other:SET}"},
		{formSingleBraces, "{file:key}|{file:~/key}|{file:/abs/key}", "file-text|home-text|abs-text"},
		{formSingleBraces, "${env:SET}", "$value"},
		{formSingleBraces, "{file:gone}", "error: args[0]: the file gone: file does not exist"},
		{formFile, "${file:key}{file:key}", "file-text{file:key}"},
		{formEditor, "a${/}b", "a/b"},
		{shell, "<$(pass show key)>", "<from-the-command>"},
		{shell, "$(echo ')' (x))", "error: args[0]: the command failed: exit status 1"},
		{shell, "$(true", "$(true"},
		{shell, "$( true )$SET", "value"},
		{shell, "<$UNSET${UNSET}${UNSET:-d}>", "<d>"},
		{formCommand, "${cmd: pass show key}${cmd:}", "from-the-command${cmd:}"},
		{formCommand, "${cmd: false}", "error: args[0]: the command failed: exit status 1"},
		{formVariable | formEnv | formUnsetFails, "${SET}${env:SET}", "valuevalue"},
		{formVariable | formUnsetFails, "${UNSET}", "error: args[0]: the variable UNSET is not set"},
		{formVariable | formDefaultUnset | formUnsetFails, "${UNSET:-d}", "d"},
	}
	for _, c := range cases {
		e := &Entry{Name: "s", Kind: "stdio", Command: "c", Args: []string{c.in}, Path: "/conf/file", forms: c.forms, base: "/base"}
		out, err := e.expand(t.Context(), expander(), read)
		got := strings.Join(out.Args, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
		if first, again := e.Identity(expander()), e.Identity(expander()); first != again {
			t.Errorf("%q: another identity the second time", c.in)
		}
	}
}

func TestUsesNamesWhatFurtherFormsReadAndRun(t *testing.T) {
	e := &Entry{
		Command: "c", Args: []string{"$A ${B:-$C} $(run $D) {file:f} {env:E}"}, EnvFile: ".env",
		forms: formBare | formVariable | formDefaultEmpty | formSubstitution | formSingleBraces,
	}
	u := e.Uses()
	got := strings.Join(u.Variables, " ") + "|" + strings.Join(u.Commands, " ") + "|" + strings.Join(u.Files, " ")
	if want := "A B C E|run $D|.env f"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestACommandEndsWhereAShellEndsItAndSoDoesWhatIsShown(t *testing.T) {
	for text, end := range map[string]string{ // after the command
		`$(a)b`:                         "b",
		`$(a (b) $(c))d)`:               "d)",
		`$(a ")" ')' \))b`:              "b",
		`$(a "$(b ")" ')')" '\')c`:      "c",
		`$(a "(" "\")")b`:               "b",
		`$(a '"$(' )b`:                  "b",
		`$(a`:                           "",
		`$(a "b)`:                       "",
		`$(don't)`:                      "",
		`$(` + strings.Repeat(`"$(`, 9): "",
	} {
		want := strings.TrimSuffix(text, end)
		if end == "" {
			want = ""
		}
		run, shown := "", ""
		for _, p := range split(text, formSubstitution) {
			if p.kind == command {
				run += p.text
			}
		}
		for _, p := range (&mask{}).references(text) {
			if p.reference {
				shown += p.text
			}
		}
		if run != want || shown != want {
			t.Errorf("%s: %q is run and %q shown, want %q", text, run, shown, want)
		}
	}
}

// Were each of a million openings looked at to the end, this would not end. The
// pieces are the whole text.
func TestSplittingTakesTimeInProportion(t *testing.T) {
	for _, unit := range []string{"${", "$(", "{env:", "{file:", "$A", "${A:-", "$(')", "${cmd:"} {
		s := strings.Repeat(unit, (1<<20)/len(unit))
		var b strings.Builder
		for _, p := range split(s, ^forms(0)) {
			b.WriteString(p.text)
		}
		if b.String() != s {
			t.Errorf("%s: the pieces are not the text", unit)
		}
	}
}
