package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// converse runs a whole session: the host says in, closes its side, and reads
// to the end.
func converse(t *testing.T, in string, opts Options) ([]string, Outcome) {
	t.Helper()
	var got []string
	var outcome Outcome
	synctest.Test(t, func(t *testing.T) {
		outR, outW := io.Pipe()
		s := NewSession(strings.NewReader(in), outW, opts)
		done := make(chan Outcome, 1)
		go func() { done <- s.Run(t.Context(), &scripted{}) }()
		got = readAll(outR)
		outcome = <-done
	})
	return got, outcome
}

func shortAll(messages []string) string {
	var out []string
	for _, m := range messages {
		out = append(out, short(m))
	}
	return strings.Join(out, " | ")
}

var (
	hello = request(0, MethodInitialize, initParams)
	ping  = request(9, MethodSearch, `{"query":"q"}`)
)

func TestMalformedMessagesAreAnsweredAndTheConnectionGoesOn(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"not JSON", `{"id":`, "null!-32700"},
		{"empty body", ``, "null!-32700"},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"a"}{}`, "null!-32700"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "null!-32700"},
		{"broken batch", `[1,`, "null!-32700"},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"a"}]`, "null!-32600"},
		{"empty batch", `[]`, "null!-32600"},
		{"number", `7`, "null!-32600"},
		{"float id", `{"jsonrpc":"2.0","id":1.5,"method":"a"}`, "1.5!-32600"},
		{"exponent id", `{"jsonrpc":"2.0","id":1e2,"method":"a"}`, "1e2!-32600"},
		{"negative id", `{"jsonrpc":"2.0","id":-7,"method":"a"}`, "-7!-32600"},
		{"huge id", `{"jsonrpc":"2.0","id":99999999999999999999999,"method":"a"}`, "99999999999999999999999!-32600"},
		{"id past 2^53", `{"jsonrpc":"2.0","id":9007199254740992,"method":"a"}`, "9007199254740992!-32600"},
		{"bool id", `{"jsonrpc":"2.0","id":true,"method":"a"}`, "null!-32600"},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"a"}`, "null!-32600"},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"a"}`, "null!-32600"},
		{"neither", `{"jsonrpc":"2.0","id":1}`, "1!-32600"},
		{"both", `{"jsonrpc":"2.0","id":1,"method":"a","result":1}`, "1!-32600"},
		{"empty object", `{}`, "null!-32600"},
		{"jsonrpc missing", `{"id":1,"method":"a"}`, "1!-32600"},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":"x","method":"a"}`, `"x"!-32600`},
		{"jsonrpc number", `{"jsonrpc":2.0,"id":1,"method":"a"}`, "1!-32600"},
		{"method number", `{"jsonrpc":"2.0","id":1,"method":7}`, "1!-32600"},
		{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, "1!-32600"},
		{"params string", `{"jsonrpc":"2.0","id":1,"method":"a","params":"x"}`, "1!-32600"},
		{"params list", `{"jsonrpc":"2.0","id":1,"method":"tools/search","params":[1]}`, "1!-32602"},
		{"params type", `{"jsonrpc":"2.0","id":1,"method":"tools/search","params":{"limit":"x"}}`, "1!-32602"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, "1!-32601"},
		{"not implemented", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, "1!-32601"},
		{"unknown notification", `{"jsonrpc":"2.0","method":"$/unknown"}`, ""},
		{"request without id", `{"jsonrpc":"2.0","method":"tools/search"}`, ""},
		{"answer to nobody", `{"jsonrpc":"2.0","id":77,"result":1}`, ""},
		{"odd answers", `{"jsonrpc":"2.0","id":"x","error":7}`, ""},
		{"padding", `{"jsonrpc":"2.0","id":1,"method":"tools/search"}` + strings.Repeat(" ", 9000), "1=ok"},
		{"padding before", "\r\n\t " + `{"jsonrpc":"2.0","id":1,"method":"tools/search"}`, "1=ok"},
		{"BOM in the body", bom + `{"jsonrpc":"2.0","id":1,"method":"tools/search"}`, "1=ok"},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"tools/search","params":null}`, "1=ok"},
		{"half a surrogate pair", `{"jsonrpc":"2.0","id":1,"method":"tools/search","params":{"query":"\ud83d"}}`, "1=ok"},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"tools/search","x":[{"id":5}],"params":{"y":1}}`, "1=ok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := []string{"0=ok", tt.want, "9=ok"}
			if tt.want == "" {
				want = []string{"0=ok", "9=ok"}
			}
			got, outcome := converse(t, framed(hello)+framed(tt.body)+framed(ping), Options{})
			// Answers to requests come in any order.
			all := shortAll(got)
			for _, w := range want {
				if !strings.Contains(" | "+all+" | ", " | "+w+" | ") {
					t.Errorf("got %s, want %s in it", all, w)
				}
			}
			if len(got) != len(want) || outcome.Code != 0 || outcome.End != EndInput {
				t.Errorf("got %s, %+v", all, outcome)
			}
		})
	}
}

func TestHeadersAreReadAsPeopleWriteThem(t *testing.T) {
	body := hello
	length := strings.TrimSuffix(strings.TrimPrefix(framed(body), "Content-Length: "), "\r\n\r\n"+body)
	for name, header := range map[string]string{
		"lower case":     "content-length: " + length + "\r\n\r\n",
		"no space":       "Content-Length:" + length + "\r\n\r\n",
		"much space":     "Content-Length :   " + length + " \r\n\r\n",
		"LF only":        "Content-Length: " + length + "\n\n",
		"BOM":            bom + "Content-Length: " + length + "\r\n\r\n",
		"blank before":   "\r\n\n  Content-Length: " + length + "\r\n\r\n",
		"other headers":  "X-A: b\r\nContent-Length: " + length + "\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
		"the same twice": "Content-Length: " + length + "\r\nContent-Length: " + length + "\r\n\r\n",
		"8 KiB of them":  "X: " + strings.Repeat("y", maxHeaderBlock-len("X: \r\nContent-Length: "+length+"\r\n\r\n")) + "\r\nContent-Length: " + length + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, outcome := converse(t, header+body+framed(ping), Options{})
			if all := shortAll(got); all != "0=ok | 9=ok" || outcome.Code != 0 {
				t.Errorf("got %s, %+v", all, outcome)
			}
		})
	}
}

func TestAnUnreadableHeaderBlockEndsTheConnectionWithCode2(t *testing.T) {
	for name, in := range map[string]string{
		"no colon":      "hello\r\n\r\n",
		"no length":     "X-A: b\r\n\r\n",
		"negative":      "Content-Length: -5\r\n\r\n",
		"words":         "Content-Length: many\r\n\r\n",
		"too many":      "Content-Length: 99999999999999999999999999\r\n\r\n",
		"contradiction": "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"over 8 KiB":    "X: " + strings.Repeat("y", maxHeaderBlock) + "\r\n\r\n",
		"endless line":  strings.Repeat("y", 2*maxHeaderBlock),
	} {
		t.Run(name, func(t *testing.T) {
			var log lockedBuffer
			got, outcome := converse(t, framed(hello)+in, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if log.String() != "" { // who runs the session has the error, and says it
				t.Errorf("logged: %s", log.String())
			}
			var header *HeaderError
			if outcome.Code != 2 || outcome.End != EndUnreadable || !errors.As(outcome.Err, &header) {
				t.Errorf("outcome %+v", outcome)
			}
			if all := shortAll(got); all != "0=ok" && all != "0!1006" {
				t.Errorf("what came before is answered: got %s", all)
			}
		})
	}
}

func TestAnOversizedBodyIsSkippedAndAnswered(t *testing.T) {
	big := request(1, MethodSearch, `{"query":"`+strings.Repeat("x", 3000)+`"}`)
	for _, tt := range []struct {
		name    string
		framing func(string) string
	}{
		{"headers", framed},
		{"ndjson", func(b string) string { return b + "\n" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.framing(hello) + tt.framing(big) + tt.framing(ping)
			got, outcome := converse(t, in, Options{MaxMessage: 1000})
			if all := shortAll(got); !strings.Contains(all, "1!-32600") || !strings.Contains(all, "9=ok") || len(got) != 3 {
				t.Errorf("got %s, %+v", all, outcome)
			}
		})
	}
	exact := request(1, MethodSearch, `{"query":"x"}`)
	got, _ := converse(t, hello+"\n"+exact+"\n", Options{MaxMessage: int64(max(len(exact), len(hello)))})
	if all := shortAll(got); all != "0=ok | 1=ok" {
		t.Errorf("a body of exactly the limit: got %s", all)
	}
}

// A refusal without an id leaves the host waiting for ever; one under the id of
// something else is worse.
func TestAnOversizedRequestIsAnsweredUnderItsID(t *testing.T) {
	pad := func(size int) string { return `"params":{"x":"` + strings.Repeat("x", size) + `"}` }
	for _, tt := range []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":7,"method":"m",` + pad(9000) + `}`, `7`},
		{` { "method" : "m" , "id" : "a\u0062" , ` + pad(9000) + `}`, `"a\u0062"`},
		{`{"jsonrpc":"2.0","id":7,"method":"m",` + pad(300) + `}`, `7`},
		{`{"jsonrpc":"2.0","id":7,"result":{` + pad(9000) + `}}`, ``},
		{`{"jsonrpc":"2.0","method":"m",` + pad(9000) + `}`, ``},
		{`{"jsonrpc":"2.0","id":7,` + pad(9000) + `,"method":"m"}`, ``},
		{`{"jsonrpc":"2.0","id":null,"method":"m",` + pad(9000) + `}`, ``},
		{`{"jsonrpc":"2.0","id":[7],"method":"m",` + pad(9000) + `}`, ``},
		{`{"method":"m","id":` + strings.Repeat("7", 9000) + `}`, ``},
		{`{"method":"` + strings.Repeat("m", shownHead-len(`{"method":"","id":77`)) + `","id":7777,` + pad(9000) + `}`, ``}, // cut within the number
		{`[` + strings.Repeat(" ", 9000) + `]`, ``},
		{strings.Repeat("x", 9000), ``},
	} {
		for _, framing := range []Framing{FramingHeaders, FramingNDJSON} {
			in := framed(tt.body)
			if framing == FramingNDJSON {
				in = tt.body + "\n"
			}
			_, err := NewFrameReader(strings.NewReader(in), framing, 300).Next()
			var large *TooLargeError
			if !errors.As(err, &large) || string(large.RequestID()) != tt.want {
				t.Errorf("%s %.60s: %v", framing, tt.body, err)
			}
		}
	}
}

func TestOnlyTheWordsForFramingAreTaken(t *testing.T) {
	for word, ok := range map[string]bool{"auto": true, "headers": true, "ndjson": true, "": false, "NDJSON": false, "lines": false} {
		f, err := ParseFraming(word)
		if (err == nil) != ok || (ok && string(f) != word) {
			t.Errorf("%q: %q, %v", word, f, err)
		}
		if !ok && !strings.Contains(err.Error(), "auto, headers, ndjson") {
			t.Errorf("%q: the words are not said: %v", word, err)
		}
	}
}

func TestFramingFollowsTheHostsFirstByte(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		framing  Framing
		ndjson   bool
	}{
		{"headers", framed(hello), FramingAuto, false},
		{"ndjson", hello + "\n", FramingAuto, true},
		{"ndjson after blanks and a BOM", bom + "\n  \r\n" + hello + "\r\n", FramingAuto, true},
		{"ndjson without a last line feed", hello, FramingAuto, true},
		{"ndjson that begins with a batch", "[]\n" + hello, FramingAuto, true},
		{"ndjson asked for", "nonsense\n\n" + hello, FramingNDJSON, true},
		{"headers asked for", framed(hello), FramingHeaders, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outR, outW := io.Pipe()
				s := NewSession(iotest.OneByteReader(strings.NewReader(tt.in)), outW, Options{Framing: tt.framing})
				go s.Run(t.Context(), &scripted{})
				text, _ := io.ReadAll(outR)
				if got := strings.HasSuffix(string(text), "\n"); got != tt.ndjson {
					t.Errorf("ndjson: %t, want %t: %q", got, tt.ndjson, text)
				}
				if got := strings.HasPrefix(string(text), "Content-Length: "); got == tt.ndjson {
					t.Errorf("headers: %t: %q", got, text)
				}
				if !strings.Contains(string(text), `"id":0,"result"`) {
					t.Errorf("no answer: %q", text)
				}
			})
		})
	}
}

func TestRawJSONTravelsByteForByteButForLineBreaksInNDJSON(t *testing.T) {
	const arguments = "{\"z\":1,\n \"a\":1.0,\r\n\"n\":12345678901234567890123,\"h\":\"<&>\\u2028\",\"a\":2}"
	call := request(1, MethodCall, `{"name":"t","arguments":`+arguments+`}`)
	got, _ := converse(t, framed(hello)+framed(call), Options{})
	if want := `"result":` + arguments + `,`; !strings.Contains(got[1], want) {
		t.Errorf("got %s", got[1])
	}
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			return &CallResult{Result: []byte(arguments)}, nil
		}}, Options{Framing: FramingNDJSON})
		p.initialize()
		p.send(request(1, MethodCall, `{}`))
		want := `"result":` + strings.NewReplacer("\n", " ", "\r", " ").Replace(arguments) + `,`
		if got := p.all(); len(got) != 2 || !strings.Contains(got[1], want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestAnIDInFlightIsRefusedAndTheFirstRequestIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := start(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			<-release
			return &CallResult{}, nil
		}}, Options{})
		p.initialize()
		p.send(request("a", MethodCall, `{}`), `{"jsonrpc":"2.0","id":"\u0061","method":"mcp/servers"}`)
		p.expect(`0=ok | "\u0061"!-32600`)
		close(release)
		p.expect(`"a"=ok`)
		p.send(request("a", MethodServers, `{}`))
	})
}

func TestInputThatEndsInsideAFrameIsTheEndOfInput(t *testing.T) {
	for _, in := range []string{"Content-Le", "Content-Length: 10\r\n\r\n{", bom[:1]} {
		if _, outcome := converse(t, framed(hello)+in, Options{}); outcome.Code != 0 && in != bom[:1] {
			t.Errorf("%q: %+v", in, outcome)
		}
	}
}

func TestASlowHostIsUnderstood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{})
		for _, b := range []byte(framed(hello)) {
			p.raw(string(b))
			time.Sleep(time.Second)
		}
		p.expect("0=ok")
	})
}

func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		framed(hello) + framed(ping), hello + "\n" + ping + "\n", "Content-Length: 0\r\n\r\n", bom + "content-length:2\n\n{}",
		"[]\n{}\nx", "Content-Length: 99\r\n\r\nshort", framed(`{"jsonrpc":"2.0","id":1.5,"method":"a"}`) + "X\r\n\r\n",
		strings.Repeat("a", 9000), framed("\xff\xfe"), framed(`{"jsonrpc":"2.0","id":1,"result":null}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewFrameReader(strings.NewReader(string(in)), FramingAuto, 1000)
		for range len(in) + 2 {
			body, err := r.Next()
			var large *TooLargeError
			switch {
			case errors.As(err, &large):
				_ = large.RequestID()
				continue
			case err != nil:
				return
			}
			m, fault := parseMessage(body)
			if len(body) > 1002 || (fault == nil && m.method == "" && m.result == nil && m.fault == nil) {
				t.Fatalf("body %q became %+v", body, m)
			}
			if m.id != nil && fault == nil {
				_ = idKey(m.id)
			}
		}
		t.Fatal("the reader does not come to an end")
	})
}
