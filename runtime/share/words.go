package share

import (
	"crypto/subtle"
	"errors"
	"io"
)

// What is said before a connection is the session's: a line of the guest's, and
// one for an answer.
const (
	greeting = "mcp-sidecar guest "
	welcome  = "welcome"
	refused  = "refused: "
	wordSize = 512 // the longest line
)

// readLine reads up to a line's end and not a byte beyond: what follows is not
// ours.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for next := make([]byte, 1); len(line) < wordSize; {
		if _, err := io.ReadFull(r, next); err != nil {
			return "", err
		}
		if next[0] == '\n' {
			return string(line), nil
		}
		line = append(line, next[0])
	}
	return "", errors.New("the line is too long")
}

// equal compares without telling by its time how much is right.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
