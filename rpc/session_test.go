package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestCallsPipelinedBehindInitializeWaitForItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := make(chan struct{})
		p := start(t, &scripted{initialize: func(context.Context, *InitializeParams) (Pending[InitializeResult], error) {
			return when(opened, initialized), nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a")})
		p.initialize()
		p.send(request(1, MethodCall, `{}`), request(2, MethodServers, `{}`), request(3, MethodReload, `{}`))
		p.expect("3=@1") // an ordered one waits for nothing
		close(opened)
		got := p.shorts()
		if got != "0=@1 | 1=ok | 2=ok" && got != "0=@1 | 2=ok | 1=ok" {
			t.Errorf("got %s", got)
		}
	})
}

func TestRequestsBeforeAnAcceptedInitializeAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := true
		p := start(t, &scripted{initialize: func(context.Context, *InitializeParams) (Pending[InitializeResult], error) {
			if refuse {
				return nil, ErrInvalidParams("cwd", "is not absolute")
			}
			return at(initialized), nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a")})
		p.send(request(1, MethodServers, `{}`), request(2, MethodShutdown, `{}`), request(3, "no/such", `{}`))
		p.expect("1!-32002 | 2!-32002 | 3!-32002")
		p.initialize()
		p.send(request(4, MethodServers, `{}`))
		p.send(request(5, MethodInitialize, `{"protocolVersion":"1"}`))
		p.expect("0!-32602 | 4!-32002 | 5!-32602")
		refuse = false
		p.send(request(6, MethodInitialize, strings.Replace(initParams, ":1", ":2", 1)))
		if got := p.all(); len(got) != 1 || !strings.Contains(got[0], "the host speaks version 2, this sidecar version 1") {
			t.Errorf("got %s", got)
		}
		p.initialize()
		p.send(request(7, MethodInitialize, initParams))
		p.expect("0=@1 | 7!-32600")
	})
}

func TestCancellingAWaitingInitializeEndsTheWaitNotTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{initialize: func(context.Context, *InitializeParams) (Pending[InitializeResult], error) {
			return when(make(chan struct{}), initialized), nil
		}}, Options{})
		p.initialize()
		p.session.Publish(Update{View: view(1, "a")})
		p.send(request(1, MethodServers, `{}`))
		p.expect("")
		p.send(notification(MethodCancelRequest, `{"id":0}`))
		// The set that the answer would have told comes as a push from nothing.
		p.expect("0!-32800 | tools 0→1 | 1=ok")
		p.send(request(2, MethodInitialize, initParams))
		p.expect("2!-32600")
		p.session.Publish(Update{View: view(2, "b")})
		p.expect("tools 1→2")
	})
}

func TestAfterACancelledInitializeNothingIsToldUntilItsWaitHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		ended := make(chan struct{})
		p = start(t, &scripted{initialize: func(context.Context, *InitializeParams) (Pending[InitializeResult], error) {
			return func(ctx context.Context) (Answer[InitializeResult], error) {
				<-ctx.Done()
				<-ended
				// As a runtime does that counts no revisions before the first answer.
				p.session.Publish(Update{View: view(1, "b"), Reason: ReasonConnected})
				return nil, ctx.Err()
			}, nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a"), Reason: ReasonConnected})
		p.initialize()
		p.send(request(1, MethodSnapshot, `{}`), notification(MethodCancelRequest, `{"id":0}`))
		p.expect("0!-32800")
		close(ended)
		got := p.all()
		if len(got) != 2 || short(got[0]) != "tools 0→1" || short(got[1]) != "1=@1" {
			t.Fatalf("got %s", got)
		}
		for _, told := range got {
			if !strings.Contains(told, `"name":"b"`) || strings.Contains(told, `"name":"a"`) {
				t.Errorf("the host has another set than there is: %s", told)
			}
		}
	})
}

func TestACancelledRequestEndsAtOnceEvenIfTheImplementationIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		release := make(chan struct{})
		p = start(t, &scripted{call: func(ctx context.Context, c *CallParams) (*CallResult, error) {
			<-release
			err := p.session.Progress(ctx, &ProgressParams{Token: c.ProgressToken, Value: ProgressValue{Progress: []byte("1")}})
			return &CallResult{}, err
		}}, Options{})
		p.initialize()
		p.send(request(1, MethodCall, `{"progressToken":"t"}`), request(2, MethodCall, `{"progressToken":"u"}`))
		p.expect("0=ok")
		begun := time.Now()
		p.send(notification(MethodCancelRequest, `{"id":1}`))
		p.expect("1!-32800")
		if waited := time.Since(begun); waited > 0 {
			t.Errorf("it took %s", waited)
		}
		p.send(notification(MethodCancelRequest, `{"id":1}`), notification(MethodCancelRequest, `{"id":"1"}`),
			notification(MethodCancelRequest, `{}`), notification(MethodCancelRequest, `[7]`))
		close(release)
		p.expect(`progress "u" 1 | 2=ok`) // no late progress, no late result
	})
}

func TestProgressPrecedesTheResultAndEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		progress := func(n string) {
			_ = p.session.Progress(t.Context(), &ProgressParams{Token: []byte(`"\u0074"`), Value: ProgressValue{Progress: []byte(n)}})
		}
		p = start(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			progress("0.5")
			return &CallResult{}, nil
		}}, Options{})
		p.initialize()
		progress("0")
		p.send(request(1, MethodCall, `{"progressToken":"t"}`))
		synctest.Wait()
		progress("1")
		p.expect(`0=ok | progress "\u0074" 0.5 | 1=ok`)
	})
}

func TestAnImplementationThatPanicsCostsOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{
			call:   func(context.Context, *CallParams) (*CallResult, error) { panic("here") },
			reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) { panic("there") },
			configure: func(context.Context, *ConfigureParams) (Pending[SnapshotResult], error) {
				return func(context.Context) (Answer[SnapshotResult], error) { panic("everywhere") }, nil
			},
			search: func(context.Context, *SearchParams) (*SearchResult, error) { return nil, nil }, //nolint:nilnil // the mistake under test
		}, Options{})
		p.initialize()
		for i, method := range []string{MethodCall, MethodReload, MethodConfigure, MethodSearch, MethodServers} {
			p.send(request(i+1, method, `{}`))
			synctest.Wait()
		}
		p.expect("0=ok | 1!-32603 | 2!-32603 | 3!-32603 | 4!-32603 | 5!-32603") // servers: nothing was published
		if log := p.logs.String(); !strings.Contains(log, "goroutine") || !strings.Contains(log, "everywhere") {
			t.Errorf("no stack in the log: %s", log)
		}
		p.session.Publish(Update{View: view(1, "a")})
		p.expect("tools 0→1") // no hold was left behind
	})
}

func TestRequestsBeyondTheLimitAreRefusedAsOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := start(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			<-release
			return &CallResult{}, nil
		}}, Options{})
		p.initialize()
		var flood strings.Builder
		for i := range maxRequests {
			flood.WriteString(framed(request(i+1, MethodCall, `{}`)))
		}
		p.raw(flood.String())
		p.send(request("over", MethodCall, `{}`), request("ordered", MethodReload, `{}`))
		p.expect(`0=ok | "over"!1007 | "ordered"=ok`)
		close(release)
		if got := len(p.all()); got != maxRequests {
			t.Errorf("%d answers", got)
		}
		p.send(request("after", MethodCall, `{}`))
		p.expect(`"after"=ok`)
	})
}

func TestAFloodOfOrderedRequestsIsRefusedAndLeavesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := start(t, &scripted{reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
			return func(context.Context) (Answer[SnapshotResult], error) {
				<-release
				return snapshotResult, nil
			}, nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a")})
		p.initialize()
		p.expect("0=@1")
		for i := range maxOrdered {
			p.send(request(i+1, MethodReload, `{}`))
		}
		p.send(notification(MethodCancelRequest, `{"id":1}`)) // its work goes on
		p.send(request("over", MethodReload, `{}`), request("call", MethodCall, `{}`))
		p.expect(`1!-32800 | "over"!1007 | "call"=ok`)
		p.send(request("end", MethodShutdown, `{}`))
		p.expect(`"end"=ok`)
		close(release)
		if got := len(p.all()); got != maxOrdered-1 {
			t.Errorf("%d answers", got)
		}
	})
}

func TestShutdownThenExitEndsWithCode0(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		p := start(t, &scripted{shutdown: func(context.Context, *ShutdownParams) (Pending[ShutdownResult], error) {
			return when(stopped, func(*Snapshot) *ShutdownResult { return &ShutdownResult{} }), nil
		}}, Options{})
		p.initialize()
		p.send(request(1, MethodShutdown, `{}`), request(2, MethodServers, `{}`), request(3, MethodShutdown, `{}`), request(4, MethodReload, `{}`))
		p.expect("0=ok | 2!1006 | 3!1006 | 4!1006")
		p.send(notification(MethodExit, `{}`), request(5, MethodServers, `{}`))
		close(stopped)
		if o := <-p.outcome; o.Code != 0 || o.End != EndExit || o.Err != nil {
			t.Errorf("%+v", o)
		}
		p.expect("1=ok")
	})
}

func TestExitWithoutShutdownEndsWithCode1(t *testing.T) {
	got, o := converse(t, framed(notification(MethodExit, `null`))+framed(ping), Options{})
	if o.Code != 1 || o.End != EndExit || len(got) != 0 {
		t.Errorf("%+v, received %s", o, got)
	}
	got, o = converse(t, framed(hello)+framed(request(1, MethodExit, `{}`))+framed(request(2, MethodCancelRequest, `{"id":1}`)), Options{})
	slices.Sort(got) // answers come in any order
	if all := shortAll(got); o.Code != 0 || all != "0=ok | 1!-32600 | 2!-32600" {
		t.Errorf("asked for as requests: %s, %+v", all, o)
	}
}

func TestAtTheEndOfInputRequestsInFlightAreDrained(t *testing.T) {
	for _, tt := range []struct {
		name  string
		takes time.Duration
		reads bool
		want  string
		after time.Duration
		end   End
	}{
		{"a host that reads", 59 * time.Second, true, "0=ok | 1=ok", 59 * time.Second, EndInput},
		{"at most a minute", time.Hour, true, "0=ok | 1!1006", 60 * time.Second, EndInput},
		{"a host that is gone", time.Hour, false, "0=ok", 0, EndGone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := make(chan error, 1)
				var p *peer
				p = start(t, &scripted{call: func(ctx context.Context, _ *CallParams) (*CallResult, error) {
					go func() {
						_, err := p.session.Input(ctx, &InputParams{})
						asked <- err
					}()
					select {
					case <-time.After(tt.takes):
						return &CallResult{}, nil
					case <-ctx.Done():
						return nil, fmt.Errorf("the call: %w", ctx.Err())
					}
				}}, Options{HostReads: func() bool { return tt.reads }})
				p.initialize()
				p.send(request(1, MethodCall, `{}`))
				synctest.Wait()
				begun := time.Now()
				p.in.Close()
				if err := <-asked; !errors.Is(err, ErrClosed) || time.Since(begun) != 0 {
					t.Errorf("a request to the host: %v after %s", err, time.Since(begun))
				}
				o := <-p.outcome
				if o.Code != 0 || o.End != tt.end || time.Since(begun) != tt.after {
					t.Errorf("%+v after %s", o, time.Since(begun))
				}
				if got := strings.ReplaceAll(p.shorts(), " | "+MethodInput, ""); got != tt.want {
					t.Errorf("received %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// It closed its side, waited, and then died: nobody reads the answers.
func TestAHostThatDiesWhileItIsAnsweredIsWaitedForNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dead atomic.Bool
		p := start(t, &scripted{call: func(ctx context.Context, _ *CallParams) (*CallResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, Options{HostReads: func() bool { return !dead.Load() }})
		p.initialize()
		p.send(request(1, MethodCall, `{}`))
		synctest.Wait()
		begun := time.Now()
		p.in.Close()
		time.Sleep(10 * time.Second)
		dead.Store(true)
		if o := <-p.outcome; o.Code != 0 || o.End != EndGone || time.Since(begun) > 11*time.Second {
			t.Errorf("%+v after %s", o, time.Since(begun))
		}
	})
}

func TestWhenItsContextEndsRunFlushesAndReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{call: func(ctx context.Context, _ *CallParams) (*CallResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, Options{})
		p.initialize()
		p.send(request(1, MethodCall, `{}`))
		p.expect("0=ok")
		begun := time.Now()
		p.stop()
		if o := <-p.outcome; o.Code != 0 || o.End != EndStopped || time.Since(begun) != 0 {
			t.Errorf("%+v after %s", o, time.Since(begun))
		}
		p.expect("1!1006")
	})
	synctest.Test(t, func(t *testing.T) {
		p := deaf(t, &scripted{}, Options{})
		p.initialize()
		synctest.Wait()
		begun := time.Now()
		p.stop()
		if <-p.outcome; time.Since(begun) != flushLimit {
			t.Errorf("with a host that does not read: after %s", time.Since(begun))
		}
	})
}

func TestParamsThatDoNotDecodeNameTheMember(t *testing.T) {
	for params, want := range map[string]string{
		`{"settings":{"startup":{"gateMs":"soon"}}}`: "settings.startup.gateMs: want an integer, got a string",
		`{"settings":{"disabled":[1]}}`:              "settings.disabled.0: want a string, got a number",
		`{"workspaceFolders":{}}`:                    "workspaceFolders: want an array, got an object",
		`{"settings":{"startup":{"gateMs":1.5}}}`:    "settings.startup.gateMs: want an integer, got 1.5",
		`[]`: "params: they are given by name",
	} {
		got, _ := converse(t, framed(hello)+framed(request(1, MethodConfigure, params)), Options{})
		if all := strings.Join(got, ""); len(got) != 2 || !strings.Contains(all, want) || !strings.Contains(all, "-32602") {
			t.Errorf("%s: got %s", params, got)
		}
	}
}

func TestOfTheHostsInputOnlyTheBeginningIsLogged(t *testing.T) {
	long := strings.Repeat("é", 10_000) // its runes are not cut in two
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{})
		p.send(notification(MethodCancelRequest, `{"x":"`+long+`"}`), notification(long, `{}`), request(1, long, `{}`),
			`{"jsonrpc":"2.0","id":"`+long+`","result":1}`, `{"jsonrpc":"2.0","id":`+strings.Repeat("7", 20_000)+`,"result":1}`)
		p.initialize()
		p.send(request(2, long, `{}`))
		for _, answer := range p.all() {
			if len(answer) > 1000 {
				t.Errorf("an error of %d bytes", len(answer))
			}
		}
		lines := strings.Split(strings.TrimSpace(p.logs.String()), "\n")
		if len(lines) < 4 {
			t.Errorf("%d lines: %s", len(lines), lines)
		}
		for _, line := range lines {
			if len(line) > 1000 || strings.ContainsRune(line, '\uFFFD') {
				t.Errorf("%d bytes: %.300s", len(line), line)
			}
		}
	})
}
