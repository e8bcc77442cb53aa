package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowFile takes a write when it is let.
type slowFile struct {
	let chan struct{}

	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (f *slowFile) Write(p []byte) (int, error) {
	<-f.let
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text.Write(p)
}

func (f *slowFile) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text.String()
}

func TestALineWriterDropsWholeLinesAndSaysHowMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &slowFile{let: make(chan struct{})}
		w := newLineWriter(file)
		put := func(text string) {
			if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
				t.Fatal(n, err)
			}
		}
		put("first\n")
		synctest.Wait() // it is being written
		half := strings.Repeat("x", maxBacklog/2) + "\n"
		put("second\n")
		put(half)
		put(half)
		put("small\n") // would fit, but not in its place
		close(file.let)
		synctest.Wait()
		put("last\n")
		w.close(time.Second)
		put("too late\n")
		want := "first\nsecond\n" + half + "mcp-sidecar: 2 lines dropped here: nobody was reading\nlast\n"
		if got := file.String(); got != want {
			t.Errorf("written: %q", strings.ReplaceAll(got, half, "half\n"))
		}
	})
}

func TestALineWriterWaitsForItsReaderOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &slowFile{let: make(chan struct{})}
		w := newLineWriter(file)
		_, _ = w.Write([]byte("a\n"))
		for _, step := range []struct {
			name string
			end  func(time.Duration)
			want time.Duration
		}{{"flush", w.flush, time.Second}, {"close", w.close, time.Second}, {"close again", w.close, 0}} {
			began := time.Now()
			step.end(time.Second)
			if took := time.Since(began); took != step.want {
				t.Errorf("%s took %s, want %s", step.name, took, step.want)
			}
		}
		close(file.let) // lets its goroutine end
	})
}
