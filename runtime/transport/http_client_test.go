package transport

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// keyed is a spec with a secret header.
func keyed(target string) Spec {
	return Spec{URL: target, Headers: http.Header{"x-key": {"secret"}, "Authorization": {"Bearer secret"}}}
}

func hasSecret(r *http.Request) bool {
	return r.Header.Get("X-Key") == "secret" && r.Header.Get("Authorization") == "Bearer secret"
}

func TestConfiguredHeadersReachEveryRequestToTheirOrigin(t *testing.T) {
	listening := make(chan struct{})
	server := &fake{get: func(_ http.ResponseWriter, r *http.Request) {
		close(listening)
		<-r.Context().Done()
	}}
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hasSecret(r) {
			t.Errorf("%s without the headers", r.Method)
		}
		server.ServeHTTP(w, r)
	}))
	s := dialed(t, keyed(url), Hooks{})
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
		t.Fatal(err)
	}
	<-listening
	s.Close()
	if server.count("DELETE") != 1 {
		t.Errorf("saw %s", server.log())
	}
}

func TestRedirectsWithinTheOriginKeepBodyAndHeaders(t *testing.T) {
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			server := &fake{}
			final := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !hasSecret(r) {
					t.Errorf("%s with headers: %v", r.Method, r.Header)
				}
				server.ServeHTTP(w, r)
			})
			mux := http.NewServeMux()
			mux.Handle("/final", final)
			mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/final", status)
			})
			s := dialed(t, keyed(serve(t, mux)+"/mcp"), Hooks{})
			if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
				t.Fatal(err)
			}
			if server.count("POST tools/call") != 1 {
				t.Errorf("saw %s", server.log())
			}
		})
	}
}

func TestNothingIsCarriedToAnotherOrigin(t *testing.T) {
	elsewhere := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s with headers: %v", r.Method, r.Header)
	}))
	for _, kind := range []Kind{HTTP, SSE} {
		for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			here := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere+"/mcp?key=value", status)
			}))
			spec := keyed(here)
			spec.Kind = kind
			_, err := dial(t, spec, Hooks{})
			var failure *Error
			if !errors.As(err, &failure) || failure.Code != CodeHTTP {
				t.Fatalf("%s, %d: %v", kind, status, err)
			}
			if !strings.Contains(failure.Message, elsewhere+"/mcp,") || failure.Hint != "configure the URL "+elsewhere+"/mcp" {
				t.Errorf("%s, %d: %q, hint %q", kind, status, failure.Message, failure.Hint)
			}
		}
	}
}

func TestRedirectsEnd(t *testing.T) {
	loop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
	}))
	host := strings.TrimPrefix(loop, "http://")
	if _, err := dial(t, Spec{URL: loop}, Hooks{}); err == nil || !strings.HasPrefix(err.Error(), host+": redirected more than 10 times") {
		t.Errorf("got %v", err)
	}
	secure := &http.Request{Method: "POST", URL: &url.URL{Scheme: "https", Host: "a"}}
	plain := &http.Request{Method: "POST", URL: &url.URL{Scheme: "http", Host: "a"}}
	if err := checkRedirect(plain, []*http.Request{secure}); err == nil {
		t.Error("a redirect may give up encryption")
	}
}

func TestOriginsAreComparedInOneForm(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"http://host/a", "http://host:80/b?c", true},
		{"https://HOST", "https://host:443", true},
		{"http://[::1]:8080/", "http://[::1]:8080/x", true},
		{"http://host", "https://host", false},
		{"http://host:80", "https://host:80", false},
		{"http://host", "http://host:8080", false},
		{"http://host", "http://sub.host", false},
		{"http://user@host", "http://host", true},
	} {
		a, _ := url.Parse(test.a)
		b, _ := url.Parse(test.b)
		if (origin(a) == origin(b)) != test.same {
			t.Errorf("%s and %s: same %v, want %v", test.a, test.b, !test.same, test.same)
		}
	}
}

func TestURLsThatCannotBeReachedSayWhy(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewUnstartedServer(&fake{})
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := serve(t, &fake{})
	for name, test := range map[string]struct {
		url  string
		code Code
		text string
	}{
		"nobody listens":      {closed.URL, CodeRefused, "connection refused"},
		"unknown authority":   {secure.URL, CodeRefused, "unknown authority"},
		"no TLS":              {strings.Replace(plain, "http", "https", 1), CodeRefused, "does not speak TLS"},
		"a Unix socket":       {"unix:///run/mcp.sock", CodeProtocol, "unix:// URLs are not supported"},
		"another scheme":      {"ftp://host/", CodeProtocol, `scheme "ftp" is not supported`},
		"no host":             {"http:///mcp", CodeProtocol, "names no host"},
		"no URL":              {"http://[", CodeProtocol, "invalid URL"},
		"nothing there":       {serve(t, http.NotFoundHandler()), CodeHTTP, "404 page not found during initialize (and it is no SSE endpoint: HTTP 404"},
		"nothing but an area": {serve(t, http.RedirectHandler("/login", http.StatusFound)), CodeHTTP, "redirected to /login"},
	} {
		t.Run(name, func(t *testing.T) {
			staged := false
			_, err := dial(t, Spec{URL: test.url}, Hooks{Stage: func(Stage) { staged = true }})
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatalf("error %v is no *Error", err)
			}
			if failure.Code != test.code || !strings.Contains(failure.Message, test.text) {
				t.Errorf("got %s: %s", failure.Code, failure.Message)
			}
			want := StageConnect
			if test.code == CodeHTTP {
				want = StageInitialize
			}
			if failure.Stage != want || staged != (want == StageInitialize) {
				t.Errorf("stage %s (told: %v), want %s", failure.Stage, staged, want)
			}
		})
	}
}

func TestACallThatReachedNobodyIsKnownNotToBeSent(t *testing.T) {
	server := httptest.NewServer(&fake{})
	s := dialed(t, Spec{URL: server.URL}, Hooks{})
	server.Close()
	s.link.(*httpLink).remote.close() // or it might be sent on a dying connection
	_, err := s.Call(t.Context(), Call{Tool: "tool"})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != CodeRefused || !failure.NotSent || failure.Stage != StageCall {
		t.Errorf("got %+v", failure)
	}
}

// TestProxyIsTakenFromTheEnvironment runs its other half in a process of its
// own: net/http reads the environment once.
func TestProxyIsTakenFromTheEnvironment(t *testing.T) {
	const target = "http://server.invalid/mcp"
	if os.Getenv("HTTP_PROXY_TEST") != "" {
		dialed(t, Spec{URL: target}, Hooks{})
		return
	}
	server := &fake{}
	proxy := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "server.invalid" {
			t.Errorf("asked for %s", r.URL)
		}
		server.ServeHTTP(w, r)
	}))
	child := exec.Command(os.Args[0], "-test.run=^TestProxyIsTakenFromTheEnvironment$")
	child.Env = append(os.Environ(), "HTTP_PROXY_TEST=1", "HTTP_PROXY="+proxy, "NO_PROXY=")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if server.count("POST initialize") != 1 {
		t.Errorf("the proxy saw %q", server.log())
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-5": 0, "soon": 0, "99999999999999": 0,
		"Sun, 01 Mar 2026 12:01:00 GMT": time.Minute,
		"Sun, 01 Mar 2026 11:00:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestExcerptsAreShortLinesOfText(t *testing.T) {
	for body, want := range map[string]string{
		"":                             "",
		" a\n\n\tb\x00 ":               "a b\x00",
		"\xff\xfeok":                   "ok",
		strings.Repeat("é", 400):       strings.Repeat("é", 150) + "…",
		"x" + strings.Repeat("é", 400): "x" + strings.Repeat("é", 149) + "…",
	} {
		if got := redactor(nil).excerpt([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestAConfiguredHostHeaderIsSent(t *testing.T) {
	var host string
	url := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { host = r.Host }))
	r, err := newRemote(Spec{URL: url, Headers: http.Header{"Host": {"virtual.test"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	resp, failure := r.send(t.Context(), outgoing{method: http.MethodGet, url: r.url})
	if failure != nil {
		t.Fatal(failure)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if host != "virtual.test" {
		t.Errorf("host %q", host)
	}
}

func TestAServerThatAsksForAuthorizationIsAskedOnce(t *testing.T) {
	for _, kind := range []Kind{HTTP, SSE} {
		asked := 0
		_, err := dial(t, Spec{Kind: kind, URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}))}, Hooks{})
		var failure *Error
		var status *HTTPError
		if !errors.As(err, &failure) || failure.Code != CodeAuth || !errors.As(err, &status) || len(status.Challenge) != 1 {
			t.Errorf("%s: got %v", kind, err)
		}
		if asked != 1 {
			t.Errorf("%s: asked %d times", kind, asked)
		}
	}
}
