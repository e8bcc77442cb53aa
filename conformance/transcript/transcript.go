// Package transcript reads the dialogues in conformance/transcripts and
// matches messages against them. README.md in the directory above is the
// format; this is the part of it that is pure: text in, steps and verdicts out.
//
// It runs nothing and waits for nothing, and it is written without anything
// that only Go has, as a model for the readers in other languages.
package transcript

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Transcript is one file.
type Transcript struct {
	// Title is the first line, the promise that the dialogue shows kept.
	Title string
	// Files are the sections but the dialogue, in order.
	Files []txtar.File
	Steps []Step
}

// A Step is one line of a dialogue (with the lines that continue it), or one
// unordered group of expected messages.
type Step struct {
	// Line counts from 1 in the file.
	Line int
	Verb Verb
	// Args are the words after the verb. Say, Expect, Never and Raw have one,
	// the JSON.
	Args []string
	// Group holds the Expect steps of a Group step.
	Group []Step
}

// Verb is what a step does.
type Verb string

// The verbs.
const (
	Say    Verb = ">"  // the host sends a message
	Expect Verb = "<"  // the sidecar sends a message
	Never  Verb = "<!" // no such message comes before the next expected one
	Group  Verb = "<{" // messages that come in any order, up to a line "}"

	Start  Verb = "start"  // [headers|ndjson|mcp] [KEY=VALUE…] [flag…]: starts the sidecar
	Raw    Verb = "raw"    // JSON string: bytes on the sidecar's stdin
	EOF    Verb = "eof"    // closes the sidecar's stdin
	Signal Verb = "signal" // TERM|INT|KILL, to the sidecar
	Exit   Verb = "exit"   // code: the sidecar ends with it, having said nothing else of note
	Stop   Verb = "stop"   // shuts the sidecar down: exit code 0
	Stderr Verb = "stderr" // text: comes, or has come, on the stderr of the sidecar that runs, or else ran last

	Attach Verb = "attach" // name [mcp [flag…]]: starts a guest by the endpoint that is remembered
	As     Verb = "as"     // name|owner: whom the steps that follow are about

	Put    Verb = "put"    // glob section: writes the section into the files
	Remove Verb = "remove" // path: removes a file or directory
	Mode   Verb = "mode"   // octal path: changes permissions

	Await   Verb = "await"   // fake event…: waits until it has happened once more
	Count   Verb = "count"   // fake event… (=|<=|>=) n: how often it has happened
	Release Verb = "release" // fake hold: lets one hold go
	Kill    Verb = "kill"    // fake: SIGKILL to its processes
	Gone    Verb = "gone"    // [fake]: waits until none of its processes is left
	Launch  Verb = "launch"  // fake: starts a remote fake again, at the same address
)

// arity is how many words follow each verb, at least and at most.
func arity(v Verb) (least, most int, known bool) {
	const many = 1 << 10
	switch v {
	case Start:
		return 0, many, true
	case EOF, Stop:
		return 0, 0, true
	case Gone:
		return 0, 1, true
	case Signal, Exit, Remove, Kill, Launch, As:
		return 1, 1, true
	case Attach, Stderr:
		return 1, many, true
	case Put, Mode, Release:
		return 2, 2, true
	case Await:
		return 2, many, true
	case Count:
		return 4, many, true
	case Say, Expect, Never, Group, Raw:
		return 1, 1, true
	}
	return 0, 0, false
}

// dialogue is the name of the section with the steps.
const dialogue = "dialogue"

// Parse reads a transcript. expand replaces the placeholders in the dialogue;
// those in files are left for whoever writes them.
func Parse(data []byte, expand func(string) string) (*Transcript, error) {
	archive := txtar.Parse(data)
	title, _, _ := strings.Cut(string(archive.Comment), "\n")
	t := &Transcript{Title: title}
	if title == "" {
		return nil, fmt.Errorf("the first line must say what the transcript shows")
	}
	for _, file := range archive.Files {
		if file.Name != dialogue {
			t.Files = append(t.Files, file)
			continue
		}
		if t.Steps != nil {
			return nil, fmt.Errorf("two sections named %s", dialogue)
		}
		var err error
		if t.Steps, err = parseSteps(string(file.Data), lineOf(data, dialogue), expand); err != nil {
			return nil, err
		}
	}
	if t.Steps == nil {
		return nil, fmt.Errorf("no section named %s", dialogue)
	}
	return t, nil
}

// lineOf is the number of the line after a section's marker.
func lineOf(data []byte, section string) int {
	before, _, _ := strings.Cut("\n"+string(data), "\n-- "+section+" --")
	return strings.Count(before, "\n") + 2
}

func parseSteps(text string, first int, expand func(string) string) ([]Step, error) {
	steps := []Step{}
	var group *Step // the open one
	for _, l := range joined(text, first) {
		if group != nil && l.text == "}" {
			steps = append(steps, *group)
			group = nil
			continue
		}
		s, err := parseStep(expand(l.text))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		s.Line = l.number
		switch {
		case s.Verb == Group:
			group = &s
		case group == nil:
			steps = append(steps, s)
		case s.Verb == Expect:
			group.Group = append(group.Group, s)
		default:
			return nil, fmt.Errorf("line %d: only expected messages stand in a group", l.number)
		}
	}
	if group != nil {
		return nil, fmt.Errorf("line %d: the group is not closed", group.Line)
	}
	return steps, nil
}

type line struct {
	number int
	text   string
}

// joined drops blank lines and comments, and adds indented lines to the line
// they continue. Inside a group, two spaces are not a continuation if a "<"
// follows.
func joined(text string, first int) []line {
	var lines []line
	for i, raw := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(raw)
		indented := raw != trimmed && strings.HasPrefix(raw, " ")
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case indented && len(lines) > 0 && !strings.HasPrefix(trimmed, "< "):
			lines[len(lines)-1].text += " " + trimmed
		default:
			lines = append(lines, line{first + i, trimmed})
		}
	}
	return lines
}

func parseStep(text string) (Step, error) {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	s := Step{Verb: Verb(word)}
	switch s.Verb {
	case Group:
		return s, nil
	case Say, Expect, Never:
		s.Args = []string{rest}
		if err := wellFormed(rest); err != nil {
			return s, err
		}
		return s, nil
	case Raw:
		bytes, err := unquote(rest)
		s.Args = []string{bytes}
		return s, err
	default:
		s.Args = strings.Fields(rest)
	}
	least, most, known := arity(s.Verb)
	if !known {
		return s, fmt.Errorf("unknown verb %q", word)
	}
	if len(s.Args) < least || len(s.Args) > most {
		return s, fmt.Errorf("%s takes %d words or more, has %d", word, least, len(s.Args))
	}
	if s.Verb == Count {
		if _, err := strconv.Atoi(s.Args[len(s.Args)-1]); err != nil {
			return s, fmt.Errorf("count ends in a number, has %q", s.Args[len(s.Args)-1])
		}
	}
	return s, nil
}

func wellFormed(text string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return fmt.Errorf("not a JSON object: %w: %s", err, text)
	}
	return nil
}

// unquote reads a Go-like string, because a JSON string cannot hold bytes that
// are not UTF-8: \xff does.
func unquote(text string) (string, error) {
	bytes, err := strconv.Unquote(text)
	if err != nil {
		return "", fmt.Errorf("not a quoted string: %s", text)
	}
	return bytes, nil
}
