package main

import (
	"bytes"
	"os"
	"path/filepath"
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

func TestAnUnknownTypeIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"protocol.go": "package rpc\ntype A struct {\n\tB Missing `json:\"b\"`\n}\n",
		"errors.go":   "package rpc\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generate(dir); err == nil {
		t.Error("a field of an unknown type was taken")
	}
}
