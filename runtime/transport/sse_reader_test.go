package transport

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// events reads a whole stream, one line for each event.
func events(t testing.TB, r io.Reader, limit int) string {
	t.Helper()
	reader := newSSEReader(r, limit)
	var b strings.Builder
	for {
		e, err := reader.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(&b, "%v\n", err)
			}
			return b.String()
		}
		fmt.Fprintf(&b, "%s|%s|%s|%q", e.name, e.id, e.retry, e.data)
		if e.tooLarge() {
			fmt.Fprintf(&b, "…%+v of %d", *e.over, e.size)
		}
		b.WriteByte('\n')
	}
}

func TestEventsAreReadInEveryForm(t *testing.T) {
	for name, test := range map[string]struct{ stream, want string }{
		"nothing":               {"", ""},
		"blank lines":           {"\n\n\r\n\r\r", ""},
		"comments":              {": a\n\n:\n\n", ""},
		"one":                   {"data: x\n\n", "||0s|\"x\"\n"},
		"no space":              {"data:x\n\n", "||0s|\"x\"\n"},
		"two spaces":            {"data:  x\n\n", "||0s|\" x\"\n"},
		"all fields":            {"id: 7\nevent: message\nretry: 1500\ndata: x\n\n", "message|7|1.5s|\"x\"\n"},
		"lines of data":         {"data: a\ndata\ndata: b\n\n", "||0s|\"a\\n\\nb\"\n"},
		"CRLF":                  {"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", "||0s|\"a\\nb\"\n||0s|\"c\"\n"},
		"CR":                    {"data: a\r\rdata: b\r\r", "||0s|\"a\"\n||0s|\"b\"\n"},
		"byte order mark":       {"\ufeffdata: a\n\n", "||0s|\"a\"\n"},
		"unknown fields":        {"foo: 1\n\nbar\ndata: a\n\n", "||0s|\"a\"\n"},
		"an id alone":           {"id: 1\n\n", "|1|0s|\"\"\n"},
		"odd retry":             {"retry: soon\ndata: a\n\nretry: -1\n\n", "||0s|\"a\"\n||0s|\"\"\n"},
		"colons in data":        {"data: {\"a\":\"b:c\"}\n\n", "||0s|\"{\\\"a\\\":\\\"b:c\\\"}\"\n"},
		"without its end":       {"data: a\n\ndata: b", "||0s|\"a\"\n||0s|\"b\"\n"},
		"an id without its end": {"id: 1\ndata: a\n\nid: 2\ndata: b", "|1|0s|\"a\"\n||0s|\"b\"\n"},
		"an id cut off":         {"id: 1\ndata: a\n\nid: 2", "|1|0s|\"a\"\n||0s|\"\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := events(t, strings.NewReader(test.stream), 1<<10); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := events(t, iotest.OneByteReader(strings.NewReader(test.stream)), 1<<10); got != test.want {
				t.Errorf("byte by byte: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAnEventEndingInCRDoesNotWaitForMore(t *testing.T) {
	in, out := io.Pipe()
	defer func() { _ = in.Close() }()
	go func() { _, _ = io.WriteString(out, "data: a\r\r") }()
	e, err := newSSEReader(in, 1<<10).next()
	if err != nil || string(e.data) != "a" {
		t.Errorf("got %q, %v", e.data, err)
	}
}

func TestAnEventThatBreaksOffIsNoEvent(t *testing.T) {
	broken := errors.New("broken")
	stream := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken))
	if got := events(t, stream, 1<<10); got != "||0s|\"a\"\nbroken\n" {
		t.Errorf("got %q", got)
	}
}

func TestOversizedEventsKeepTheirBeginningAndTheirID(t *testing.T) {
	long := `{"result":"` + strings.Repeat("0123456789", 10_000) + `","id":7,"more":"` + strings.Repeat("0123456789", 10_000) + `"}`
	for name, stream := range map[string]string{
		"one line":  "data: " + long + "\n\ndata: next\n\n",
		"no space":  "data:" + long + "\n\ndata: next\n\n",
		"noisy":     ": " + long + "\nevent: message\ndata: " + long + "\n\ndata: next\n\n",
		"two lines": "data: " + long[:4] + "\ndata: " + long[4:] + "\n\ndata: next\n\n",
	} {
		for _, reader := range []io.Reader{strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream)), iotest.HalfReader(strings.NewReader(stream))} {
			r := newSSEReader(reader, 8)
			e, err := r.next()
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Count(name, "two")
			if e.size != len(long)+lines || len(e.data) != 8 || !e.tooLarge() {
				t.Errorf("%s: size %d, kept %d", name, e.size, len(e.data))
			}
			if id := e.over.answered(); string(id) != "7" {
				t.Errorf("%s: the id is %q", name, id)
			}
			if e, err = r.next(); err != nil || string(e.data) != "next" {
				t.Errorf("%s: then %q, %v", name, e.data, err)
			}
		}
	}
}

func TestAnEventAtTheLimitIsWhole(t *testing.T) {
	for size, whole := range map[int]bool{7: true, 8: true, 9: false} {
		e, err := newSSEReader(strings.NewReader("data:"+strings.Repeat("x", size)+"\n\n"), 8).next()
		if err != nil || e.tooLarge() == whole || e.size != size {
			t.Errorf("%d bytes: too large %v, size %d, %v", size, e.tooLarge(), e.size, err)
		}
	}
}

// FuzzSSEReader: how a stream is cut into reads changes nothing.
func FuzzSSEReader(f *testing.F) {
	for _, seed := range []string{"data: a\r\n\r\n", "\ufeffid:1\rdata\r\r", ": c\n\ndata: {}\n\n", "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n", "retry:1\n\n\n", "id:00000000000000000000\r", "event: 00000000000000000000\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		want := events(t, strings.NewReader(stream), 16)
		if got := events(t, iotest.OneByteReader(strings.NewReader(stream)), 16); got != want {
			t.Errorf("%q: byte by byte %q, at once %q", stream, got, want)
		}
	})
}
