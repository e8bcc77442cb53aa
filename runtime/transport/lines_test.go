package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// readLines tells what a reader makes of text, one event a line.
func readLines(r io.Reader, limit int) []string {
	var got []string
	lines := lineReader{
		message: func(e envelope) { got = append(got, "message "+string(e.raw)) },
		unusable: func(id json.RawMessage, why *Error) bool {
			got = append(got, fmt.Sprintf("unusable %s: %s", id, why.Message))
			return true
		},
		noise: func(about string, text []byte) {
			got = append(got, "noise "+about+redactor(nil).shorten(text, maxSample))
		},
		limit: limit,
	}
	lines.read(r)
	return got
}

func TestMessagesAreToldFromEverythingElse(t *testing.T) {
	t.Parallel()
	const n = `{"jsonrpc":"2.0","method":"n"}`
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"a notification", n + "\n", []string{"message " + n}},
		{"no line end", n, []string{"message " + n}},
		{"CRLF, BOM and space around", "\uFEFF " + n + " \t\r\n", []string{"message " + n}},
		{"nothing but space and BOM", "\n\r\n \t\n\uFEFF\n", nil},
		{"two on one line", n + n + "\n", []string{"message " + n, "message " + n}},
		{"two with BOM and space between", n + " \uFEFF\t" + n + "\n", []string{"message " + n, "message " + n}},
		{"two, the second not UTF-8", n + "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}\n", []string{
			"noise a message that is not valid UTF-8, repaired: " + n + "{\"jsonrpc\":\"2.0\",\"method\":\"\uFFFD\"}",
			"message " + n, "message {\"jsonrpc\":\"2.0\",\"method\":\"\uFFFD\"}",
		}},
		{"one and a batch", n + "[" + n + "]\n", []string{"message " + n, "message " + n}},
		{"a batch and one", "[" + n + "]" + n + "\n", []string{"noise [" + n + "]" + n}},
		{"one and an unusable answer", n + `{"jsonrpc":"2.0","id":1}` + "\n", []string{"message " + n, "unusable 1: the answer has neither a result nor an error"}},
		{"one and rubbish", n + " bye\n", []string{"message " + n, "noise bye"}},
		{"a batch", "[" + n + "," + n + "]\n", []string{"message " + n, "message " + n}},
		{"an array", "[1]\n[]\n", []string{"noise [1]", "noise []"}},
		{"half a batch", "[" + n + ",1]\n", []string{"noise [" + n + ",1]"}},
		{"text", "hello\n", []string{"noise hello"}},
		{"an object", `{"a":1}` + "\n", []string{`noise {"a":1}`}},
		{"JSON-RPC 1.0", `{"jsonrpc":"1.0","method":"n"}` + "\n", []string{`noise {"jsonrpc":"1.0","method":"n"}`}},
		{"neither result nor error", `{"jsonrpc":"2.0","id":1}` + "\n", []string{"unusable 1: the answer has neither a result nor an error"}},
		{"an answer that is no JSON", `{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}` + "\n", []string{"unusable 1: the answer is not valid JSON"}},
		{"an answer that breaks off", `{"jsonrpc":"2.0","id":1,"result":{"x":1}` + "\n", []string{`noise {"jsonrpc":"2.0","id":1,"result":{"x":1}`}},
		{"a log line with an id", `{"id":1,"message":"asked"}` + "\n", []string{`noise {"id":1,"message":"asked"}`}},
		{"a batch of which half is of use", `[{"jsonrpc":"2.0","id":1},` + n + "]\n", []string{"unusable 1: the answer has neither a result nor an error", "message " + n}},
		{"a method that is no string", `{"jsonrpc":"2.0","method":5}` + "\n", []string{`noise {"jsonrpc":"2.0","method":5}`}},
		{"broken JSON", `{"jsonrpc":"2.0",,}` + "\n", []string{`noise {"jsonrpc":"2.0",,}`}},
		{"raw control character", "{\"jsonrpc\":\"2.0\",\"method\":\"a\x01\"}\n", []string{"noise {\"jsonrpc\":\"2.0\",\"method\":\"a\x01\"}"}},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}\n", []string{
			"noise a message that is not valid UTF-8, repaired: {\"jsonrpc\":\"2.0\",\"method\":\"\uFFFD\"}", "message {\"jsonrpc\":\"2.0\",\"method\":\"\uFFFD\"}",
		}},
		{"noise that is not UTF-8", "caf\xe9\n", []string{"noise caf\uFFFD"}},
		{"a quote in a string", `{"jsonrpc":"2.0","method":"n","params":{"a":"\\\"}"}}` + "\n", []string{`message {"jsonrpc":"2.0","method":"n","params":{"a":"\\\"}"}}`}},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
		} {
			if got := readLines(r, 1<<20); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s:\n got %q\nwant %q", c.name, name, got, c.want)
			}
		}
	}
}

func TestAMessageTakesNoMoreOfTheStackThanTheOneBeforeItOnItsLine(t *testing.T) {
	t.Parallel()
	var deepest []int
	lines := lineReader{
		message: func(envelope) { deepest = append(deepest, goruntime.Callers(0, make([]uintptr, 1000))) },
		limit:   maxMessage,
	}
	lines.read(strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","method":"n"} `, 100)))
	if len(deepest) != 100 || slices.Max(deepest) != deepest[0] {
		t.Errorf("the depth of the stack at each message: %d", deepest)
	}
}

func TestNestingIsLimited(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]bool{maxNesting - 1: true, maxNesting: false} {
		text := `{"jsonrpc":"2.0","method":"n","params":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
		if _, ok := scanEnvelope([]byte(text)); ok != want {
			t.Errorf("nesting %d inside the message: %v, want %v", depth, ok, want)
		}
	}
	if _, ok := scanEnvelope([]byte(`{"jsonrpc":"2.0","method":"n","params":"` + strings.Repeat("[", 5000) + `"}`)); !ok {
		t.Error("brackets in a string count as nesting")
	}
}

func TestALongLineIsSkippedAndItsIDFound(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 200_000)
	next := `{"jsonrpc":"2.0","method":"next"}`
	for _, c := range []struct{ line, id string }{
		{`{"jsonrpc":"2.0","id":7,"result":"` + text + `"}`, "7"},
		{`{"jsonrpc":"2.0","result":"` + text + `","id":8}`, "8"},
		{`{"jsonrpc":"2.0","result":"` + text + `", "id" : "9" } `, `"9"`},
		{`{"jsonrpc":"2.0","result":{"t":"` + text + `","id":8}}`, ""},
		{`{"jsonrpc":"2.0","result":{"t":"` + text + `","id":8},"id":9}`, "9"},
		{`{"jsonrpc":"2.0","result":"` + text + `","id":10,"more":"` + text + `\\"}`, "10"},
		{`{"jsonrpc":"2.0","result":["\"{` + text + `"],"id":11,"more":[{"id":12}]}`, "11"},
		{`{"jsonrpc":"2.0","method":"n","params":"` + text + `","id":8}`, ""},
		{text, ""},
	} {
		for _, limit := range []int{1000, 100_000} {
			want := []string{tooLarge(int64(len(c.line)+1), int64(limit), false).Message, "message " + next}
			if c.id == "" {
				want[0] = "noise " + want[0]
			} else {
				want[0] = "unusable " + c.id + ": " + want[0]
			}
			if got := readLines(strings.NewReader(c.line+"\n"+next), limit); !slices.Equal(got, want) {
				t.Errorf("%.60s…: %.200q, want %q", c.line, got, want)
			}
		}
	}
}

func TestAnAnswerNestedTooDeepIsUnusable(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{maxNesting, 20_000} { // to the second, no decoder goes
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":7,"result":` + deep + `}`, `{"result":` + deep + `,"id":7,"jsonrpc":"2.0"}`,
		} {
			want := []string{fmt.Sprintf("unusable 7: the answer is nested %d levels deep, the limit is %d", depth+1, maxNesting)}
			if got := readLines(strings.NewReader(line), 1<<20); !slices.Equal(got, want) {
				t.Errorf("%d levels: %.200q, want %q", depth, got, want)
			}
		}
		request := `{"jsonrpc":"2.0","id":7,"method":"n","params":` + deep + `}`
		if got := readLines(strings.NewReader(request), 1<<20); len(got) != 1 || !strings.HasPrefix(got[0], "noise ") {
			t.Errorf("a request: %.200q", got)
		}
	}
}

func TestStderrIsCutIntoLinesAsATerminalWould(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", maxStderrLine+100)
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"a\nb\n", []string{"a", "b"}},
		{"a\r\n\n  \nb", []string{"a", "b"}},
		{"10%\r20%\r30%\rdone\nnext\n", []string{"done", "next"}},
		{"10%\r20%\r", []string{"20%"}},
		{long + "\nz\n", []string{long[:maxStderrLine] + "…", "z"}},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			var got []string
			tail := stderrTail{line: func(s string) { got = append(got, s) }}
			tail.read(r)
			if !slices.Equal(got, c.want) || !slices.Equal(tail.last(), c.want) {
				t.Errorf("%.40q: %.80q, tail %.80q; want %.80q", c.in, got, tail.last(), c.want)
			}
		}
	}
	tail := stderrTail{}
	tail.read(strings.NewReader(strings.Repeat(strings.Repeat("z", 1000)+"\n", 500)))
	if tail.bytes > maxStderrTail || len(tail.last()) != shownStderr {
		t.Errorf("%d bytes and %d lines are kept", tail.bytes, len(tail.last()))
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1}}`,
		"banner\n\uFEFF{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r\n", `[{"jsonrpc":"2.0","method":"n"}]`,
		"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", `{"jsonrpc":"2.0","method":"n"}{"jsonrpc":"2.0","method":"n"}`,
		`{"id":1e3,"jsonrpc":"2.0","result":"\ud800"}`, "{\"jsonrpc\":\"2.0\",\n\"method\":\"n\"}",
		`{"jsonrpc":"2.0","id":5}`, `{"jsonrpc":"2.0","id":5,"result":NaN}`,
		strings.Repeat("long ", 300), `{"jsonrpc":"2.0","id":5,"result":"` + strings.Repeat("x", 1200) + `"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		events := 0
		lines := lineReader{
			message: func(e envelope) {
				events++
				if !json.Valid(e.raw) || bytes.ContainsAny(e.raw, "\n") || !utf8.Valid(e.raw) {
					t.Errorf("message %q is not one line of JSON", e.raw)
				}
				if _, ok := scanEnvelope(e.raw); !ok {
					t.Errorf("message %q is not one on its own", e.raw)
				}
				if e.isAnswer() {
					_, _ = e.answer()
				}
				_, _ = e.message()
				_, _ = number(e.id)
			},
			unusable: func(id json.RawMessage, _ *Error) bool {
				events++
				_, ok := number(id)
				return ok
			},
			noise: func(about string, line []byte) {
				events++
				text := about + redactor(nil).shorten(line, maxSample)
				if !utf8.ValidString(text) || len(text) > 4*maxSample {
					t.Errorf("noise %q is not presentable", text)
				}
			},
			limit: 1000,
		}
		lines.read(bytes.NewReader(in))
		if events == 0 && len(bytes.Trim(in, " \t\r\n\uFEFF\v\f\u0085\u00A0")) > 0 && len(bytes.TrimSpace(in)) > 20 {
			t.Errorf("nothing was told about %q", in)
		}
	})
}

// BenchmarkManyOnOneLine gives the same figure for every number: a line costs what
// is in it.
func BenchmarkManyOnOneLine(b *testing.B) {
	for _, n := range []int{1000, 30_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			line := strings.Repeat(`{"jsonrpc":"2.0","method":"n"} `, n)
			lines := lineReader{message: func(envelope) {}, limit: maxMessage}
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				lines.read(strings.NewReader(line))
			}
		})
	}
}
