package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestSecretsAreHidden(t *testing.T) {
	const key = `a"b<c>/d e&f+é`
	quoted, _ := json.Marshal(key)
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
	for _, tc := range []struct {
		what    string
		secrets []string
		in      string
		want    string
	}{
		{"nothing to hide", nil, "token=abcdefgh", "token=abcdefgh"},
		{"every occurrence", []string{"abcdefgh"}, "abcdefgh, abcdefgh!", "[redacted], [redacted]!"},
		{"short ones stay", []string{"abcdefg"}, "abcdefg", "abcdefg"},
		{"characters, not bytes", []string{"ééééé"}, "ééééé", "ééééé"},
		{"the longest wins", []string{"abcdefgh", "abcdefghij"}, "abcdefghijk", "[redacted]k"},
		{"no end of an overlapping one stays", []string{"abcdefgh", "efghijkl"}, "xabcdefghijkly", "x[redacted]y"},
		{"a secret that overlaps itself", []string{"abababab"}, "xababababaxb", "x[redacted]axb"},
		{"as it is", []string{key}, "k=" + key + ";", "k=[redacted];"},
		{"in JSON", []string{key}, `{"k":` + plain + `}`, `{"k":"[redacted]"}`},
		{"in JSON for HTML", []string{key}, `{"k":` + string(quoted) + `}`, `{"k":"[redacted]"}`},
		{"in a query", []string{key}, "?k=" + url.QueryEscape(key) + "&x", "?k=[redacted]&x"},
		{"without the escapes of a URL", []string{"p%40ss%2Fw0rd!"}, "p@ss/w0rd!", "[redacted]"},
		{"in a path", []string{key}, "/" + url.PathEscape(key) + "/x", "/[redacted]/x"},
		{"escaped in lower case", []string{"abc/def/ghi/"}, "?k=abc%2fdef%2fghi%2f", "?k=[redacted]"},
		{"a line of many", []string{"-----KEY-----\nline two of it\nok\n"}, "got line two of it, ok", "got [redacted], ok"},
		{"with blanks around", []string{" abcdefgh\n"}, "<abcdefgh>", "<[redacted]>"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			var r redactor
			r.add(tc.secrets...)
			r.add(tc.secrets...)
			if got := r.clean(tc.in); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestNoRedactorHidesNothing(t *testing.T) {
	if got := (*redactor)(nil).clean("abc"); got != "abc" {
		t.Errorf("got %q", got)
	}
}

func TestRedactorIsSafeToShare(t *testing.T) {
	var r redactor
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				secret := fmt.Sprintf("secret-%d-%d-value", g, i)
				r.add(secret)
				if got := r.clean("x " + secret); got != "x [redacted]" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkClean(b *testing.B) {
	line := strings.Repeat("an ordinary line of a log ", 5)
	for _, n := range []int{0, 1, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r redactor
			for i := range n {
				r.add(fmt.Sprintf("secret value/%d", i))
			}
			for b.Loop() {
				r.clean(line)
			}
		})
	}
}

func TestTheSecretOfAnEndpointIsTakenOut(t *testing.T) {
	m := &Manager{redact: &redactor{}, opt: Options{Share: func(context.Context) (endpoint, secret string, err error) {
		return "unix:/run/a.sock#SECRET-TOKEN", "SECRET-TOKEN", nil
	}}}
	answer, err := (&Client{m: m}).Share(t.Context(), &rpc.ShareParams{})
	if err != nil || answer.Endpoint != "unix:/run/a.sock#SECRET-TOKEN" {
		t.Errorf("%v, %v", answer, err)
	}
	if got := m.redact.clean(answer.Endpoint); got != "unix:/run/a.sock#[redacted]" {
		t.Errorf("%q", got)
	}
}
