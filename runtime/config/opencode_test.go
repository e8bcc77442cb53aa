package config

import (
	"io/fs"
	"strings"
	"testing"
)

func TestOpenCodeExpandsItsOwnForms(t *testing.T) {
	files := map[string]string{"/conf/key": " file-text\n", "/home/u/key": "home-text", "/abs/value": "value-text"}
	read := func(path string) ([]byte, fs.FileInfo, error) {
		text, ok := files[path]
		if !ok {
			return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil, nil
	}
	cases := []struct{ in, want string }{
		{"plain", "plain"},
		{"<{env:SET}{env:UNSET}{env:EMPTY}>", "<value>"},
		{"{file:key}", "file-text"},
		{"{file:~/key} {file:/abs/value}", "home-text value-text"},
		{"{file:/abs/{env:SET}}", "value-text"},
		{"{file:/{env:UNSET}abs/{env:SET}}!", "value-text!"},
		{"{file:{env:SET", "{file:{env:SET"},
		{"{file:gone}", "error: args[0]: the file gone: file does not exist"},
		{"{file:/abs/{env:API_KEY}}", "error: args[0]: the file /abs/{env:API_KEY}: file does not exist"},
		{"$SET ${SET} ${env:SET} $(true) API_KEY", "$SET ${SET} $value $(true) API_KEY"},
	}
	for _, c := range cases {
		e := &Entry{Name: "s", Kind: "stdio", Command: "c", Args: []string{c.in}, Path: "/conf/file", forms: opencodeDialect().forms, base: "/base"}
		out, err := e.expand(t.Context(), expander(), read)
		got := strings.Join(out.Args, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
	u := (&Entry{Command: "c", Args: []string{"{file:/a/{env:B}}"}, forms: opencodeDialect().forms}).Uses()
	if strings.Join(u.Files, " ") != "/a/{env:B}" || strings.Join(u.Variables, " ") != "B" {
		t.Errorf("it uses %+v", u)
	}
}

// A relative file is that of the text which names it, wherever the rest of the
// entry is.
func TestAFileOfAMergedEntryIsBesideTheTextThatNamesIt(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.config/opencode/key", []byte("of the user\n"))
	m.write(t, "home/.config/opencode/opencode.json", []byte(
		`{"mcp": {"s": {"type": "remote", "url": "https://x.example", "headers": {"A": "{file:./key}", "B": "{file:~/.config/opencode/key}"}}}}`))
	m.write(t, "home/project/key", []byte("of the project"))
	m.write(t, "home/project/opencode.json", []byte(`{"mcp": {"s": {"headers": {"C": "{file:key}"}}}}`))
	m.env["OPENCODE_CONFIG_CONTENT"] = `{"mcp": {"s": {"headers": {"D": "{file:key}"}}}}`
	e := named(m.discover(t), "s")
	x := expander()
	x.Home = m.opts.Home
	out, err := e.Expand(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{"A": "of the user", "B": "of the user", "C": "of the project", "D": "of the project"} {
		if out.Headers[header] != want {
			t.Errorf("%s is %q, want %q", header, out.Headers[header], want)
		}
	}
}
