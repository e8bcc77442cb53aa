package rpc

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A host that reads slowly but steadily gets all of a large answer, also when
// it has closed its own side.
func TestEndOfInputDoesNotCutALargeAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := strings.Repeat("x", 2<<20)
		p := deaf(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			return &CallResult{Result: json.RawMessage(`"` + large + `"`)}, nil
		}}, Options{Framing: FramingNDJSON})
		p.initialize()
		p.send(request(1, MethodCall, `{"name":"x"}`))
		_ = p.in.Close()
		var got []byte
		buf := make([]byte, writeChunk)
		for {
			time.Sleep(flushLimit - time.Millisecond)
			n, err := io.ReadFull(p.out, buf)
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
		}
		if !strings.Contains(string(got), large) || !strings.HasSuffix(string(got), "}\n") {
			t.Errorf("%d bytes came, ending in %.40q", len(got), got[max(len(got)-40, 0):])
		}
		if o := <-p.outcome; o.Code != 0 || o.End != EndInput {
			t.Errorf("%+v", o)
		}
	})
}

// Work that does not end costs flushLimit, and none of what was said before it.
func TestWorkThatDoesNotEndIsNotTheHostsFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := deaf(t, &scripted{call: func(context.Context, *CallParams) (*CallResult, error) {
			<-release
			return &CallResult{}, nil
		}}, Options{})
		p.initialize()
		p.send(request(1, MethodCall, `{}`))
		time.Sleep(time.Hour)
		p.send(`{"jsonrpc":"2.0","method":"runtime/exit"}`)
		synctest.Wait()
		time.AfterFunc(flushLimit+flushLimit/2, p.listen)
		begun := time.Now()
		<-p.outcome
		if took := time.Since(begun); took != flushLimit+flushLimit/2 {
			t.Errorf("it took %s", took)
		}
		if got := p.shorts(); got != "0=ok" {
			t.Errorf("received %s", got)
		}
		if log := p.logs.String(); !strings.Contains(log, "requests that do not") || strings.Contains(log, "took nothing") {
			t.Errorf("the log blames the wrong one: %s", log)
		}
		close(release)
	})
}
