package config

import (
	"fmt"
	"strings"
	"testing"
)

// languageCase is a text, and what it is: JSON, or an error with its place.
type languageCase struct{ text, want string }

// described is a tree as JSON, or what is wrong.
func described(root *node) string {
	var b strings.Builder
	b.Write(root.json())
	var repeated func(*node)
	repeated = func(n *node) {
		for _, r := range n.repeated {
			fmt.Fprintf(&b, " %s again", r.pointer())
		}
		for _, m := range n.members {
			repeated(m.value)
		}
		for _, item := range n.items {
			repeated(item)
		}
	}
	repeated(root)
	return b.String()
}

func checkLanguage(t *testing.T, parse parser, cases []languageCase) {
	t.Helper()
	for _, c := range cases {
		root, problem := parse(&document{}, []byte(c.text))
		got := ""
		if problem != nil {
			got = fmt.Sprintf("%d:%d %s", problem.line, problem.column, problem.message)
		} else {
			got = described(root)
		}
		if got != c.want {
			t.Errorf("%q\n is %s\nnot %s", c.text, got, c.want)
		}
	}
}

// places are where the values of a tree stand, one a line.
func places(root *node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d %q\n", root.line, root.column, root.pointer())
	for _, m := range root.members {
		b.WriteString(places(m.value))
	}
	for _, item := range root.items {
		b.WriteString(places(item))
	}
	return b.String()
}

func checkPlaces(t *testing.T, parse parser, text, want string) {
	t.Helper()
	root, problem := parse(&document{}, []byte(text))
	if problem != nil {
		t.Fatalf("%+v", problem)
	}
	if got, want := places(root), strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("values stand at\n%snot at\n%s", got, want)
	}
}
