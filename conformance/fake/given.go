package main

import (
	"encoding/json"
	"os"
	"strings"
)

// ownPrefix is how the variables of the environment begin that are taken for
// the server's own.
const ownPrefix = "LEAK_"

// given is what the server was started with: its arguments behind the script,
// and its own variables.
func given() []string {
	all := append([]string{}, os.Args[min(2, len(os.Args)):]...)
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, ownPrefix) {
			all = append(all, variable)
		}
	}
	return all
}

// recordVariable names the file to which a server that blabs adds what it has
// told, for tests that want to know what it was given.
const recordVariable = "FAKE_RECORD"

// blab writes a line for each thing the server was started with, and then one
// for each further variable of its environment.
func (s *server) blab(out *os.File) {
	lines := given()
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, ownPrefix) {
			lines = append(lines, variable)
		}
	}
	text := []byte(strings.Join(lines, "\n") + "\n")
	s.write(out, text)
	if path := os.Getenv(recordVariable); path != "" {
		if record, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			s.write(record, text)
			record.Close()
		}
	}
}

// withGiven replaces $given in a text.
func withGiven(text string) string {
	if !strings.Contains(text, "$given") {
		return text
	}
	return strings.ReplaceAll(text, "$given", strings.Join(given(), " "))
}

// givenAsJSON is what $given is within a string of JSON.
func givenAsJSON() string {
	quoted, err := json.Marshal(strings.Join(given(), " "))
	if err != nil {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}
