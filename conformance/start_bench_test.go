//go:build unix

package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkWarmStart is the time from starting the sidecar to the answer to
// runtime/initialize, with every tool list in the cache. The first one starts
// nothing: it is what the others stand against.
func BenchmarkWarmStart(b *testing.B) {
	for _, bb := range []struct {
		name     string
		prompt   int    // servers that answer at once
		slow     string // what the others do first
		others   int
		settings string
	}{
		{"nothing", 0, "", 0, `{"enabled":false}`},
		{"20-of-which-3-take-2s/gate-0", 17, "sleep 2", 3, `{"startup":{"gateMs":0}}`},
		{"20-of-which-3-take-2s/gate-250", 17, "sleep 2", 3, `{}`},
		{"8-that-hang/gate-0", 0, "exec sleep 60", 8, `{"startup":{"gateMs":0}}`},
		{"8-that-hang/gate-250", 0, "exec sleep 60", 8, `{}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := newStart(b, bb.prompt, bb.others, bb.slow)
			s.answer(b, `{}`, bb.prompt+bb.others, func(_ *os.Process, in io.Closer) { _ = in.Close() }) // cold: fills the cache
			if err := os.WriteFile(filepath.Join(s.dir, "warm"), nil, 0o600); err != nil {
				b.Fatal(err)
			}
			var total time.Duration
			n := 0
			for b.Loop() {
				total += s.answer(b, bb.settings, bb.prompt+bb.others, func(p *os.Process, _ io.Closer) { _ = p.Kill() })
				n++
			}
			b.ReportMetric(0, "ns/op") // with the stop, which is not meant
			b.ReportMetric(float64(total.Microseconds())/1000/float64(n), "ms/answer")
		})
	}
}

// start is a project to start in, and a home with a cache. Neither lies in the
// other: what is at or above the home directory is no project.
type start struct{ dir, home string }

func newStart(b *testing.B, prompt, others int, slow string) *start {
	s := &start{dir: b.TempDir(), home: b.TempDir()}
	servers := map[string]any{}
	for i := range prompt + others {
		name := fmt.Sprintf("s%d", i)
		script := filepath.Join(s.dir, name)
		if err := os.WriteFile(script, []byte("tool echo\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		servers[name] = map[string]any{"command": binaries.fake, "args": []string{script}}
		if i >= prompt {
			servers[name] = map[string]any{"command": "/bin/sh", "args": []string{"-c", fmt.Sprintf(
				"if test -e %s/warm; then %s; fi; exec %s %s", s.dir, slow, binaries.fake, script)}}
		}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, ".mcp.json"), config, 0o600); err != nil {
		b.Fatal(err)
	}
	return s
}

// answer is the time to the answer. Then the sidecar is stopped: killed, it
// leaves its servers to the guard, which is quick; by the end of its input, it
// first writes the cache. The answer must have that many tools.
func (s *start) answer(b *testing.B, settings string, tools int, stop func(*os.Process, io.Closer)) time.Duration {
	cmd := exec.Command(binaries.sidecar)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "XDG_CACHE_HOME=" + s.home, "PATH=" + os.Getenv("PATH")}
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"runtime/initialize","params":{"protocolVersion":1,"client":{"name":"b","version":"0"},"cwd":%q,"settings":%s}}`+"\n", s.dir, settings)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			b.Fatal(err)
		}
		if bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id":1,`)) {
			if n := bytes.Count(line, []byte(`"label":`)); n != tools {
				b.Fatalf("the answer has %d tools, not %d", n, tools)
			}
			break
		}
	}
	taken := time.Since(begun)
	stop(cmd.Process, in)
	_ = cmd.Wait() // it may have been killed
	return taken
}
