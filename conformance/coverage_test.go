//go:build unix

package conformance

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/transcript"
)

// lastLine is the number of contract lines, each of which has a proof.
const lastLine = 44

// later says why a method or an error code occurs in no transcript.
func later() map[string]string {
	const (
		resources = "resources are not relayed yet"
		prompts   = "prompts are not relayed yet"
		auth      = "there is no login yet"
		asking    = "nothing asks the host yet"
	)
	return map[string]string{
		"resources/list": resources, "resources/templates": resources, "resources/read": resources,
		"resources/subscribe": resources, "resources/unsubscribe": resources,
		"resources/changed": resources, "resources/updated": resources, "1009": resources,
		"prompts/list": prompts, "prompts/get": prompts, "prompts/changed": prompts, "completion/complete": prompts,
		"auth/login": auth, "auth/logout": auth, "auth/openUrl": auth, "1005": auth,
		"elicitation/create": asking, "elicitation/complete": asking, "sampling/createMessage": asking,
		"-32603": "only a fault of the sidecar itself causes it; package rpc tests it",
	}
}

func TestEveryLineOfTheContractHasAProof(t *testing.T) {
	var proofs strings.Builder
	proofs.WriteString(testSources(t))
	for _, path := range transcripts(t) {
		proofs.WriteString("\n" + filepath.Base(path))
	}
	for n := 1; n <= lastLine; n++ {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^(L%02d-.*\.txtar|func TestL%d\D.*)$`, n, n)).MatchString(proofs.String()) {
			t.Errorf("L%d has neither a transcript L%02d-….txtar nor a test TestL%d…", n, n, n)
		}
	}
}

// testSources is the text of all tests that may prove a line: those against the
// real binary.
func testSources(t *testing.T) string {
	t.Helper()
	var names strings.Builder
	for _, root := range []string{".", "../cmd"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			names.WriteString("\n" + string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names.String()
}

func TestEveryMethodAndErrorCodeOccursInADialogue(t *testing.T) {
	said := spoken(t)
	reasons := later()
	for _, word := range append(methods(t), codes(t)...) {
		reason, excused := reasons[word]
		switch {
		case said[word] && excused:
			t.Errorf("%s occurs in a dialogue, and is excused: %s", word, reason)
		case !said[word] && !excused:
			t.Errorf("%s occurs in no dialogue", word)
		}
		delete(reasons, word)
	}
	for word := range reasons {
		t.Errorf("%s is excused and does not exist", word)
	}
}

// spoken are the methods and error codes in the messages of the transcripts, but
// for those of MCP, and the codes that the tests in this directory expect.
func spoken(t *testing.T) map[string]bool {
	t.Helper()
	said := map[string]bool{}
	for _, path := range transcripts(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := transcript.Parse(data, withoutPlaceholders)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, step := range flat(onTheWire(tr.Steps)) {
			if step.Verb != transcript.Say && step.Verb != transcript.Expect {
				continue
			}
			var m struct {
				Method string
				Error  struct{ Code json.Number }
			}
			if err := json.Unmarshal([]byte(step.Args[0]), &m); err != nil {
				t.Fatalf("%s:%d: %v", path, step.Line, err)
			}
			said[m.Method] = true
			if step.Verb == transcript.Expect {
				said[m.Error.Code.String()] = true
			}
		}
	}
	expected := regexp.MustCompile(`"error":\{"code":(-?\d+)`)
	text, err := os.ReadFile("processes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range expected.FindAllStringSubmatch(string(text), -1) {
		said[found[1]] = true
	}
	return said
}

// onTheWire are the steps about who speaks the sidecar's own wire.
func onTheWire(steps []transcript.Step) []transcript.Step {
	var kept []transcript.Step
	name := owner
	speaksMCP := map[string]bool{}
	for _, step := range steps {
		switch {
		case step.Verb == transcript.Start:
			speaksMCP[owner] = slices.Contains(step.Args[:min(1, len(step.Args))], mcp)
		case step.Verb == transcript.Attach:
			speaksMCP[step.Args[0]] = slices.Contains(step.Args[1:], mcp)
		case step.Verb == transcript.As:
			name = step.Args[0]
		case !speaksMCP[name]:
			kept = append(kept, step)
		}
	}
	return kept
}

// methods are those of the protocol, in both directions.
func methods(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile("../rpc/protocol.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, found := range regexp.MustCompile(`//rpc:method (\S+)`).FindAllStringSubmatch(string(source), -1) {
		names = append(names, found[1])
	}
	if len(names) == 0 {
		t.Fatal("rpc/protocol.go names no methods")
	}
	return names
}

// codes are the values of the constants Code… in the table of errors.
func codes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../rpc/errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		text, err := constant(spec.Values[0])
		if err != nil {
			t.Errorf("%s: %v", spec.Names[0].Name, err)
		}
		values = append(values, text)
		return true
	})
	if len(values) == 0 {
		t.Fatal("rpc/errors.go has no codes")
	}
	return values
}

// constant is the text of a literal number.
func constant(e ast.Expr) (string, error) {
	sign := ""
	if minus, ok := e.(*ast.UnaryExpr); ok && minus.Op == token.SUB {
		sign, e = "-", minus.X
	}
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		return "", fmt.Errorf("not a literal")
	}
	if _, err := strconv.Atoi(literal.Value); err != nil {
		return "", err
	}
	return sign + literal.Value, nil
}
