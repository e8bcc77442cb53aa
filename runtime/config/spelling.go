package config

import (
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/spelling"
)

// nearestWord is the known word that a misspelt one is likely to be, "" for none:
// one that it begins like, but for the last letter, or that one letter in three
// keeps it from being.
func nearestWord(word string, known []string) string {
	word = strings.ToLower(word)
	written := spelling.New(word)
	best, least := "", min(len(word), spelling.MaxLetters)/3+1
	for _, k := range known {
		lower := strings.ToLower(k)
		d := written.Distance(lower)
		if same := commonPrefix(word, lower); same >= 3 && same >= min(len(word), len(lower))-1 {
			d = 1
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
