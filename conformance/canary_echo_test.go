//go:build unix

package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// echo is a server that says whatever it was asked with, in as many ways as it
// has paths.
type echo struct {
	*httptest.Server

	mu       sync.Mutex
	received strings.Builder // guarded by mu
}

func newEcho() *echo {
	e := &echo{}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	return e
}

// told is all that was received.
func (e *echo) told() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.received.String()
}

// secrets are what of a request may be one: as it travels, and as a server
// understands it.
func secrets(r *http.Request) []string {
	var all []string
	if user, password, ok := r.BasicAuth(); ok {
		all = append(all, password, user)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if name == "Authorization" || name == "Cookie" || strings.HasPrefix(name, "X-") {
			all = append(all, r.Header.Get(name))
		}
	}
	for _, values := range r.URL.Query() {
		all = append(all, values...)
	}
	if r.URL.RawQuery != "" {
		all = append(all, r.URL.RawQuery)
	}
	return all
}

func (e *echo) answer(w http.ResponseWriter, r *http.Request) {
	all := secrets(r)
	text := strings.Join(all, "\n")
	e.mu.Lock()
	fmt.Fprintln(&e.received, text)
	e.mu.Unlock()
	switch path := r.URL.Path; path {
	case "/401":
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm=%q, error_description=%q`, strings.Join(all, " "), strings.Join(all, " ")))
		http.Error(w, text, http.StatusUnauthorized)
	case "/403":
		http.Error(w, text, http.StatusForbidden)
	case "/500":
		http.Error(w, text, http.StatusInternalServerError)
	case "/redirect":
		w.Header().Set("Location", "http://127.0.0.1:1/?"+r.URL.RawQuery+"&auth="+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "/html":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintln(w, "<html>", text)
	default:
		e.speak(w, r, strings.Join(all, " "), path == "/error")
	}
}

// speak answers as an MCP server, whose every word is a secret.
func (e *echo) speak(w http.ResponseWriter, r *http.Request, text string, refuses bool) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var x struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &x) != nil || x.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		http.Error(w, "no JSON", http.StatusInternalServerError)
		return
	}
	answer := fmt.Sprintf(`"error":{"code":-32000,"message":%s}`, quoted)
	switch {
	case refuses:
	case x.Method == "initialize":
		answer = fmt.Sprintf(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":%s,"version":"1"},"instructions":%s}`, quoted, quoted)
	case x.Method == "tools/list":
		answer = `"result":{"tools":[{"name":"fail","inputSchema":{"type":"object"}}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, x.ID, answer)
}
