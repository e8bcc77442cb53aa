package runtime

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/spelling"
)

// alike is the likeness, of 1, below which a name is no suggestion.
const alike = 0.45

// nearest gives up to suggestionLimit of names that are spelled like name, or share words
// with it, nearest first. It looks at nameLimit bytes of name and at every one
// of names once, however long name is.
func nearest(name string, names []string) []string {
	type near struct {
		name  string
		score float64
	}
	wanted := newLikeness(name)
	var found []near
	for _, x := range names {
		if score := wanted.to(x); score >= alike {
			found = append(found, near{x, score})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name))
	})
	best := []string{}
	for _, f := range found[:min(len(found), suggestionLimit)] {
		best = append(best, f.name)
	}
	return best
}

// likeness compares one name with many.
type likeness struct {
	letters string
	word    *spelling.Word // letters
	words   []string       // in letters
}

func newLikeness(name string) *likeness {
	bare := bareName(name[:min(len(name), nameLimit)])
	bare = bare[:min(len(bare), spelling.MaxLetters)] // lower case may be longer
	return &likeness{bare, spelling.New(bare), nameWords(bare)}
}

// bareName is what tells names apart: without the prefix that all have, and in
// lower case.
func bareName(name string) string {
	return strings.TrimLeft(strings.TrimPrefix(strings.ToLower(name), "mcp_"), "_")
}

func nameWords(bare string) []string {
	return strings.FieldsFunc(bare, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
}

// to is how alike the names are, from 0 to 1: the better of spelling and words.
func (l *likeness) to(name string) float64 {
	bare := bareName(name)
	longest := max(len(l.letters), len(bare))
	if longest == 0 || len(l.letters) == 0 {
		return 0
	}
	spelled := 1 - float64(l.word.Distance(bare))/float64(longest)
	words := nameWords(bare)
	shared := 0
	for _, w := range l.words {
		if slices.Contains(words, w) {
			shared++
		}
	}
	common := 2 * float64(shared) / float64(max(len(words)+len(l.words), 1))
	return max(spelled, common) + 0.01*min(spelled, common) // the other one breaks ties
}
