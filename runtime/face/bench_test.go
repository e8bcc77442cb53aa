package face

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// BenchmarkCall is a call on its way through the face, to a session that answers at
// once, and back.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dkB", size>>10), func(b *testing.B) {
			result := json.RawMessage(`{"content":[{"type":"text","text":"` + string(bytes.Repeat([]byte("x"), size)) + `"}]}`)
			impl := &scripted{call: func(context.Context, *rpc.CallParams) (*rpc.CallResult, error) {
				return &rpc.CallResult{Result: result}, nil
			}}
			ours, theirs := net.Pipe()
			session := rpc.NewSession(theirs, theirs, rpc.Options{})
			session.Publish(rpc.Update{View: view(1, nil, tools("a/x")...)})
			go session.Run(context.Background(), impl)
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- Run(context.Background(), Options{
					Name: "mcp-sidecar", In: inR, Out: outW, Session: ours, Log: slog.New(slog.DiscardHandler),
					ClientReads: func() bool { return true },
					Hello:       &rpc.InitializeParams{ProtocolVersion: rpc.ProtocolVersion, Cwd: "/"},
				})
			}()
			lines := bufio.NewReaderSize(outR, 2<<20)
			ask := func(line string) {
				if _, err := io.WriteString(inW, line+"\n"); err != nil {
					b.Fatal(err)
				}
				if _, err := lines.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
			}
			ask(initialize(`{}`))
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a_x","arguments":{}}}`, i))
			}
			inW.Close()
			if err := <-ended; err != nil {
				b.Error(err)
			}
		})
	}
}
