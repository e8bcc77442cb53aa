package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// faked is a lane whose frames end up in sent.
func faked() (*lane, chan envelope) {
	sent := make(chan envelope, 100)
	put := func(frame []byte) {
		e, ok := scanEnvelope(frame)
		if !ok {
			panic("bad frame " + string(frame))
		}
		sent <- e
	}
	return newLane(func(_ context.Context, frame []byte) (ticket, error) {
		put(frame)
		return nil, nil
	}, put, nil), sent
}

// answers lets the server answer a request; format has its id.
func answers(l *lane, request envelope, format string) {
	e, ok := scanEnvelope(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,`+format+"}", request.id))
	if !ok || !l.take(e) {
		panic("bad answer " + format)
	}
}

// greetIn runs a handshake against a server that is a function, and tells what
// was sent and when, and how it ended.
func greetIn(t *testing.T, era Era, server func(l *lane, sent <-chan envelope)) string {
	var story strings.Builder
	synctest.Test(t, func(t *testing.T) {
		l, sent := faked()
		began := time.Now()
		seen := make(chan envelope, 100)
		go func() {
			for e := range sent {
				fmt.Fprintf(&story, "%s %s\n", time.Since(began), e.name())
				seen <- e
			}
		}()
		go server(l, seen)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		g, err := (&greeter{lane: l, client: identity{"c", "1"}}).run(ctx, era)
		synctest.Wait()
		close(sent)
		synctest.Wait()
		fmt.Fprintf(&story, "%s era %q version %q error %v, %d pending", time.Since(began), g.era, g.version, err, len(l.pending))
	})
	return story.String()
}

func TestTheFirstAnswerDecidesTheEra(t *testing.T) {
	t.Parallel()
	const greets = `"result":{"protocolVersion":"2025-06-18"}`
	const discovers = `"result":{"supportedVersions":["2026-07-28"]}`
	for _, c := range []struct {
		name   string
		era    Era
		server func(l *lane, sent <-chan envelope)
		want   string
	}{
		{"stateless", EraUnknown, func(l *lane, sent <-chan envelope) {
			answers(l, <-sent, discovers)
		}, "0s server/discover\n0s era \"2026-07-28\" version \"2026-07-28\" error <nil>, 0 pending"},
		{"method unknown", EraUnknown, func(l *lane, sent <-chan envelope) {
			answers(l, <-sent, `"error":{"code":-32601,"message":"?"}`)
			answers(l, <-sent, greets)
		}, "0s server/discover\n0s initialize\n0s era \"2025-11-25\" version \"2025-06-18\" error <nil>, 0 pending"},
		{"an empty result for everything", EraUnknown, func(l *lane, sent <-chan envelope) {
			answers(l, <-sent, `"result":{}`)
			answers(l, <-sent, greets)
		}, "0s server/discover\n0s initialize\n0s era \"2025-11-25\" version \"2025-06-18\" error <nil>, 0 pending"},
		{"silence, then the older era", EraUnknown, func(l *lane, sent <-chan envelope) {
			<-sent
			answers(l, <-sent, greets)
		}, "0s server/discover\n3s initialize\n3s era \"2025-11-25\" version \"2025-06-18\" error <nil>, 0 pending"},
		{"slow start, late error", EraUnknown, func(l *lane, sent <-chan envelope) {
			probe, hello := <-sent, <-sent
			time.Sleep(40 * time.Second)
			answers(l, probe, `"error":{"code":-32601,"message":"?"}`)
			answers(l, hello, greets)
		}, "0s server/discover\n3s initialize\n43s era \"2025-11-25\" version \"2025-06-18\" error <nil>, 0 pending"},
		{"slow start, late result", EraUnknown, func(l *lane, sent <-chan envelope) {
			probe := <-sent
			<-sent
			time.Sleep(40 * time.Second)
			answers(l, probe, discovers)
		}, "0s server/discover\n3s initialize\n43s era \"2026-07-28\" version \"2026-07-28\" error <nil>, 0 pending"},
		{"known stateless is waited for", EraStateless, func(l *lane, sent <-chan envelope) {
			probe := <-sent
			time.Sleep(40 * time.Second)
			answers(l, probe, discovers)
		}, "0s server/discover\n40s era \"2026-07-28\" version \"2026-07-28\" error <nil>, 0 pending"},
		{"known stateful is not asked", EraStateful, func(l *lane, sent <-chan envelope) {
			answers(l, <-sent, greets)
		}, "0s initialize\n0s era \"2025-11-25\" version \"2025-06-18\" error <nil>, 0 pending"},
		{
			"silence for ever", EraUnknown, func(_ *lane, _ <-chan envelope) {},
			"0s server/discover\n3s initialize\n1m0s era \"\" version \"\" error initialize: no answer in time, 0 pending",
		},
		{"refused without a list", EraStateful, func(l *lane, sent <-chan envelope) {
			answers(l, <-sent, `"error":{"code":-32602,"message":"go away"}`)
		}, "0s initialize\n0s era \"\" version \"\" error go away, 0 pending"},
		{"refused twice", EraStateful, func(l *lane, sent <-chan envelope) {
			for range 2 {
				answers(l, <-sent, `"error":{"code":-32602,"message":"no","data":{"supported":["2024-11-05","2025-03-26"]}}`)
			}
		}, "0s initialize\n0s initialize\n0s era \"\" version \"\" error no, 0 pending"},
	} {
		if got := greetIn(t, c.era, c.server); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestNoProgressIsReportedAfterTheCall(t *testing.T) {
	t.Parallel()
	l, sent := faked()
	ctx, cancel := context.WithCancelCause(t.Context())
	reports := 0
	done := make(chan error, 1)
	go func() {
		_, err := l.call(ctx, Call{Tool: "x", Progress: func(Progress) { reports++ }})
		done <- err
	}()
	request := <-sent
	report, _ := scanEnvelope(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%s","progress":1}}`, request.id))
	l.take(report)
	cancel(io.ErrUnexpectedEOF)
	if err := <-done; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error = %v", err)
	}
	if !l.take(report) {
		t.Error("late progress is left to the SDK")
	}
	if reports != 1 {
		t.Errorf("%d reports, want 1", reports)
	}
	notice := <-sent
	if want := fmt.Sprintf(`{"requestId":%s,"reason":"unexpected EOF"}`, request.id); string(notice.params) != want {
		t.Errorf("notice %s, want %s", notice.params, want)
	}
	late, _ := scanEnvelope(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":1}`, request.id))
	if !l.take(late) {
		t.Error("a late answer is left to the SDK")
	}
}

func TestRequestsCarryWhatTheirEraDemands(t *testing.T) {
	t.Parallel()
	l, sent := faked()
	ask := func() string {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = l.call(ctx, Call{Tool: "a<b", Arguments: json.RawMessage("{\n}")}) }()
		e := <-sent
		cancel()
		<-sent // the notice of cancellation
		return strings.ReplaceAll(string(e.params), string(e.id), "ID")
	}
	if got, want := ask(), `{"_meta":{"progressToken":ID},"name":"a<b","arguments":{ }}`; got != want {
		t.Errorf("stateful: %s\nwant %s", got, want)
	}
	l.negotiated(EraStateless, identity{"me", "1"})
	if got, want := ask(), `{"_meta":{"progressToken":ID,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"me","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"name":"a<b","arguments":{ }}`; got != want {
		t.Errorf("stateless: %s\nwant %s", got, want)
	}
}

func TestIDsInUseAreNotGivenAgain(t *testing.T) {
	t.Parallel()
	l, _ := faked()
	x, err := l.start(t.Context(), question{method: "m"})
	if err != nil {
		t.Fatal(err)
	}
	l.last = laneIDs - 1 // the numbers have been gone through
	y, err := l.start(t.Context(), question{method: "m"})
	if err != nil || y.id == x.id || y.id < firstLaneID || y.id >= firstLaneID+laneIDs {
		t.Errorf("ids %d and %d, %v", x.id, y.id, err)
	}
	z, err := l.start(t.Context(), question{method: "m"})
	if err != nil || z.id == x.id {
		t.Errorf("id %d was given twice, %v", z.id, err)
	}
}

// pages is a link that answers tools/list from a table.
type pages struct {
	link
	answers map[string]string // by params
	asked   []string
}

func (p *pages) request(_ context.Context, _ Stage, _ string, params json.RawMessage) (json.RawMessage, error) {
	p.asked = append(p.asked, string(params))
	if text, ok := p.answers[string(params)]; ok {
		return json.RawMessage(text), nil
	}
	return nil, &Error{Code: CodeProtocol, Message: "refused", Err: &RPCError{Code: -32602}}
}

func TestListsOfEveryShapeAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answers map[string]string
		want    string
	}{
		{"one page", map[string]string{"{}": `{"tools":[{"b":1,"a":1.0}],"nextCursor":null}`}, `[{"b":1,"a":1.0}] <nil>`},
		{"two pages", map[string]string{"{}": `{"tools":[1],"nextCursor":"x"}`, `{"cursor":"x"}`: `{"tools":[2]}`}, "[1 2] <nil>"},
		{"a number for a cursor", map[string]string{"{}": `{"tools":[1],"nextCursor":7}`, `{"cursor":7}`: `{"tools":[2]}`}, "[1 2] <nil>"},
		{"an empty cursor that means more", map[string]string{"{}": `{"tools":[1],"nextCursor":""}`, `{"cursor":""}`: `{"tools":[2]}`}, "[1 2] <nil>"},
		{"an empty cursor that means the end", map[string]string{"{}": `{"tools":[1],"nextCursor":""}`}, "[1] <nil>"},
		{"an empty cursor that gives the same page", map[string]string{"{}": `{"tools":[1],"nextCursor":""}`, `{"cursor":""}`: `{"tools":[1],"nextCursor":""}`}, "[1] <nil>"},
		{"a circle", map[string]string{"{}": `{"tools":[1],"nextCursor":"a"}`, `{"cursor":"a"}`: `{"tools":[2],"nextCursor":"b"}`, `{"cursor":"b"}`: `{"tools":[3],"nextCursor":"a"}`}, "[1 2 3] <nil>"},
		{"two empty pages before the rest", map[string]string{"{}": `{"tools":[],"nextCursor":"a"}`, `{"cursor":"a"}`: `{"tools":[],"nextCursor":"b"}`, `{"cursor":"b"}`: `{"tools":[3]}`}, "[3] <nil>"},
		{"no list", map[string]string{"{}": `{}`}, "[] <nil>"},
		{"null", map[string]string{"{}": `{"tools":null}`}, "[] <nil>"},
		{"nulls within", map[string]string{"{}": `{"tools":[null,{"inputSchema":null}]}`}, `[null {"inputSchema":null}] <nil>`},
		{"an object", map[string]string{"{}": `{"tools":{}}`}, `[] tools/list: the result is not a list of tools: {"tools":{}}`},
		{"a second page that fails", map[string]string{"{}": `{"tools":[1],"nextCursor":"x"}`}, "[] refused"},
	} {
		s := &session{link: &pages{answers: c.answers}}
		tools, err := s.ListTools(t.Context())
		if got := fmt.Sprintf("%s %v", tools, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":1073741825,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 1000) + `"}]}}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, ok := scanEnvelope(line); !ok {
			b.Fatal("not a message")
		}
	}
}
