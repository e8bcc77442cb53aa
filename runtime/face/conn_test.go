package face

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestACancelledCallIsNotAnsweredAndTheSessionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 1)
		impl := &scripted{call: func(ctx context.Context, _ *rpc.CallParams) (*rpc.CallResult, error) {
			<-ctx.Done()
			told <- context.Cause(ctx)
			return nil, ctx.Err()
		}}
		w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`)
		synctest.Wait()
		w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		w.hears(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		if err := <-told; !errors.Is(err, &rpc.Error{Code: rpc.CodeCancelled}) {
			t.Errorf("the session was told %v", err)
		}
		if err := w.end(); err != nil || time.Since(w.begun) != 0 {
			t.Errorf("%v after %v", err, time.Since(w.begun))
		}
	})
}

func TestWhatComesBeforeTheHandshakeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil), nil)
		w.say(list)
		w.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"method \"tools/list\" is invalid during session initialization"}}`)
		w.shake(`{}`)
		_ = w.end()
	})
}

func TestAnAnswerOnItsWayCannotBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impl := &scripted{call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) {
			return &rpc.CallResult{Result: json.RawMessage(`{"content":[]}`)}, nil
		}}
		wait := make(chan struct{})
		w := begin(t, impl, view(1, nil, tools("a/x")...), func(o *Options) { o.Out = &holding{o.Out, `"content"`, wait} })
		w.shake(`{}`)
		const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`
		w.say(call)
		synctest.Wait()
		w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		synctest.Wait()
		close(wait)
		w.hears(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		w.say(call) // the next one of that id is not taken for it
		w.hears(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		if err := w.end(); err != nil || time.Since(w.begun) != 0 {
			t.Errorf("%v after %v", err, time.Since(w.begun))
		}
	})
}

func TestBadLinesAreAnsweredAndSkipped(t *testing.T) {
	fault := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
	}
	const notID = "the id is neither a string nor an integer up to 2^53"
	for _, tt := range []struct{ line, want string }{
		{`hello`, fault("null", -32700, "the line is not JSON: a message is one object on one line")},
		{`{"jsonrpc":"2.0","id":1`, fault("null", -32700, "the line is not JSON: a message is one object on one line")},
		{`{} {}`, fault("null", -32700, "the line is not JSON: a message is one object on one line")},
		{`7`, fault("null", -32600, "the message is not an object")},
		{`[]`, fault("null", -32600, "the batch is empty")},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, fault("null", -32600, notID)},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, fault("null", -32600, notID)},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, fault("null", -32600, notID)},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, fault("5", -32600, `invalid message version tag "1.0"; expected "2.0"`)},
		{"\ufeff" + `{"jsonrpc":"2.0","id":-3,"method":"ping"}` + "\r", `{"jsonrpc":"2.0","id":-3,"result":{}}`},
		{`[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"no/such"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: \"no/such\""}}`},
		{strings.Replace(initialize(`{}`), `"i"`, `4`, 1), fault("4", -32600, `duplicate "initialize" received`)},
		{`{"jsonrpc":"2.0","id":4,"result":{}}`, ``},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{}, view(1, nil), nil)
			w.shake(`{}`)
			w.say(tt.line)
			if got := strings.Join(w.all(), "\n"); got != tt.want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.line, got, tt.want)
			}
			w.say(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
			w.hears(`{"jsonrpc":"2.0","id":"after","result":{}}`)
			if err := w.end(); err != nil || time.Since(w.begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
		})
	}
}

func TestACallThatIsNotUTF8IsRepairedAndAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impl := &scripted{call: func(_ context.Context, p *rpc.CallParams) (*rpc.CallResult, error) {
			return &rpc.CallResult{Result: p.Arguments}, nil
		}}
		w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x","arguments":{"a":"` + "\xff\xfe\xe8" + `b"}}}`)
		w.hears(`{"jsonrpc":"2.0","id":2,"result":{"a":"` + "\ufffd" + `b"}}`)
		if err := w.end(); err != nil || time.Since(w.begun) != 0 {
			t.Errorf("%v after %v", err, time.Since(w.begun))
		}
	})
}

func TestACallThatIsTooLargeIsAnswered(t *testing.T) {
	w := struct{ in, out bytes.Buffer }{}
	const head = `{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"a_x","arguments":{"a":"`
	w.in.WriteString(head)
	w.in.Write(bytes.Repeat([]byte("x"), rpc.DefaultMaxMessage))
	w.in.WriteString("\"}}}\n")
	c := newConn(&w.in, &w.out, func() bool { return true }, slog.New(slog.DiscardHandler))
	if m, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("read %v, %v", m, err)
	}
	if got := w.out.String(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"big","error":{"code":-32600,`) {
		t.Errorf("answered %s", got)
	}
}

// failing is a client's side that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestAnEndThatIsNotTheClientsDoingIsLogged(t *testing.T) {
	for err, logged := range map[error]string{
		io.EOF: "", syscall.EPIPE: "", syscall.ECONNRESET: "",
		syscall.EISDIR: "cannot be read", syscall.ENOSPC: "cannot be written to",
	} {
		log := &syncBuffer{}
		in := io.Reader(failing{err})
		if errors.Is(err, syscall.ENOSPC) {
			in = strings.NewReader("what is no message\n")
		}
		c := newConn(in, failing{err}, func() bool { return true }, slog.New(slog.NewTextHandler(log, nil)))
		if m, got := c.Read(t.Context()); !errors.Is(got, io.EOF) {
			t.Errorf("%v: read %v, %v", err, m, got)
		}
		if got := log.String(); logged == "" && got != "" || strings.Count(got, logged) != 1 && logged != "" {
			t.Errorf("%v: logged %q", err, got)
		}
	}
}

func TestTheEndComesWhenWhatWasAskedIsAnswered(t *testing.T) {
	slow := func(ctx context.Context, _ *rpc.CallParams) (*rpc.CallResult, error) {
		select {
		case <-time.After(10 * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &rpc.CallResult{Result: json.RawMessage(`{}`)}, nil
	}
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`
	t.Run("of the input", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), nil)
			w.shake(`{}`)
			w.say(call)
			if err := w.end(); err != nil || time.Since(w.begun) != 10*time.Second {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
			w.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		})
	})
	t.Run("at once when nobody reads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), func(o *Options) { o.ClientReads = func() bool { return false } })
			w.shake(`{}`)
			w.say(call)
			if err := w.end(); err != nil || time.Since(w.begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
		})
	})
	t.Run("after a while when an answer is not read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			wait := make(chan struct{})
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), func(o *Options) { o.Out = &holding{o.Out, `"id":2`, wait} })
			w.shake(`{}`)
			w.say(call)
			time.Sleep(20 * time.Second)
			w.in.Close()
			select {
			case err := <-w.ended:
				if took := time.Since(w.begun); err != nil || took != 20*time.Second+drainLimit+flushLimit {
					t.Errorf("%v after %v", err, took)
				}
			case <-time.After(time.Hour):
				t.Error("it never ends")
			}
			close(wait)
		})
	})
	t.Run("of the session", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t, &scripted{call: slow}, view(1, nil, tools("a/x")...), nil)
			w.shake(`{}`)
			w.say(call)
			synctest.Wait()
			w.wire.Close()
			if err := <-w.ended; !errors.Is(err, ErrSessionEnded) || time.Since(w.begun) != 0 {
				t.Errorf("%v after %v", err, time.Since(w.begun))
			}
			w.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the session has ended"}}`)
			w.in.Close()
		})
	})
}

func TestAPanicIsTheErrorOfOneRequest(t *testing.T) {
	log := &bytes.Buffer{}
	f := &face{log: slog.New(slog.NewTextHandler(log, nil))} // with nothing else
	_, err := f.receive(nil)(t.Context(), "tools/list", &mcp.ListToolsRequest{Params: &mcp.ListToolsParams{}})
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInternalError || !strings.Contains(log.String(), "stack=") {
		t.Errorf("got %v; the log has %s", err, log)
	}
}

func TestALineThatIsNoMessageDoesNotHideTheEndFromWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := make(chan struct{})
		w := begin(t, &scripted{}, view(1, nil), func(o *Options) {
			o.Out = &holding{o.Out, "", wait}
			o.ClientReads = func() bool { return false }
		})
		w.say("nonsense", "more of it")
		if err := w.end(); err != nil || time.Since(w.begun) != 0 {
			t.Errorf("%v after %v", err, time.Since(w.begun))
		}
		close(wait)
	})
}

func TestARequestWhoseIDIsInFlightIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		impl := &scripted{call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) {
			time.Sleep(time.Second)
			return &rpc.CallResult{Result: json.RawMessage(`{}`)}, nil
		}}
		w := begin(t, impl, view(1, nil, tools("a/x")...), nil)
		w.shake(`{}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_x"}}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		w.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"a request with this id is in flight"}}`)
		time.Sleep(time.Second)
		w.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		w.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		_ = w.end()
	})
}
