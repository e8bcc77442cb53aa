package transport

import (
	"errors"
	"io"
	"net/http"
	"testing"
)

// upgraded answers by 101 and holds the connection, whose end net/http does not
// tie to the request, until it is closed.
func upgraded(w http.ResponseWriter, _ *http.Request, _ frame) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
	_, _ = io.Copy(io.Discard, conn)
}

func TestASwitchOfProtocolsHoldsUpNothing(t *testing.T) {
	t.Run("call", func(t *testing.T) {
		s := dialed(t, Spec{URL: serve(t, onCall(upgraded))}, Hooks{})
		_, err := s.Call(t.Context(), Call{Tool: "tool"})
		var status *HTTPError
		if !errors.As(err, &status) || status.Status != http.StatusSwitchingProtocols {
			t.Errorf("got %v", err)
		}
		if _, err := s.Call(t.Context(), Call{Tool: fine}); err != nil {
			t.Errorf("the next call failed: %v", err)
		}
		s.Close()
	})
	for _, method := range []string{"server/discover", "initialize", "notifications/initialized"} {
		t.Run(method, func(t *testing.T) {
			s, err := dial(t, Spec{URL: serve(t, &fake{methods: map[string]answering{method: upgraded}})}, Hooks{})
			if (err == nil) != (method == "server/discover") {
				t.Errorf("got %v", err)
			}
			if err == nil {
				s.Close()
			}
		})
	}
	for _, kind := range []Kind{HTTP, SSE} {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			t.Run(string(kind)+" "+method, func(t *testing.T) {
				server := &fake{}
				s, err := dial(t, Spec{Kind: kind, URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == method {
						upgraded(w, r, frame{})
						return
					}
					server.ServeHTTP(w, r)
				}))}, Hooks{})
				if (err == nil) != (kind == HTTP) {
					t.Errorf("got %v", err)
				}
				if err == nil {
					s.Close()
				}
			})
		}
	}
}
