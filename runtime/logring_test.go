package runtime

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestLogRingTellsLinesInOrderWithTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secrets := new(redactor)
		secrets.add("hunter2-hunter2")
		seq := new(atomic.Int64)
		seq.Store(7) // another server's lines
		r := newLogRing(secrets, seq)
		if r.lines(5, 0) == nil || r.noiseSeen().Samples == nil {
			t.Error("an empty list is null on the wire")
		}
		r.stderr("one")
		time.Sleep(1500 * time.Millisecond)
		r.log("warning", "two hunter2-hunter2")
		r.stderr("three \xff")
		want := []rpc.LogLine{
			{Seq: 8, Time: "2000-01-01T00:00:00.000Z", Source: "stderr", Text: "one"},
			{Seq: 9, Time: "2000-01-01T00:00:01.500Z", Source: "log", Level: "warning", Text: "two [redacted]"},
			{Seq: 10, Time: "2000-01-01T00:00:01.500Z", Source: "stderr", Text: "three \uFFFD"},
		}
		if diff := cmp.Diff(want, r.lines(0, 0)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want[1:], r.lines(2, 0)); diff != "" {
			t.Error(diff)
		}
		for after, n := range map[int]int{6: 3, 8: 2, 9: 1, 10: 0, 11: 0, math.MaxInt: 0} {
			if got := r.lines(0, after); len(got) != n {
				t.Errorf("%d lines after %d", len(got), after)
			}
		}
	})
}

func TestLogRingIsBounded(t *testing.T) {
	for _, tc := range []struct{ what, line string }{
		{"empty lines", ""},
		{"ordinary lines", "an ordinary line"},
		{"huge lines", strings.Repeat("読", 1<<20)},
	} {
		r := newLogRing(nil, new(atomic.Int64))
		for i := range 20_000 {
			if len(tc.line) > 1000 && i > 100 {
				break
			}
			r.stderr(tc.line)
		}
		r.stderr("the last")
		lines := r.lines(0, 0)
		size := 0
		for _, l := range lines {
			size += len(l.Text) + logLineCost
			if !utf8.ValidString(l.Text) {
				t.Errorf("%s: not UTF-8", tc.what)
			}
		}
		if size > logRingBytes || len(lines) < 2 || lines[len(lines)-1].Text != "the last" {
			t.Errorf("%s: %d lines, %d bytes", tc.what, len(lines), size)
		}
	}
}

func TestWhatIsShortenedIsStillText(t *testing.T) {
	for _, tc := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"aéb", 2, "a…"},
		{"a🙂", 4, "a…"},
		{"\xff\xff", 2, "\uFFFD"},
		{strings.Repeat("\x80", 9), 8, "\uFFFD…"},
	} {
		if got := shortened(tc.in, tc.limit); got != tc.want {
			t.Errorf("shortened(%q, %d) = %q, want %q", tc.in, tc.limit, got, tc.want)
		}
	}
}

func TestNoiseIsCountedAndSampled(t *testing.T) {
	r := newLogRing(nil, new(atomic.Int64))
	for i := range 1000 {
		r.noise(fmt.Sprint("noise ", i, strings.Repeat("x", 1000)))
	}
	got := r.noiseSeen()
	if got.Count != 1000 || len(got.Samples) != noiseSamples {
		t.Errorf("count %d, %d samples", got.Count, len(got.Samples))
	}
	if s := got.Samples[0]; !strings.HasPrefix(s, "noise 0x") || len(s) > noiseSampleLen+len("…") {
		t.Errorf("sample %q", s)
	}
}

func TestLogRingIsSafeToShare(t *testing.T) {
	r := newLogRing(new(redactor), new(atomic.Int64))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				r.stderr("line")
				r.noise("noise")
				r.lines(3, 0)
				r.noiseSeen()
			}
		})
	}
	wg.Wait()
	if r.noiseSeen().Count != 2000 {
		t.Error("noise was lost")
	}
}
