package rpc

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// sizes of the raw part of a message, in bytes.
func sizes() map[string]int { return map[string]int{"1kB": 1 << 10, "1MB": 1 << 20} }

func rawOf(size int) json.RawMessage {
	one := `{"type":"text","text":"the quick brown fox","n":12345678},`
	return json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(one, size/len(one)), ",") + "]")
}

// repeated is an endless stream of one frame.
type repeated struct {
	frame string
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.frame[r.at:])
	r.at = (r.at + n) % len(r.frame)
	return n, nil
}

// BenchmarkFrameIn is from bytes to checked message with its params decoded.
func BenchmarkFrameIn(b *testing.B) {
	for name, size := range sizes() {
		frame := framed(request(1, MethodCall, fmt.Sprintf(`{"name":"t","arguments":%s}`, rawOf(size))))
		b.Run(name, func(b *testing.B) {
			r := NewFrameReader(&repeated{frame: frame}, FramingAuto, DefaultMaxMessage)
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				body, err := r.Next()
				if err != nil {
					b.Fatal(err)
				}
				m, fault := parseMessage(body)
				if fault != nil {
					b.Fatal(fault)
				}
				if _, err := decodeParams[CallParams](m.params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFrameOut is from a result to the bytes of its frame.
func BenchmarkFrameOut(b *testing.B) {
	for name, size := range sizes() {
		f := &frame{id: json.RawMessage("1"), value: &CallResult{Result: rawOf(size), Details: CallDetails{Server: "s", Tool: "t"}}}
		b.Run(name, func(b *testing.B) {
			var buf []byte
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = io.Discard.Write(appendFrame(buf[:0], f, FramingHeaders))
				if buf == nil {
					buf = make([]byte, 0, 2*size+1024)
				}
			}
		})
	}
}

// BenchmarkRoundTrip is a whole session: request in, goroutine, result out.
func BenchmarkRoundTrip(b *testing.B) {
	for name, size := range sizes() {
		b.Run(name, func(b *testing.B) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			s := NewSession(inR, outW, Options{})
			done := make(chan Outcome, 1)
			go func() { done <- s.Run(b.Context(), &scripted{}) }()
			call := framed(request(1, MethodCall, fmt.Sprintf(`{"name":"t","arguments":%s}`, rawOf(size))))
			r := NewFrameReader(outR, FramingAuto, DefaultMaxMessage)
			exchange := func(text string) {
				if _, err := io.WriteString(inW, text); err != nil {
					b.Fatal(err)
				}
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
			exchange(framed(hello))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				exchange(call)
			}
			inW.Close()
			<-done
		})
	}
}

// BenchmarkDiff is a push about one tool of four thousand.
func BenchmarkDiff(b *testing.B) {
	from, to := &Snapshot{Revision: 1}, &Snapshot{Revision: 2}
	for i := range 4000 {
		t := tool(fmt.Sprintf("mcp_server_tool_%04d", i), "s", `{"name":"x","inputSchema":{"type":"object"}}`, ToolLive)
		from.Tools = append(from.Tools, t)
		if i == 2000 {
			t.Definition = json.RawMessage(`{}`)
		}
		to.Tools = append(to.Tools, t)
	}
	for b.Loop() {
		if c := diffTools(from, to, ReasonReload); len(c.Updated) != 1 {
			b.Fatal(c)
		}
	}
}
