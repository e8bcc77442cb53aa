package runtime

import (
	"cmp"
	"slices"
	"strings"
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
	masks   [256]uint64 // bit i of masks[c]: letters[i] is c
	words   []string
}

func newLikeness(name string) *likeness {
	bare := bareName(name[:min(len(name), nameLimit)])
	l := &likeness{letters: bare[:min(len(bare), 64)]} // lower case may be longer
	for i := range len(l.letters) {
		l.masks[l.letters[i]] |= 1 << i
	}
	l.words = nameWords(l.letters)
	return l
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
	spelling := 1 - float64(l.distance(bare))/float64(longest)
	words := nameWords(bare)
	shared := 0
	for _, w := range l.words {
		if slices.Contains(words, w) {
			shared++
		}
	}
	common := 2 * float64(shared) / float64(max(len(words)+len(l.words), 1))
	return max(spelling, common) + 0.01*min(spelling, common) // the other one breaks ties
}

// distance is the Levenshtein distance, a column a step in the bits of one
// word (Myers 1999, as Hyyrö 2003 has it for whole strings). It needs letters of
// at most 64 bytes.
func (l *likeness) distance(text string) int {
	if len(l.letters) == 0 {
		return len(text)
	}
	last := uint64(1) << (len(l.letters) - 1)
	up, down := ^uint64(0), uint64(0) // where the column goes up, and down
	score := len(l.letters)
	for i := range len(text) {
		match := l.masks[text[i]]
		diagonal := (((match & up) + up) ^ up) | match | down
		right := down | ^(diagonal | up)
		left := diagonal & up
		if right&last != 0 {
			score++
		}
		if left&last != 0 {
			score--
		}
		right = right<<1 | 1
		left <<= 1
		up = left | ^(diagonal | right)
		down = right & diagonal
	}
	return score
}
