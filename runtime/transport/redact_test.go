package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// secret begins and ends with what no text of these tests has otherwise.
var secret = "SECRET-" + strings.Repeat("0123456789", 200) + "-TERCES"

func hideSecret(text string) string { return strings.ReplaceAll(text, secret, "***") }

// tells reports whether a part of the secret is in a text.
func tells(text string) bool {
	return strings.Contains(text, "SECRET-") || strings.Contains(text, "01234567890123456789") || strings.Contains(text, "-TERCES")
}

func TestASecretIsNeverCutInTwo(t *testing.T) {
	t.Parallel()
	hide := redactor(hideSecret)
	const limit = 3000
	for before := 0; before < limit+redactMargin+100; before += 97 {
		for _, text := range []string{
			strings.Repeat(".", before) + secret + strings.Repeat(".", 40_000),
			strings.Repeat(".", before) + secret,
			strings.Repeat(secret, 1+before/200) + strings.Repeat(".", before),
		} {
			for name, shown := range map[string]string{
				"shorten": hide.shorten([]byte(text), limit), "excerpt": hide.excerpt([]byte(text)),
			} {
				if tells(shown) || len(shown) > limit+len("…") {
					t.Fatalf("%s with %d bytes before: %q", name, before, shown)
				}
			}
		}
	}
}

func TestStderrIsRedactedBeforeItIsCut(t *testing.T) {
	t.Parallel()
	for before := maxStderrLine - len(secret) - 1; before <= maxStderrLine; before += 100 {
		var told []string
		tail := stderrTail{redact: hideSecret, line: func(line string) { told = append(told, line) }}
		tail.read(strings.NewReader(strings.Repeat(".", before) + secret + strings.Repeat(".", 100_000) + "\n"))
		if len(told) != 1 || tells(told[0]) || !slices.Equal(told, tail.last()) {
			t.Errorf("with %d bytes before: %q, tail %q", before, told, tail.last())
		}
	}
}

func TestWhatAnHTTPServerSaysIsRedacted(t *testing.T) {
	for name, answer := range map[string]answering{
		"an error page": func(w http.ResponseWriter, _ *http.Request, _ frame) {
			http.Error(w, strings.Repeat(".", maxExcerpt-20)+secret, http.StatusInternalServerError)
		},
		"an error":       func(w http.ResponseWriter, _ *http.Request, f frame) { f.refuse(w, 200, -32000, secret) },
		"a failed error": func(w http.ResponseWriter, _ *http.Request, f frame) { f.refuse(w, 400, -32000, secret) },
		"no answer": func(w http.ResponseWriter, _ *http.Request, _ frame) {
			fmt.Fprint(w, strings.Repeat(".", maxExcerpt-20)+secret)
		},
		"a type": func(w http.ResponseWriter, _ *http.Request, _ frame) {
			w.Header().Set("Content-Type", secret)
			fmt.Fprint(w, "x")
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request, _ frame) {
			http.Redirect(w, r, "/?"+secret, http.StatusFound)
		},
		"a redirect away": func(w http.ResponseWriter, r *http.Request, _ frame) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+secret, http.StatusTemporaryRedirect)
		},
		"a refused access": func(w http.ResponseWriter, _ *http.Request, _ frame) { http.Error(w, secret, http.StatusUnauthorized) },
	} {
		t.Run(name, func(t *testing.T) {
			s := dialed(t, Spec{URL: serve(t, onCall(answer)), Redact: hideSecret}, Hooks{})
			_, err := s.Call(t.Context(), Call{Tool: "tool"})
			var failure *Error
			if !errors.As(err, &failure) || tells(failure.Message) || tells(failure.Hint) {
				t.Fatalf("the error is %q", err)
			}
			var status *HTTPError
			if errors.As(err, &status) && tells(status.Error()) {
				t.Errorf("the status is %q", status)
			}
			var refusal *RPCError
			if errors.As(err, &refusal) && tells(refusal.Error()) {
				t.Errorf("the refusal is %q", refusal)
			}
		})
	}
}

func TestWhatReachesTheHooksIsRedacted(t *testing.T) {
	t.Parallel()
	var told []string
	note := func(text string) { told = append(told, text) }
	in := inbound{redact: hideSecret, hooks: Hooks{Noise: note, Log: func(_, text string) { note(text) }}}
	in.noise("", []byte(strings.Repeat(".", maxSample-10)+secret))
	e, _ := scanEnvelope([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + secret + `"}}`))
	in.take(e)
	l, _ := faked()
	l.redact = hideSecret
	x, err := l.start(t.Context(), question{method: "tools/call", token: true, progress: func(p Progress) { note(p.Message) }})
	if err != nil {
		t.Fatal(err)
	}
	progress, _ := scanEnvelope(fmt.Appendf(nil,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1,"message":%q}}`, x.id, secret))
	l.take(progress)
	if len(told) != 3 || slices.ContainsFunc(told, tells) {
		t.Errorf("told %q", told)
	}
}
