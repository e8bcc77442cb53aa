package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShownHidesWhatIsLikelyToBeASecretAndNothingElse(t *testing.T) {
	const token = "ghp_0123456789abcdefghij"
	cases := []struct{ entry, want string }{
		// As written: order, dialect, kinds.
		{`{"url":"https://h/mcp","type":"http","x":[1,true,null,{"b":2,"a":1}]}`, ""},
		{`{"command":"npx","args":["-y","@scope/server@1.2.3","--port","8080"],"timeout":30000}`, ""},
		{`{"command":"/opt/claude-sonnet-4-20250514/run","args":["--model","claude-sonnet-4-20250514"]}`, ""},
		// References are names.
		{`{"env":{"TOKEN":"${TOKEN}","A":"${env:TOKEN}","B":"{env:TOKEN}","C":"$TOKEN","D":"${input:the-token}"}}`, ""},
		{`{"env":{"TOKEN":"!pass show token","A":"$(pass show token)","B":"${cmd: pass show token}","C":"{file:~/.token}"}}`, ""},
		{`{"headers":{"Authorization":"Bearer ${TOKEN}","X-Api-Key":"${A}${B}"}}`, ""},
		{`{"bearer_token_env_var":"GITHUB_TOKEN","env_http_headers":{"Authorization":"MY_AUTH"},"env_vars":["API_KEY"]}`, ""},
		{`{"env":{"TOKEN":"${TOKEN:-` + token + `}"}}`, `{"env":{"TOKEN":"${TOKEN:-[redacted]}"}}`},
		{`{"env":{"TOKEN":"pa$WORD"}}`, `{"env":{"TOKEN":"[redacted]"}}`},
		{`{"env":{"TOKEN":"${not a name}"}}`, `{"env":{"TOKEN":"[redacted]"}}`},
		{`{"env":{"TOKEN":"!curl -H 'Authorization: Bearer hunter2' https://u:p@h"}}`, `{"env":{"TOKEN":"!curl -H 'Authorization: Bearer [redacted]' https://[redacted]:[redacted]@h"}}`},
		// Variables and headers.
		{`{"env":{"MODE":"debug","HOME":"/home/me/x","CONF":"./x.json","N":12345678901,"ON":true,"URL":"https://h:1/p"}}`, ""},
		{`{"env":{"MODE":"production","PASSWORD":"x","PIN":1234,"PRIVATE_KEY_FILE":"/k"}}`, `{"env":{"MODE":"[redacted]","PASSWORD":"[redacted]","PIN":"[redacted]","PRIVATE_KEY_FILE":"[redacted]"}}`},
		{`{"environment":{"DB":"postgres://me:pw@h/db?x=y"},"envs":{"D":"/` + token + `/x"}}`, `{"environment":{"DB":"postgres://[redacted]:[redacted]@h/db?x=[redacted]"},"envs":{"D":"[redacted]"}}`},
		{`{"headers":{"Authorization":"Bearer hunter2","X-Other":"something long"},"http_headers":{"A":"b"}}`, `{"headers":{"Authorization":"Bearer [redacted]","X-Other":"[redacted]"},"http_headers":{"A":"b"}}`},
		// Arguments.
		{`{"args":["--api-key=abc","--token","abc","--verbose","API_KEY=x","NAME=value"]}`, `{"args":["--api-key=[redacted]","--token","[redacted]","--verbose","API_KEY=[redacted]","NAME=value"]}`},
		{`{"args":["--auth","--verbose","--header","Authorization: Bearer abc","--header","X-Key:${KEY}"]}`, `{"args":["--auth","--verbose","--header","Authorization: Bearer [redacted]","--header","X-Key:${KEY}"]}`},
		{`{"args":["` + token + `","0123456789abcdef0123","12345678901234567890","a-long-name-without-any-digit","f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]}`, `{"args":["[redacted]","[redacted]","12345678901234567890","a-long-name-without-any-digit","[redacted]"]}`},
		{`{"args":["-c","run --password hunter2 && ls"],"command":"server --token=abc"}`, `{"args":["-c","run --password [redacted] \u0026\u0026 ls"],"command":"server --token=[redacted]"}`},
		{`{"args":["$(` + token + `","(` + token + `)","run 0123456789abcdef0123; ls","$(it's ` + token + `)","<a>"]}`, `{"args":["$([redacted]","([redacted])","run [redacted]; ls","$(it's [redacted])","<a>"]}`},
		// Addresses.
		{`{"url":"https://u:p@h:1/a?b=c&apiKey=d#access_token=e"}`, `{"url":"https://[redacted]:[redacted]@h:1/a?b=c&apiKey=[redacted]#access_token=[redacted]"}`},
		{`{"url":"https://h/s/` + token + `/mcp?id=` + token + `"}`, `{"url":"https://h/s/[redacted]/mcp?id=[redacted]"}`},
		{`{"url":"https://${USER}:${PASS}@h/?key=${KEY}"}`, ""},
		{`{"url":"postgres://me:p/w@h/db"}`, `{"url":"postgres://[redacted]@h/db"}`},
		{`{"url":"https://h/@me/x"}`, ""},
		{`{"args":["--url=https://u:p@h/"]}`, `{"args":["--url=https://[redacted]:[redacted]@h/"]}`},
		{`{"args":["--token",["a",{"b":"c"}],"--auth","--verbose"]}`, `{"args":["--token",["[redacted]",{"b":"[redacted]"}],"--auth","--verbose"]}`},
		// Words behind the names of variables, in any dialect.
		{`{"env":{"TOKEN":"${A:=b}","KEY":"${A:+b}","PIN":"${A:?${B:-c}}","PASS":"${A:b}"}}`, `{"env":{"TOKEN":"${A:=[redacted]}","KEY":"${A:+[redacted]}","PIN":"${A:?${B:-[redacted]}}","PASS":"${A:[redacted]}"}}`},
		{`{"env":{"TOKEN":"${env:A:-b}","KEY":"${file:~/.token}","PIN":"${config:a.b}${workspaceFolder:c}${command:d.e}"}}`, `{"env":{"TOKEN":"${env:A:-[redacted]}","KEY":"${file:~/.token}","PIN":"${config:a.b}${workspaceFolder:c}${command:d.e}"}}`},
		// Values where names should be.
		{`{"args":["${` + token + `}","${env:` + token + `}","{env:` + token + `}","${AWS_KEY_1A2B3C4D5E6F7G8H9}"]}`, `{"args":["${[redacted]}","${env:[redacted]}","{env:[redacted]}","${AWS_KEY_1A2B3C4D5E6F7G8H9}"]}`},
		{`{"bearer_token_env_var":"` + token + `","env_http_headers":{"A":"horse-staple"},"env_keys":["AWS_KEY_1A2B3C4D5E6F7G8H9"]}`, `{"bearer_token_env_var":"[redacted]","env_http_headers":{"A":"[redacted]"},"env_keys":["AWS_KEY_1A2B3C4D5E6F7G8H9"]}`},
		{`{"env":{"` + token + `":null,"TOKEN=b":"","KEY: c":true,"a/b:c":1},"--api-key=d":1}`, `{"env":{"[redacted]":null,"TOKEN=[redacted]":"","KEY: [redacted]":true,"a/b:c":1},"--api-key=[redacted]":"[redacted]"}`},
		// Names that sound secret, anywhere.
		{`{"auth":{"clientId":"my-client-id","clientSecret":"abc","scopes":["read:everything"],"callbackPort":1}}`, `{"auth":{"clientId":"my-client-id","clientSecret":"[redacted]","scopes":["read:everything"],"callbackPort":1}}`},
		{`{"what":{"accessToken":{"deep":["a",2]},"session_id":"x"},"author":"somebody","path":"p"}`, `{"what":{"accessToken":{"deep":["[redacted]","[redacted]"]},"session_id":"[redacted]"},"author":"somebody","path":"p"}`},
		// No entries.
		{`"` + token + `"`, `"[redacted]"`},
		{`7`, `7`},
		{`{`, `null`},
		{``, `null`},
	}
	for _, c := range cases {
		want := c.want
		if want == "" && c.entry != "" {
			want = c.entry
		}
		if c.entry == "" {
			want = "null"
		}
		e := &Entry{Raw: json.RawMessage(c.entry), forms: formShell}
		if got := string(e.Shown()); got != strings.ReplaceAll(want, `\u0026`, "&") {
			t.Errorf("%s\n got %s\nwant %s", c.entry, got, want)
		}
	}
}

func TestLiteralsAreWhatAServerMustNotPrint(t *testing.T) {
	e := &Entry{Raw: json.RawMessage(`{
		"env": {"MODE": "production", "TOKEN": "production!", "WORD_SECRET": "correct-horse", "SHORT_TOKEN": "abc", "OTHER": "value-number-1"},
		"headers": {"Authorization": "Bearer abcdefgh"},
		"args": ["--password", "hunter2hunter2", "harmless-argument"],
		"url": "https://someuser:p%40ssw0rd!@h/"
	}`)}
	got := e.literals(nil)
	slices.Sort(got)
	want := []string{"abcdefgh", "correct-horse", "hunter2hunter2", "p%40ssw0rd!", "p@ssw0rd!", "production!", "someuser", "value-number-1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatADialectPutsTogetherIsALiteralToo(t *testing.T) {
	e := &Entry{
		Raw: json.RawMessage(`{"uri": "http://h/?key=$PART", "headers": {"Authorization": "Bearer $PART"}, "envs": {"PART": "correct-horse"}}`),
		URL: "http://h/?key=correct-horse", Headers: map[string]string{"Authorization": "Bearer battery-staple"}, Auth: &Auth{ClientSecret: "client-words"},
	}
	got := e.literals(nil)
	slices.Sort(got)
	if want := []string{"battery-staple", "client-words", "correct-horse"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMessagesRepeatNoValueThatStandsForAName(t *testing.T) {
	const token = "ghp_0123456789abcdefghij"
	e := &Entry{
		Kind: "http", forms: formVariable | formEnv, EnvHeaders: map[string]string{"A": token, "B": "horse-staple", "C": "NOT_SET_1"},
		Headers: map[string]string{"D": "${" + token + "}", "TOKEN=hunter2": "${env:" + token + "}"},
	}
	none := func(string) (string, bool) { return "", false }
	out, err := e.Expand(t.Context(), Expander{Getenv: none})
	e.TokenVariable = token
	_, missing := e.Expand(t.Context(), Expander{Getenv: none})
	own := &Entry{EnvFile: "${" + token + "}/.env", Args: []string{"{file:~/" + token + "}"}, forms: formSingleBraces, base: "/base"}
	_, file := own.Expand(t.Context(), Expander{Getenv: none, Home: t.TempDir()})
	own.Args = nil
	_, envFile := own.Expand(t.Context(), Expander{Getenv: none})
	text := fmt.Sprint(out.Warnings, err, missing, file, envFile, &MissingInputError{[]string{token}}, e.Variables(none), UnknownKeys([]string{token, "--token=hunter2"}))
	for _, secret := range []string{token, "horse", "hunter2"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in %s", secret, text)
		}
	}
	m := newMachine(t)
	m.write(t, "home/project/.vscode/mcp.json", []byte(`{"servers": {"s": {"command": "${input:`+token+`}"}}}`))
	if r := m.discover(t); len(r.Diagnostics) != 1 || strings.Contains(r.Diagnostics[0].Message, token) {
		t.Errorf("of an input: %+v", r.Diagnostics)
	}
	if !strings.Contains(text, "the variable NOT_SET_1 is not set") || !strings.Contains(text, "headers.TOKEN=[redacted]") {
		t.Errorf("names are not in %s", text)
	}
}

func TestWhatAnEntryHidesIsASecretOfItsServer(t *testing.T) {
	e := &Entry{
		Kind: "stdio", Command: "c", forms: nativeDialect().forms,
		Env: map[string]string{"TOKEN": "written-out-1", "NAMED": "API_KEY"},
		Raw: json.RawMessage(`{"command": "c", "env": {"TOKEN": "written-out-1", "NAMED": "API_KEY"}}`),
	}
	out, err := e.Expand(t.Context(), expander())
	slices.Sort(out.Secrets)
	if want := []string{"key-key-key", "written-out-1"}; err != nil || !slices.Equal(out.Secrets, want) {
		t.Errorf("secrets %q, want %q (%v)", out.Secrets, want, err)
	}
}

func TestOnlyVariablesThatExistAreNamedByAWholeValue(t *testing.T) {
	e := &Entry{
		forms: nativeDialect().forms,
		Env:   map[string]string{"A": "API_KEY", "B": "A_SECRET_1234", "C": "${NOPE}"},
	}
	want := []Variable{{"API_KEY", true}, {"NOPE", false}}
	if got := e.Variables(expander().Getenv); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	shown := (&Uses{Commands: []string{"pass show key", "login --token 0123"}}).ShownCommands()
	if want := []string{"pass show key", "login --token [redacted]"}; !slices.Equal(shown, want) {
		t.Errorf("got %q, want %q", shown, want)
	}
}

// FuzzShown: any JSON is shown as JSON of the same shape, and what is hidden is
// in none of it.
func FuzzShown(f *testing.F) {
	for _, seed := range []string{
		`{"env":{"TOKEN":"${A:-b}","B":"$(x"},"args":["--token","x","a=b","https://u:p@h/?k=v#f"]}`,
		`{"headers":{"Authorization":"Bearer x"},"url":"postgres://a:b/c@d"}`,
		"\"a\u00a0b \u0085\u2028\"", `["a\u00a0b","\u0085"]`, `["$(",")","${${}}","{env:}"]`, `"!x '"`, `{"":{"":""}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e := &Entry{Raw: data, forms: formShell | formWhole}
		shown := e.Shown()
		if !json.Valid(shown) {
			t.Fatalf("not JSON: %s", shown)
		}
		_ = e.literals(nil)
		if root, problem := parseJSONC(&document{}, data); problem == nil && utf8.Valid(data) && namesStayApart(root) && shape(root) != shape(mustParse(t, shown)) {
			t.Errorf("another shape: %s", shown)
		}
	})
}

// namesStayApart says that no two names of an object are shown as one.
func namesStayApart(n *node) bool {
	shown := map[string]bool{}
	for _, m := range n.members {
		shown[shownName(m.name)] = true
	}
	return len(shown) == len(n.members) &&
		!slices.ContainsFunc(n.members, func(m member) bool { return !namesStayApart(m.value) }) &&
		!slices.ContainsFunc(n.items, func(item *node) bool { return !namesStayApart(item) })
}

// shape is the names, as they are shown, and the nesting of a value.
func shape(n *node) string {
	var b strings.Builder
	switch n.kind {
	case object:
		for _, m := range n.members {
			b.WriteString("{" + shownName(m.name) + ":" + shape(m.value) + "}")
		}
	case array:
		for _, item := range n.items {
			b.WriteString("[" + shape(item) + "]")
		}
	case null, boolean, number, text:
		b.WriteString("v")
	}
	return b.String()
}

func mustParse(t *testing.T, data []byte) *node {
	t.Helper()
	n, problem := parseJSONC(&document{}, data)
	if problem != nil {
		t.Fatal(problem)
	}
	return n
}
