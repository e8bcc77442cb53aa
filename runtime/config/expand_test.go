package config

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expander has a small environment and a shell that knows four commands.
func expander() Expander {
	env := map[string]string{
		"SET": "value", "EMPTY": "", "LONG_SECRET": "0123456789", "API_KEY": "key-key-key", "A1": "a1", "lower_case": "l",
	}
	return Expander{
		Home:   "/home/u",
		Folder: "/session",
		Inputs: map[string]string{"token": "tok-tok-tok", "pin": "1"},
		Getenv: func(name string) (string, bool) {
			v, ok := env[name]
			return v, ok
		},
		Run: func(_ context.Context, command string) (string, error) {
			switch command {
			case "pass show key":
				return "from-the-command", nil
			case "true":
				return "", nil
			case "echo ${SET}":
				return "the shell's own", nil
			}
			return "", errors.New("exit status 1")
		},
	}
}

func TestEachDialectExpandsItsOwnFormsAndNoOthers(t *testing.T) {
	native := nativeDialect().forms
	claude := claudeDialect().forms
	claudeProject := claudeProjectDialect().forms
	editor := vscodeDialect().forms
	cases := []struct {
		in                                    string
		native, claude, claudeProject, editor string // "" where it is as in
	}{
		{in: "plain"},
		{in: "${SET}", native: "value", claude: "value", claudeProject: "value"},
		{in: "a${SET}b${SET}c", native: "avaluebvaluec", claude: "avaluebvaluec", claudeProject: "avaluebvaluec"},
		{in: "<${EMPTY}>", native: "<>", claude: "<>", claudeProject: "<>"},
		{in: "${UNSET}"},
		{in: "${SET:-d}", native: "value", claude: "value", claudeProject: "value"},
		{in: "${UNSET:-d}", native: "d", claude: "d", claudeProject: "d"},
		{in: "<${UNSET:-}>", native: "<>", claude: "<>", claudeProject: "<>"},
		{in: "<${EMPTY:-d}>", native: "<d>", claude: "<>", claudeProject: "<>"},
		{in: "${UNSET:-${SET}}", native: "value", claude: "value", claudeProject: "value"},
		{in: "${UNSET:-${ALSO:-x}y}", native: "xy", claude: "xy", claudeProject: "xy"},
		{in: "${UNSET:-http://h:1/}", native: "http://h:1/", claude: "http://h:1/", claudeProject: "http://h:1/"},
		{in: "${SET:+x} ${SET-x} ${#SET} ${1} ${} ${ SET }"},
		{in: "${a b ${SET}}", native: "${a b value}", claude: "${a b value}", claudeProject: "${a b value}"},
		{in: "${SET", native: "${SET"},
		{in: "$SET $(SET) %SET% {SET}"},
		{in: "$${SET}", native: "$value", claude: "$value", claudeProject: "$value"},
		{in: "${env:SET}", editor: "value"},
		{in: "<${env:UNSET}>", editor: "<>"},
		{in: "${env:}"},
		{in: "${input:token}!", editor: "tok-tok-tok!"},
		{in: "${workspaceFolder}/x", editor: "/session/x"},
		{in: "${workspaceFolderBasename}", editor: "session"},
		{in: "${userHome}${pathSeparator}x", editor: "/home/u/x"},
		{in: "${command:x} ${config:y} ${workspaceFolder:z}"},
		{in: "A1", native: "A1"},
		{in: "SET"},
		{in: "lower_case"},
		{in: "API_KEY", native: "key-key-key", claudeProject: "key-key-key"},
		{in: " API_KEY"},
		{in: "API_KEY_"},
		{in: "!pass show key", native: "from-the-command", claudeProject: "from-the-command"},
		{in: "!  pass show key ", native: "from-the-command", claudeProject: "from-the-command"},
		{in: "!echo ${SET}", native: "the shell's own", claude: "!echo value", claudeProject: "the shell's own"},
		{in: "!!x", native: "!x", claudeProject: "!x"},
		{in: "!!${SET}", native: "!value", claude: "!!value", claudeProject: "!value"},
		{in: "!"},
	}
	for _, c := range cases {
		for _, d := range []struct {
			name  string
			forms forms
			want  string
		}{{"native", native, c.native}, {"claude", claude, c.claude}, {".mcp.json", claudeProject, c.claudeProject}, {"vscode", editor, c.editor}} {
			want := d.want
			if want == "" {
				want = c.in
			}
			e := &Entry{Name: "s", Kind: "stdio", Command: "c", Env: map[string]string{"K": c.in}, forms: d.forms, base: "/base"}
			out, err := e.Expand(t.Context(), expander())
			if err != nil || out.Env["K"] != want {
				t.Errorf("%s: %q gives %q, want %q (%v)", d.name, c.in, out.Env["K"], want, err)
			}
		}
	}
}

func TestExpansionReachesEveryStringOfAnEntry(t *testing.T) {
	e := &Entry{
		Name: "s", Kind: "stdio", base: "/base", forms: nativeDialect().forms,
		Command: "./${SET}/run", Args: []string{"--k=${SET}", "API_KEY", "!true"}, Cwd: "~/${SET}",
		Env:     map[string]string{"K": "${SET}", "${SET}": "a key stays"},
		URL:     "https://${SET}/",
		Headers: map[string]string{"A": "Bearer ${LONG_SECRET}", "B": "!true", "C": "!false"},
		Auth:    &Auth{ClientID: "${SET}", ClientSecret: "${API_KEY}", Scopes: []string{"${SET}"}},
	}
	got, err := e.Expand(t.Context(), expander())
	if err != nil {
		t.Fatal(err)
	}
	want := Expanded{
		Command: "/base/value/run", Args: []string{"--k=value", "API_KEY", "!true"}, Cwd: "/home/u/value",
		Env:      map[string]string{"K": "value", "${SET}": "a key stays"},
		URL:      "https://value/",
		Headers:  map[string]string{"A": "Bearer 0123456789", "B": ""},
		Auth:     &Auth{ClientID: "value", ClientSecret: "key-key-key", Scopes: []string{"${SET}"}},
		Secrets:  []string{"0123456789", "key-key-key"},
		Warnings: []string{"headers.C: the command failed, so it is left out: exit status 1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPathsAreRelativeToTheFilesProject(t *testing.T) {
	cases := []struct {
		command, cwd         string
		wantCommand, wantCwd string
	}{
		{"npx", "", "npx", ""},
		{"./x", "", "/base/x", ""},
		{"bin/x", "sub", "/base/bin/x", "/base/sub"},
		{"../x", "..", "/x", "/"},
		{"/abs/x", "/abs", "/abs/x", "/abs"},
		{"~/x", "~", "/home/u/x", "/home/u"},
		{"~user/x", "", "/base/~user/x", ""},
		{"${HOME_OF}/x", "${HOME_OF}", "${HOME_OF}/x", "${HOME_OF}"},
	}
	for _, c := range cases {
		e := &Entry{Name: "s", Kind: "stdio", Command: c.command, Cwd: c.cwd, base: "/base", forms: nativeDialect().forms}
		out, err := e.Expand(t.Context(), expander())
		if err != nil || out.Command != c.wantCommand || out.Cwd != c.wantCwd {
			t.Errorf("%q in %q: %q in %q, %v", c.command, c.cwd, out.Command, out.Cwd, err)
		}
	}
}

func TestWhatIsNotSetIsAWarningThatNamesItAndNoValue(t *testing.T) {
	e := &Entry{
		Name: "s", Kind: "http", forms: nativeDialect().forms, URL: "https://${LONG_SECRET}.${NOPE}/",
		Headers: map[string]string{"A": "${NOPE}${NOPE}", "B": "!false", "C": "NO_SUCH_NAME"},
	}
	out, err := e.Expand(t.Context(), expander())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"headers.A: the variable NOPE is not set, so its reference stays as written",
		"headers.B: the command failed, so it is left out: exit status 1",
		"url: the variable NOPE is not set, so its reference stays as written",
	}
	slices.Sort(out.Warnings)
	if diff := cmp.Diff(want, out.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSecretsAreWhatCameFromElsewhereAndIsLongEnough(t *testing.T) {
	e := &Entry{
		Name: "s", Kind: "stdio", Command: "${userHome}/server", forms: copilotDialect().forms | formShell, NeedsInput: []string{"pin", "token"},
		Args: []string{"${SET}", "${LONG_SECRET}", "${env:LONG_SECRET}", "${input:token}", "${input:pin}", "literal-literal", "${NOPE:-default-default}"},
		Env:  map[string]string{"A": "!pass show key"},
	}
	out, err := e.Expand(t.Context(), expander())
	slices.Sort(out.Secrets)
	if want := []string{"0123456789", "from-the-command", "tok-tok-tok"}; err != nil || !slices.Equal(out.Secrets, want) {
		t.Errorf("secrets %q, want %q (%v)", out.Secrets, want, err)
	}
}

func TestAMissingInputIsNamed(t *testing.T) {
	x := expander()
	x.Run = func(context.Context, string) (string, error) {
		t.Error("a command ran before the inputs were there")
		return "", nil
	}
	e := &Entry{
		Name: "s", Kind: "stdio", Command: "c", Args: []string{"${input:pin}${input:a}${input:b}"}, forms: vscodeDialect().forms | formShell,
		Env: map[string]string{"K": "!true"}, NeedsInput: []string{"a", "b", "pin"},
	}
	_, err := e.Expand(t.Context(), x)
	var missing *MissingInputError
	if !errors.As(err, &missing) || !slices.Equal(missing.IDs, []string{"a", "b"}) {
		t.Fatalf("got %v", err)
	}
	if want := `no value for ${input:a}, ${input:b}`; err.Error() != want {
		t.Errorf("got %s, want %s", err, want)
	}
}

func TestExpandEndsWithItsContextAndRefusesInvalidEntries(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("shutting down"))
	if _, err := (&Entry{Name: "s", Kind: "stdio", Command: "c"}).Expand(ctx, expander()); err == nil || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("got %v", err)
	}
	if _, err := (&Entry{Name: "s", Invalid: "no good"}).Expand(t.Context(), expander()); err == nil || err.Error() != "no good" {
		t.Errorf("got %v", err)
	}
}

func TestTheWorkspaceFolderOfAProjectFileIsItsProject(t *testing.T) {
	e := &Entry{Name: "s", Level: Project, Kind: "stdio", Command: "${workspaceFolder}/${workspaceFolderBasename}", base: "/repo", forms: vscodeDialect().forms}
	if out, err := e.Expand(t.Context(), expander()); err != nil || out.Command != "/repo/repo" {
		t.Errorf("got %q, %v", out.Command, err)
	}
}

func TestManyBracesCostNoMoreThanTheirNumber(t *testing.T) {
	t.Parallel()
	// Each of these takes minutes if a brace is looked for from every "${".
	const many = 1 << 17
	for _, s := range []string{
		strings.Repeat("${", many), strings.Repeat("${SET}", many),
		strings.Repeat("${A:-", many) + strings.Repeat("}", many),
		strings.Repeat("${ ", many) + strings.Repeat("}", many),
	} {
		e := &Entry{Name: "s", Kind: "stdio", Command: "c", Args: []string{s}, forms: copilotDialect().forms}
		if _, err := e.Expand(t.Context(), expander()); err != nil {
			t.Error(err)
		}
		e.Uses()
	}
}

func TestEnvFile(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.env", []byte("\ufeff# comment\r\n\nA=1\nexport B = two words # comment\nC='# ${SET} \\n'\nD=\"x\\ny\"\nE=\nOWN=file\nGONE=file\nSECRET=very-secret-value\nnonsense\nF=a=b\n"))
	e := &Entry{
		Name: "s", Kind: "stdio", Command: "c", EnvFile: "${SET_DIR}.env", base: m.opts.Cwd, forms: nativeDialect().forms,
		Env: map[string]string{"OWN": "entry"}, UnsetEnv: []string{"GONE"},
	}
	x := expander()
	x.Getenv = func(string) (string, bool) { return "./", true }
	out, err := e.Expand(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"A": "1", "B": "two words", "C": `# ${SET} \n`, "D": "x\ny", "E": "", "OWN": "entry", "SECRET": "very-secret-value", "F": "a=b",
	}
	if diff := cmp.Diff(want, out.Env); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Contains(out.Secrets, "very-secret-value") || !slices.Equal(out.Warnings, []string{"envFile: line 11 is not NAME=value"}) {
		t.Errorf("secrets %q, warnings %q", out.Secrets, out.Warnings)
	}

	e.EnvFile = "missing.env"
	if _, err := e.Expand(t.Context(), x); err == nil || err.Error() != `envFile missing.env: no such file or directory` {
		t.Errorf("got %v", err)
	}
}

func TestWhichFilesOfAnEntryCanBeReadIsKnownOfEach(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/good.env", []byte("A=b"))
	m.write(t, "home/token", []byte("secret"))
	home := m.path("home")
	x := Expander{Home: home, Getenv: func(name string) (string, bool) { return "token", name == "NAME" }}
	cases := []struct {
		file string
		d    *dialect
		want bool
	}{
		{"good.env", vscodeDialect(), true},
		{"none.env", vscodeDialect(), false},
		{"${env:NONE}/x.env", vscodeDialect(), false},
		{"token", opencodeDialect(), true},
		{"~/token", opencodeDialect(), true},
		{"{env:NAME}", opencodeDialect(), true},
		{"none", opencodeDialect(), false},
	}
	for _, c := range cases {
		e := &Entry{Path: m.path("home/f"), base: home, forms: c.d.forms, Env: map[string]string{"OTHER": "{file:none}"}}
		if c.d.forms&formSingleBraces == 0 {
			e.EnvFile = c.file
		}
		if got := e.CanRead(t.Context(), x, c.file); got != c.want {
			t.Errorf("%s: %t", c.file, got)
		}
	}
}

func TestTheHomeDirectoryIsNoSecret(t *testing.T) {
	getenv := func(string) (string, bool) { return "/home/somebody", true }
	e := &Entry{Name: "s", Kind: "stdio", Command: "c", Args: []string{"${HOME}/x", "${XDG_DATA_HOME}"}, forms: nativeDialect().forms}
	out, err := e.Expand(t.Context(), Expander{Getenv: getenv})
	if err != nil || len(out.Secrets) > 0 || len(e.Foreseen(getenv, true)) > 0 {
		t.Errorf("secrets %q, foreseen %q (%v)", out.Secrets, e.Foreseen(getenv, true), err)
	}
	e.Args = []string{"${HOME_TOKEN}"}
	if out, _ = e.Expand(t.Context(), Expander{Getenv: getenv}); len(out.Secrets) != 1 || len(e.Foreseen(getenv, true)) != 1 {
		t.Errorf("secrets %q, foreseen %q", out.Secrets, e.Foreseen(getenv, true))
	}
}
