package transport

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
)

func TestWaitingForAChildTakesNoThread(t *testing.T) {
	const children = 100
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var started []*exec.Cmd
	var waiting, ended sync.WaitGroup
	for range children {
		cmd := exec.Command("cat")
		cmd.Stdin = in
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, cmd)
		waiting.Add(1)
		ended.Go(func() {
			waiting.Done()
			awaitExit(cmd.Process.Pid)
		})
	}
	waiting.Wait()
	if n := threads(t); n >= children/2 {
		t.Errorf("%d threads for %d children", n, children)
	}
	_ = out.Close()
	ended.Wait()
	for _, cmd := range started {
		_ = cmd.Wait()
	}
}

func threads(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\nThreads:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
