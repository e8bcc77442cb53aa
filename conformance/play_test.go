//go:build unix

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
	"github.com/mcp-sidecar/mcp-sidecar/conformance/transcript"
)

func transcripts(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("transcripts/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	return paths
}

// TestTranscripts plays the host's side of every dialogue against the real
// binary.
func TestTranscripts(t *testing.T) {
	for _, path := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, path)
		})
	}
}

// TestEveryExpectedMessageHasAnExample is what those need who play the
// sidecar's side: the example of a pattern is a message that meets it.
func TestEveryExpectedMessageHasAnExample(t *testing.T) {
	for _, path := range transcripts(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := transcript.Parse(data, withoutPlaceholders)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		made, met := transcript.Saved{}, transcript.Saved{}
		for _, step := range flat(tr.Steps) {
			if step.Verb != transcript.Expect {
				continue
			}
			example, err := transcript.Example(json.RawMessage(step.Args[0]), made)
			if err == nil {
				err = transcript.Match(json.RawMessage(step.Args[0]), example, met)
			}
			if err != nil {
				t.Errorf("%s:%d: %v", path, step.Line, err)
			}
		}
	}
}

// withoutPlaceholders makes the lines of a dialogue JSON, for tests that do not
// play it.
func withoutPlaceholders(text string) string {
	text = strings.ReplaceAll(text, "$INIT", `"cwd":"/"`)
	return regexp.MustCompile(`\$STDIO\([\w-]+\)`).ReplaceAllString(text, `"command":"x"`)
}

func flat(steps []transcript.Step) []transcript.Step {
	var all []transcript.Step
	for _, step := range steps {
		all = append(all, step)
		all = append(all, step.Group...)
	}
	return all
}

// player plays one dialogue. Its test's goroutine owns it.
type player struct {
	*world
	files   []txtar.File
	sidecar *sidecar // whom the steps are about; nil when none runs
	name    string   // of that one: owner, or a guest's
	others  map[string]*sidecar
	ended   *sidecar // the one that ran last
	never   []string // of the Never steps since the last expected message
}

func play(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, txtar.Parse(data).Files)
	tr, err := transcript.Parse(data, w.expand)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	p := &player{world: w, files: tr.Files, name: owner, others: map[string]*sidecar{}}
	for _, step := range tr.Steps {
		if err := p.do(step); err != nil {
			if w.ctx.Err() != nil {
				err = fmt.Errorf("%w\n(the deadline of %v has passed)", err, deadline)
			}
			t.Fatalf("%s:%d: %s: %v", path, step.Line, step.Verb, err)
		}
	}
	p.others[p.name] = p.sidecar
	for name, left := range p.others {
		if left != nil {
			t.Fatalf("%s: the dialogue ends while the %s's sidecar runs: it needs an \"exit\" or a \"stop\"", path, name)
		}
	}
}

// owner is who starts the session, as dialogues call it.
const owner = "owner"

// as has the steps that follow be about somebody else.
func (p *player) as(name string) error {
	next, known := p.others[name]
	if !known && name != owner {
		return fmt.Errorf("there is no guest %s", name)
	}
	if len(p.never) > 0 {
		return fmt.Errorf("what must not come is about the next message of %s", p.name)
	}
	p.others[p.name] = p.sidecar
	p.name, p.sidecar = name, next
	return nil
}

// endpointVariable is where guests find the endpoint.
const endpointVariable = "MCP_SIDECAR_ENDPOINT"

// attach starts a guest.
func (p *player) attach(name string, speaks []string) error {
	var endpoint string
	if err := json.Unmarshal(p.saved["endpoint"], &endpoint); err != nil {
		return fmt.Errorf("no endpoint is remembered: %w", err)
	}
	if p.others[name] != nil || name == p.name || name == owner {
		return fmt.Errorf("there is a %s already", name)
	}
	environment := []string{endpointVariable + "=" + endpoint}
	switch {
	case len(speaks) == 0:
		p.others[name] = p.start(headers, []string{"attach"}, environment)
	case speaks[0] == mcp:
		p.others[name] = p.start(mcp, speaks[1:], environment)
	default:
		return fmt.Errorf("%q is not what a guest speaks: nothing, or mcp", speaks[0])
	}
	return nil
}

func (p *player) do(step transcript.Step) error {
	switch step.Verb {
	case transcript.Start:
		return p.startStep(step.Args)
	case transcript.Attach:
		return p.attach(step.Args[0], step.Args[1:])
	case transcript.As:
		return p.as(step.Args[0])
	case transcript.Say, transcript.Expect, transcript.Never, transcript.Group, transcript.Raw,
		transcript.EOF, transcript.Signal, transcript.Exit, transcript.Stop:
		if p.sidecar == nil {
			return fmt.Errorf("no sidecar runs")
		}
		return p.talk(step)
	case transcript.Stderr:
		s := p.sidecar
		if s == nil {
			s = p.ended
		}
		if s == nil {
			return fmt.Errorf("no sidecar has run")
		}
		return s.stderr.await(p.ctx, strings.Join(step.Args, " "))
	case transcript.Put, transcript.Remove, transcript.Mode:
		return p.change(step)
	case transcript.Await, transcript.Count, transcript.Release, transcript.Kill, transcript.Gone, transcript.Launch:
		return p.direct(step)
	}
	return fmt.Errorf("unknown verb")
}

func (p *player) startStep(words []string) error {
	if p.sidecar != nil {
		return fmt.Errorf("the last one still runs")
	}
	speaks := headers
	var flags, environment []string
	for i, word := range words {
		switch {
		case i == 0 && (word == headers || word == ndjson || word == mcp):
			speaks = word
		case strings.Contains(word, "=") && !strings.HasPrefix(word, "-") && flags == nil:
			environment = append(environment, word)
		default:
			flags = append(flags, word)
		}
	}
	p.sidecar = p.start(speaks, flags, environment)
	return nil
}

// talk takes the steps about a running sidecar.
func (p *player) talk(step transcript.Step) error {
	s := p.sidecar
	switch step.Verb {
	case transcript.Say:
		return s.say(step.Args[0])
	case transcript.Never:
		p.never = append(p.never, step.Args[0])
		return nil
	case transcript.Expect:
		return p.expect([]transcript.Step{step})
	case transcript.Group:
		return p.expect(step.Group)
	case transcript.Raw:
		return s.raw(step.Args[0])
	case transcript.EOF:
		return s.stdin.Close()
	case transcript.Signal:
		signal, ok := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}[step.Args[0]]
		if !ok {
			return fmt.Errorf("unknown signal %q", step.Args[0])
		}
		return s.cmd.Process.Signal(signal)
	case transcript.Stop:
		return p.over(s.stop())
	default: // transcript.Exit
		code, err := strconv.Atoi(step.Args[0])
		if err != nil {
			return err
		}
		return p.over(s.exit(code))
	}
}

func (p *player) expect(steps []transcript.Step) error {
	patterns := make([]string, len(steps))
	for i, step := range steps {
		patterns[i] = step.Args[0]
	}
	never := p.never
	p.never = nil
	return p.sidecar.expect(patterns, never)
}

// over checks what must hold whenever a sidecar has ended.
func (p *player) over(err error) error {
	if err != nil {
		return err
	}
	p.ended, p.sidecar = p.sidecar, nil
	if p.name != owner {
		return nil // the session goes on
	}
	return p.world.ended()
}

// change takes the steps about files.
func (p *player) change(step transcript.Step) error {
	path := p.path(step.Args[len(step.Args)-1])
	switch step.Verb {
	case transcript.Put:
		return p.put(step.Args[0], step.Args[1])
	case transcript.Remove:
		return os.RemoveAll(path)
	default: // transcript.Mode
		mode, err := strconv.ParseUint(step.Args[0], 8, 32)
		if err != nil {
			return err
		}
		return os.Chmod(path, os.FileMode(mode))
	}
}

// put writes a section into one file, or into all that a pattern names.
func (p *player) put(pattern, section string) error {
	for _, file := range p.files {
		if file.Name != section {
			continue
		}
		paths := []string{p.path(pattern)}
		if strings.Contains(pattern, "*") {
			var err error
			if paths, err = filepath.Glob(p.path(pattern)); err != nil || len(paths) == 0 {
				return fmt.Errorf("no file is named like %s: %w", pattern, err)
			}
		}
		for _, path := range paths {
			p.write(path, []byte(p.expand(string(file.Data))))
		}
		return nil
	}
	return fmt.Errorf("no section %s", section)
}

// direct takes the steps about the fakes.
func (p *player) direct(step transcript.Step) error {
	if step.Verb == transcript.Gone && len(step.Args) == 0 {
		return p.world.ended()
	}
	fake, rest := step.Args[0], step.Args[1:]
	switch step.Verb {
	case transcript.Await:
		return p.hub.Await(p.ctx, control.Event{Fake: fake, Text: strings.Join(rest, " ")})
	case transcript.Count:
		return p.count(fake, rest)
	case transcript.Release:
		p.hub.Release(fake, rest[0])
		return nil
	case transcript.Kill:
		return p.hub.Kill(fake)
	case transcript.Launch:
		p.launch(fake)
		return nil
	default: // transcript.Gone
		return p.hub.AwaitEnd(p.ctx, fake)
	}
}

func (p *player) count(fake string, words []string) error {
	n := len(words)
	event, relation := strings.Join(words[:n-2], " "), words[n-2]
	want, err := strconv.Atoi(words[n-1])
	if err != nil {
		return err
	}
	got := p.hub.Count(control.Event{Fake: fake, Text: event})
	ok, known := map[string]bool{"=": got == want, "<=": got <= want, ">=": got >= want}[relation]
	if !known {
		return fmt.Errorf("unknown relation %q", relation)
	}
	if !ok {
		return fmt.Errorf("%q happened %d times, want %s %d", event, got, relation, want)
	}
	return nil
}
