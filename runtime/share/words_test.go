package share

import (
	"io"
	"strings"
	"testing"
)

func TestAnInvitationIsAnAbsolutePathAndAToken(t *testing.T) {
	for invitation, want := range map[string]struct{ path, token string }{
		"unix:/run/a.sock#T":      {"/run/a.sock", "T"},
		"unix:/run/a#b/c.sock#T":  {"/run/a#b/c.sock", "T"},
		"unix:/run/with space#T ": {"/run/with space", "T "},
		"unix:/run/a:b#c:d":       {"/run/a:b", "c:d"},
		"":                        {},
		"unix:":                   {},
		"unix:#":                  {},
		"unix:#T":                 {},
		"unix:/run/a.sock":        {},
		"unix:/run/a.sock#":       {},
		"/run/a.sock#T":           {},
		"tcp:/run/a.sock#T":       {},
		"UNIX:/run/a.sock#T":      {},
		" unix:/run/a.sock#T":     {},
		"unix:a.sock#T":           {}, // of which directory?
		"unix:@abstract#T":        {}, // no directory keeps others out of it
		"unix:///run/a.sock#T":    {"///run/a.sock", "T"},
	} {
		path, token, err := parse(invitation)
		if path != want.path || token != want.token || (err == nil) != (want.path != "") {
			t.Errorf("%q: %q, %q, %v", invitation, path, token, err)
		}
		if err != nil && !strings.Contains(err.Error(), "unix:PATH#TOKEN") {
			t.Errorf("%q: the error does not say what it should look like: %v", invitation, err)
		}
	}
}

func TestALineIsReadToItsEndAndNotAByteBeyond(t *testing.T) {
	for text, want := range map[string]struct{ line, rest, err string }{
		"a\nb":                                  {line: "a", rest: "b"},
		"\n\n":                                  {line: "", rest: "\n"},
		"a\r\nb":                                {line: "a\r", rest: "b"},
		"":                                      {err: "EOF"},
		"a":                                     {err: "EOF"},
		strings.Repeat("x", wordSize-1) + "\nb": {line: strings.Repeat("x", wordSize-1), rest: "b"},
		strings.Repeat("x", wordSize) + "\nb":   {rest: "\nb", err: "too long"},
	} {
		r := strings.NewReader(text)
		line, err := readLine(r)
		rest, _ := io.ReadAll(r)
		if line != want.line || string(rest) != want.rest {
			t.Errorf("%.20q: %q, then %q", text, line, rest)
		}
		if (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
