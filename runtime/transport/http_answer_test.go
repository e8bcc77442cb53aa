package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnswersComeInManyForms(t *testing.T) {
	const want = `{"b": 1.0, "a":[12345678901234567890],"é":"\u00e9"}`
	raw := func(contentType, format string) answering {
		return func(w http.ResponseWriter, _ *http.Request, f frame) {
			w.Header().Set("Content-Type", contentType)
			fmt.Fprintf(w, format, f.ID, want)
		}
	}
	const events = "text/event-stream"
	for name, answer := range map[string]answering{
		"a body":                     raw("application/json", `{"jsonrpc":"2.0","id":%s,"result":%s}`),
		"a body with a charset":      raw("application/json; charset=utf-8", `{"jsonrpc":"2.0","id":%s,"result":%s}`),
		"a body of another type":     raw("text/plain", `{"jsonrpc":"2.0","id":%s,"result":%s}`),
		"a byte order mark":          raw("application/json", "\ufeff"+`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\r\n"),
		"the id as text":             raw("application/json", `{"jsonrpc":"2.0","id":"%s","result":%s}`),
		"a null error beside it":     raw("application/json", `{"jsonrpc":"2.0","error":null,"id":%s,"result":%s}`),
		"a batch":                    raw("application/json", `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":%s,"result":%s}]`),
		"an event":                   raw(events, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n"),
		"an event without its end":   raw(events, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}"),
		"CRLF":                       raw(events, "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\r\n\r\n"),
		"CR":                         raw(events, "data:{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\r\r"),
		"a mark before the stream":   raw(events, "\ufeffdata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n"),
		"data on several lines":      raw(events, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":%s,\ndata: \"result\":%s}\n\n"),
		"comments and empty events":  raw(events, ": hello\n\n:\n\nevent: message\n\nid: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n"),
		"fields without a colon":     raw(events, "data\n\nevent\nwhatever\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n"),
		"other events before it":     raw(events, "event: ping\ndata: 12:00\n\ndata: no JSON\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n"),
		"the answer to nobody first": raw(events, "data: {\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n"),
		"bytes one by one": func(w http.ResponseWriter, _ *http.Request, f frame) {
			streaming(w)
			for _, b := range []byte(f.event(want)) {
				_, _ = w.Write([]byte{b})
				flush(w)
			}
		},
		"a stream left open after it": func(w http.ResponseWriter, r *http.Request, f frame) {
			streaming(w)
			_, _ = io.WriteString(w, f.event(want))
			flush(w)
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialed(t, Spec{URL: serve(t, onCall(answer))}, Hooks{})
			got, err := s.Call(t.Context(), Call{Tool: "tool"})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("result %s, want %s", got, want)
			}
		})
	}
}

func TestFailedAnswersSayWhy(t *testing.T) {
	status := func(status int, header, body string) answering {
		return func(w http.ResponseWriter, _ *http.Request, _ frame) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, test := range map[string]struct {
		answer answering
		code   Code
		text   string // in the message
		lost   bool   // the session
	}{
		"too many requests": {status(429, "Retry-After: 7", "slow\n down"), CodeHTTP, "HTTP 429 Too Many Requests: slow down (asks to retry after 7s)", false},
		"overloaded":        {status(503, "", "<html>\n<b>busy</b></html>"), CodeHTTP, "HTTP 503 Service Unavailable: <html> <b>busy</b></html>", false},
		"internal":          {status(500, "", ""), CodeHTTP, "HTTP 500 Internal Server Error", false},
		"unauthorized":      {status(401, "Www-Authenticate: Bearer", ""), CodeAuth, "HTTP 401", false},
		"forbidden":         {status(403, "", "no"), CodeHTTP, "HTTP 403 Forbidden: no", false},
		"too narrow a scope": {
			status(403, `Www-Authenticate: Bearer error="insufficient_scope"`, "no"),
			CodeAuth, "HTTP 403 Forbidden: no", false,
		},
		"moved":        {status(302, "Location: /there", ""), CodeHTTP, "redirected to /there", false},
		"plain 400":    {status(400, "", "bad"), CodeHTTP, "HTTP 400 Bad Request: bad", false},
		"session gone": {status(404, "", "gone"), CodeClosed, "forgotten the session", true},
		"session named": {func(w http.ResponseWriter, _ *http.Request, f frame) {
			f.refuse(w, 400, -32000, "Bad Request: No valid session ID provided")
		}, CodeClosed, "forgotten the session", true},
		"another session": {status(400, "", `argument "session_length" must be positive`), CodeHTTP, "HTTP 400 Bad Request: argument", false},
		"another one by RPC": {func(w http.ResponseWriter, _ *http.Request, f frame) {
			f.refuse(w, 400, -32000, "argument session_length must be positive")
		}, CodeProtocol, "argument session_length must be positive", false},
		"refused": {func(w http.ResponseWriter, _ *http.Request, f frame) {
			f.refuse(w, 400, -32602, "unknown session option")
		}, CodeProtocol, "unknown session option", false},
		"refused by a code that is text": {status(400, "", `{"jsonrpc":"2.0","id":1,"error":{"code":"-32602","message":"unknown session option"}}`), CodeProtocol, "unknown session option", false},
		"refused by a bare text":         {status(400, "", `{"jsonrpc":"2.0","id":1,"error":"no such tool"}`), CodeProtocol, "no such tool", false},
		"refused without an id":          {status(200, "Content-Type: application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read"}}`), CodeProtocol, "cannot read", false},
		"a page":                         {status(200, "Content-Type: text/html", "<p>Hello"), CodeProtocol, `"text/html", which is no JSON-RPC message: <p>Hello`, false},
		"nothing":                        {status(202, "", ""), CodeProtocol, "202 Accepted and no answer", false},
		"another answer":                 {status(200, "Content-Type: application/json", `{"jsonrpc":"2.0","id":5,"result":{}}`), CodeProtocol, "not the answer", false},
		"an empty stream":                {status(200, "Content-Type: text/event-stream", ": hello\n\n"), CodeClosed, "ended the stream before the answer", false},
		"a closed connection": {func(http.ResponseWriter, *http.Request, frame) {
			panic(http.ErrAbortHandler)
		}, CodeClosed, "closed the connection before it answered", false},
		"a broken body": {func(w http.ResponseWriter, _ *http.Request, _ frame) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
			flush(w)
			panic(http.ErrAbortHandler)
		}, CodeClosed, "broke off", false},
		"a body too large": {func(w http.ResponseWriter, _ *http.Request, _ frame) {
			w.Header().Set("Content-Length", "80000000")
			w.WriteHeader(200)
		}, CodeTooLarge, "80000000 bytes, the limit is 67108864", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := dialed(t, Spec{URL: serve(t, onCall(test.answer))}, Hooks{})
			_, err := s.Call(t.Context(), Call{Tool: "tool"})
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatalf("error %v is no *Error", err)
			}
			if failure.Code != test.code || failure.Stage != StageCall || !strings.Contains(failure.Message, test.text) {
				t.Errorf("got %s, stage %s: %s", failure.Code, failure.Stage, failure.Message)
			}
			if failure.NotSent {
				t.Error("claims that the request was not sent")
			}
			if errors.Is(err, ErrSessionLost) != test.lost {
				t.Errorf("session lost: %v, want %v", !test.lost, test.lost)
			}
			if test.lost {
				<-s.Done()
				if !errors.Is(s.Err(), ErrSessionLost) {
					t.Errorf("the session ended with %v", s.Err())
				}
				return
			}
			if _, err := s.Call(t.Context(), Call{Tool: fine}); err != nil {
				t.Errorf("the next call failed: %v", err)
			}
		})
	}
}

func TestTheStatusOfAFailureIsKept(t *testing.T) {
	s := dialed(t, Spec{URL: serve(t, onCall(func(w http.ResponseWriter, _ *http.Request, _ frame) {
		w.Header().Set("Retry-After", "120")
		w.Header().Add("Www-Authenticate", `Bearer resource_metadata="x"`)
		http.Error(w, "later", http.StatusTooManyRequests)
	}))}, Hooks{})
	_, err := s.Call(t.Context(), Call{Tool: "tool"})
	var status *HTTPError
	if !errors.As(err, &status) {
		t.Fatalf("no status in %v", err)
	}
	if status.Status != 429 || status.Body != "later" || status.RetryAfter != 2*time.Minute || len(status.Challenge) != 1 {
		t.Errorf("got %+v", status)
	}
}

func TestAnAnswerOverTheLimitFailsItsCallOnly(t *testing.T) {
	s := dialed(t, Spec{URL: serve(t, onCall(func(w http.ResponseWriter, _ *http.Request, _ frame) {
		streaming(w)
		_, _ = io.WriteString(w, "data: ")
		chunk := []byte(strings.Repeat("x", 1<<20))
		for range 66 {
			_, _ = w.Write(chunk)
		}
	}))}, Hooks{})
	_, err := s.Call(t.Context(), Call{Tool: "tool"})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != CodeTooLarge || !strings.Contains(failure.Message, "69206016 bytes, the limit is 67108864") {
		t.Fatalf("got %v", err)
	}
	if _, err := s.Call(t.Context(), Call{Tool: fine}); err != nil {
		t.Errorf("the next call failed: %v", err)
	}
}

func TestABodyOfUnknownLengthIsBounded(t *testing.T) {
	for size, want := range map[int]Code{0: "", 10: "", 11: CodeTooLarge, 1000: CodeTooLarge} {
		resp := &http.Response{ContentLength: -1, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", size)))}
		body, failure := readBody(resp, 10)
		switch {
		case failure == nil && (want != "" || len(body) != size):
			t.Errorf("%d bytes: read %d", size, len(body))
		case failure != nil && (failure.Code != want || !strings.Contains(failure.Message, fmt.Sprintf("%d bytes, the limit is 10", size))):
			t.Errorf("%d bytes: %v", size, failure)
		}
	}
}

func TestALengthThatIsOnlySaidTakesNoMemory(t *testing.T) {
	resp := &http.Response{ContentLength: maxMessage, Body: io.NopCloser(strings.NewReader("x"))}
	body, failure := readBody(resp, maxMessage)
	if failure != nil || string(body) != "x" || cap(body) > maxMessage/8 {
		t.Errorf("%q in %d bytes, %v", body, cap(body), failure)
	}
}

func TestABrokenAnswerStreamIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var call frame
		server := onCall(func(w http.ResponseWriter, _ *http.Request, f frame) {
			call = f
			streaming(w)
			fmt.Fprintf(w, "retry: 300\nid: one\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1}}\n\n", f.ID)
		})
		resumes := 0
		server.get = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Last-Event-Id") == "" {
				http.Error(w, "no stream of my own", http.StatusMethodNotAllowed)
				return
			}
			resumes++
			streaming(w)
			fmt.Fprintf(w, ": %s\n", r.Header.Get("Last-Event-Id"))
			if resumes == 3 {
				_, _ = io.WriteString(w, call.event(`{"content":[]}`))
			}
		}
		s := connectDirect(t, server, Hooks{})
		defer s.Close()
		progress := 0
		if _, err := s.Call(t.Context(), Call{Tool: "tool", Progress: func(Progress) { progress++ }}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 2100*time.Millisecond || resumes != 3 || progress != 1 {
			t.Errorf("answered after %s, %d resumptions, %d reports", took, resumes, progress)
		}
	})
}

func TestAStreamThatBreaksWithinAnEventIsResumedBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var call frame
		server := onCall(func(w http.ResponseWriter, _ *http.Request, f frame) {
			call = f
			streaming(w)
			whole := "id: two\n" + f.event(`{"content":[]}`)
			_, _ = io.WriteString(w, "id: one\ndata:\n\n"+whole[:len(whole)/2])
		})
		server.get = func(w http.ResponseWriter, r *http.Request) {
			after := r.Header.Get("Last-Event-Id")
			if after == "" {
				http.Error(w, "no stream of my own", http.StatusMethodNotAllowed)
				return
			}
			streaming(w)
			if after == "one" {
				_, _ = io.WriteString(w, "id: two\n"+call.event(`{"content":[]}`))
			}
		}
		s := connectDirect(t, server, Hooks{})
		defer s.Close()
		if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
			t.Error(err)
		}
	})
}

func TestAStreamThatBringsNothingIsNotResumedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := onCall(func(w http.ResponseWriter, _ *http.Request, _ frame) {
			streaming(w)
			_, _ = io.WriteString(w, "id: one\ndata:\n\n")
		})
		server.get = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Last-Event-Id") == "" {
				http.NotFound(w, r)
				return
			}
			streaming(w)
		}
		s := connectDirect(t, server, Hooks{})
		defer s.Close()
		_, err := s.Call(t.Context(), Call{Tool: "tool"})
		var failure *Error
		if !errors.As(err, &failure) || failure.Code != CodeClosed {
			t.Fatalf("got %v", err)
		}
		if got := server.count("GET"); got != 1+maxResumes {
			t.Errorf("%d GETs, want %d", got, 1+maxResumes)
		}
	})
}

func TestTheAnswerMayComeOnTheServersOwnStream(t *testing.T) {
	answers := make(chan string, 1)
	opened := make(chan struct{})
	server := onCall(func(w http.ResponseWriter, _ *http.Request, f frame) {
		w.WriteHeader(http.StatusAccepted)
		answers <- f.event(`{"content":[]}`)
	})
	server.get = func(w http.ResponseWriter, r *http.Request) {
		streaming(w)
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		flush(w)
		select {
		case answer := <-answers:
			_, _ = io.WriteString(w, answer)
			flush(w)
		case <-r.Context().Done():
		}
		<-r.Context().Done()
	}
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{ToolsChanged: func() { close(opened) }})
	<-opened
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil {
		t.Fatal(err)
	}
}

func TestTheEndOfACallIsTold(t *testing.T) {
	arrived, cancelled := make(chan frame, 1), make(chan frame, 1)
	server := &fake{methods: map[string]answering{
		"tools/call": func(_ http.ResponseWriter, r *http.Request, f frame) {
			arrived <- f
			<-r.Context().Done()
		},
		"notifications/cancelled": func(_ http.ResponseWriter, _ *http.Request, f frame) { cancelled <- f },
	}}
	s := dialed(t, Spec{URL: serve(t, server)}, Hooks{})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the user is gone")
	var call frame
	go func() {
		call = <-arrived
		cancel(gone)
	}()
	if _, err := s.Call(ctx, Call{Tool: "tool"}); !errors.Is(err, gone) {
		t.Fatalf("got %v", err)
	}
	var told struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	if err := json.Unmarshal((<-cancelled).Params, &told); err != nil {
		t.Fatal(err)
	}
	if string(told.RequestID) != string(call.ID) || told.Reason != gone.Error() {
		t.Errorf("told %+v about %s", told, call.ID)
	}
}

func TestListChangesOnACallsStreamAreToldBeforeItsResult(t *testing.T) {
	changes := 0 // not guarded: the result comes after them
	s := dialed(t, Spec{URL: serve(t, onCall(func(w http.ResponseWriter, _ *http.Request, f frame) {
		streaming(w)
		_, _ = io.WriteString(w, listChanged+listChanged+f.event(`{"content":[]}`))
	}))}, Hooks{ToolsChanged: func() { changes++ }})
	if _, err := s.Call(t.Context(), Call{Tool: "tool"}); err != nil || changes != 2 {
		t.Errorf("%d changes, %v", changes, err)
	}
}
