package transport

import (
	"crypto/rand"
	"os"
	"testing"
	"time"
)

// newMark is a mark no other test has.
func newMark() string { return "MCP_TEST_MARK=" + rand.Text() }

func TestTheGuardKillsWhatBearsTheMarkAndNothingElse(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	mark := newMark()
	marked, also := startStubborn(t, all, mark), startStubborn(t, all, "A=b", mark)
	var others []*life
	for _, entry := range []string{mark + "x", mark[:len(mark)-1], "X" + mark, "OTHER=" + mark, newMark()} {
		others = append(others, startStubborn(t, all, entry))
	}
	g := Guard{Mark: mark}
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	g.end(false) // as a kill of the sidecar
	marked.mustEnd(t, time.Second)
	also.mustEnd(t, time.Second)
	for _, o := range others {
		o.mustLive(t)
	}
}

// A browser that a server has opened is the user's by now.
func TestWhatLeftTheGroupSurvivesAnOrderlyEnd(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	mark := newMark()
	marked := startStubborn(t, all, mark)
	g := Guard{Mark: mark}
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	g.Close() // waits for it
	marked.mustLive(t)
}

func TestWhatLeftTheGroupDoesNotSurviveAKillOfTheSidecar(t *testing.T) {
	t.Parallel()
	afterKill(t, "escapes", newMark())
}

func TestEveryChildBearsTheMark(t *testing.T) {
	t.Parallel()
	g := &Guard{Mark: newMark()}
	defer g.Close()
	d := &Dialer{Guard: g}
	out, err := d.Run(t.Context(), "env", []string{"PATH=" + os.Getenv("PATH"), "MCP_TEST_MARK=another"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(t.Context(), "env | grep -qx "+g.Mark, []string{"PATH=" + os.Getenv("PATH"), "MCP_TEST_MARK=another"}); err != nil {
		t.Errorf("a command's environment is %q", out)
	}
	spec := childSpec(t, "tools")
	spec.Era = EraStateful
	s, err := d.Dial(t.Context(), spec, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !isMarked(s.Info().PID, g.Mark) {
		t.Error("a server has no mark")
	}
}
