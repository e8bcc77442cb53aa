package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	const pkg = "../.."
	files, err := generate(pkg)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(pkg, name))
		if err != nil {
			t.Errorf("%v: run go generate ./rpc", err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./rpc", name)
		}
	}
}

func TestTheSessionInTheDocumentNamesWhatIsAnswered(t *testing.T) {
	text, err := os.ReadFile("session.txt")
	if err != nil {
		t.Fatal(err)
	}
	p, err := parse("../../protocol.go", "../../errors.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range p.methods {
		if m.fromHost() && m.answered() && !m.isNotified() {
			names = append(names, strconv.Quote(m.wire))
		}
	}
	if want := `"methods":[` + strings.Join(names, ",") + `]`; !strings.Contains(string(text), want) {
		t.Errorf("session.txt should have %s", want)
	}
}

func TestDocsNameMembersAsTheWireDoes(t *testing.T) {
	wire := map[string]string{"Line": "line", "Column": "column", "URI": "uri"}
	for doc, want := range map[string]string{
		"Line and Column count from 1.": "line and column count from 1.",
		"URI is a file: URI.":           "uri is a file: URI.",
		"Line: where.":                  "line: where.",
		"Lines are others.":             "Lines are others.",
		"":                              "",
	} {
		if got := inWireTerms(doc, wire); got != want {
			t.Errorf("%q became %q, want %q", doc, got, want)
		}
	}
}

func TestWhatLeadsNowhereIsRefused(t *testing.T) {
	const types = "const ProtocolVersion = 1\ntype P struct{}\ntype R struct{}\n"
	method := func(directive, results string) string {
		return types + "//rpc:side host\ntype I interface {\n//rpc:method a/b\n" + directive + "\nM(context.Context, *P) " + results + "\n}\n"
	}
	for name, tt := range map[string]struct{ source, wrong string }{
		"nothing wrong":           {method("//rpc:errors 7", "(*R, error)"), ""},
		"an unknown type":         {"type A struct {\n\tB Missing `json:\"b\"`\n}\n", "unknown type Missing"},
		"an unknown code":         {method("//rpc:errors 7 8", "(*R, error)"), "unknown code 8"},
		"a code that is a word":   {method("//rpc:errors unknown-tool", "(*R, error)"), "unknown-tool"},
		"errors without a result": {method("//rpc:errors 7", "error"), "notification"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range map[string]string{
				"protocol.go": "package rpc\n" + tt.source,
				"errors.go":   "package rpc\nconst (\n\tCodeA = 7 // a\n)\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := parse(filepath.Join(dir, "protocol.go"), filepath.Join(dir, "errors.go"))
			if (err != nil) != (tt.wrong != "") || (err != nil && !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("got %v, want %q", err, tt.wrong)
			}
		})
	}
}
