package config

import (
	"fmt"
	"strings"
	"testing"
)

// A file of any bytes is read or refused in a time that grows no faster than the
// file: what does not, does not end here.
func TestLanguagesEndSoon(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	repeat := func(before, pattern, after string) string {
		return before + strings.Repeat(pattern, size/len(pattern)) + after
	}
	numbered := func(pattern string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, pattern, i)
		}
		return b.String()
	}
	var bomb strings.Builder
	bomb.WriteString("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n")
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10))
	}
	for _, c := range []struct {
		name  string
		parse parser
		text  string
	}{
		{"TOML brackets", parseTOML, repeat("a = ", "[", "")},
		{"TOML braces", parseTOML, repeat("a = ", "{a = ", "")},
		{"TOML dotted key", parseTOML, repeat("a", ".a", " = 1")},
		{"TOML long headers", parseTOML, numbered("[a%d" + strings.Repeat(".a", 400) + "]\n")},
		{"TOML headers", parseTOML, numbered("[a%d]\n")},
		{"TOML array of tables", parseTOML, numbered("[[a]]\nb = %d\n")},
		{"TOML keys", parseTOML, numbered("a%d = 1\n")},
		{"TOML array", parseTOML, repeat("a = [", "1,\n# x\n", "]")},
		{"YAML brackets", parseYAML, repeat("", "[", "")},
		{"YAML dashes", parseYAML, repeat("", "- ", "")},
		{"YAML pairs", parseYAML, repeat("", "[a: ", "")},
		{"YAML keys", parseYAML, numbered("a%d: 1\n")},
		{"YAML keys of one line", parseYAML, "{" + numbered("é%d: é, ") + "}"},
		{"YAML comments", parseYAML, repeat("a:\n", " # b\n", " c: 1\n")},
		{"YAML blocks", parseYAML, repeat("a: |\n", "  \n b\n", "")},
		{"YAML tag directives", parseYAML, numbered("%%TAG a%d b\n")},
		{"YAML alias bomb", parseYAML, bomb.String()},
		{"YAML merge bomb", parseYAML, "a: &a [" + repeat("", "{},", "]\n") + numbered("b%d: {<<: *a}\n")},
		{"YAML merged keys", parseYAML, "a: &a {" + strings.Repeat("b: {}, ", 10_000) + "}\n" + strings.Repeat("- {<<: *a}\n", 10_000)},
		{"JSON5 brackets", parseJSON5, repeat("", "[", "")},
		{"JSON5 braces", parseJSON5, repeat("", "{a: ", "")},
		{"JSON5 keys", parseJSON5, "{" + numbered("a%d: 1, ") + "}"},
		{"JSON5 comments", parseJSON5, repeat("", "/**/", "1")},
		{"JSON5 string", parseJSON5, repeat("'", "\\\n", "'")},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, problem := c.parse(&document{}, []byte(c.text))
			if (root == nil) == (problem == nil) {
				t.Errorf("%v and %v", root, problem)
			}
		})
	}
}

// Nesting is counted alike in all languages.
func TestLanguagesNestAlike(t *testing.T) {
	nested := func(before, open, middle, shut, after string) func(int) string {
		return func(n int) string {
			return before + strings.Repeat(open, n) + middle + strings.Repeat(shut, n) + after
		}
	}
	const tooDeep = "nested more than 500 deep"
	for _, c := range []struct {
		name  string
		parse parser
		text  func(arraysOrObjects int) string
		above int // how many there are around them
	}{
		{"JSONC", parseJSONC, nested("", "[", "1", "]", ""), 0},
		{"JSON5 arrays", parseJSON5, nested("", "[", "1", "]", ""), 0},
		{"JSON5 objects", parseJSON5, nested("", "{a:", "1", "}", ""), 0},
		{"TOML arrays", parseTOML, nested("a = ", "[", "1", "]", ""), 1},
		{"TOML inline tables", parseTOML, nested("a = ", "{ a = ", "1", "}", ""), 1},
		{"TOML dotted keys", parseTOML, nested("", "a.", "a = 1", "", ""), 1},
		{"TOML header", parseTOML, nested("[a", ".a", "]", "", ""), 2},
		{"TOML array of tables", parseTOML, nested("[[a]]\n[a", ".a", "]", "", ""), 3},
		{"TOML all", parseTOML, nested("[[a]]\na.a = {a.a = [", "[", "1", "]", "]}"), 7},
		{"YAML lists", parseYAML, nested("", "[", "1", "]", ""), 0},
		{"YAML mappings", parseYAML, nested("", "{a: ", "1", "}", ""), 0},
		{"YAML block lists", parseYAML, nested("", "- ", "1", "", ""), 0},
		{"YAML aliases", parseYAML, nested("a: &a "+strings.Repeat("[", 250)+"1"+strings.Repeat("]", 250)+"\nb: ", "[", "*a", "]", ""), 251},
	} {
		t.Run(c.name, func(t *testing.T) {
			most := maxDepth - c.above
			if _, problem := c.parse(&document{}, []byte(c.text(most))); problem != nil {
				t.Errorf("%d deep: %+v", maxDepth, problem)
			}
			for _, more := range []int{1, 10, 100_000} {
				_, problem := c.parse(&document{}, []byte(c.text(most+more)))
				if problem == nil || problem.message != tooDeep || problem.line == 0 {
					t.Errorf("%d too deep: %+v", more, problem)
				}
			}
		})
	}
}

// What a file holds may be secret, so no error repeats any of it.
func TestSyntaxErrorsRepeatNothing(t *testing.T) {
	const secret = "hunter2"
	for _, c := range []struct {
		name  string
		parse parser
		cases []languageCase
	}{
		{"TOML", parseTOML, tomlErrors()},
		{"YAML", parseYAML, yamlErrors()},
		{"JSON5", parseJSON5, json5Errors()},
	} {
		for _, e := range c.cases {
			for i := range len(e.text) + 1 {
				text := e.text[:i] + secret + e.text[i:]
				if _, problem := c.parse(&document{}, []byte(text)); problem != nil && strings.Contains(problem.message, secret) {
					t.Errorf("%s %q: %s", c.name, text, problem.message)
				}
			}
		}
	}
}
