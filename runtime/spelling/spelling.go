// Package spelling says how far apart two words are, for whoever suggests what
// was meant: names of tools, servers and commands, and keys of configuration
// files. What distance is too far is theirs to say.
package spelling

// MaxLetters is how much of a Word counts, in bytes.
const MaxLetters = 64

// Word is one word that others are compared with. It is not changed once made.
type Word struct {
	letters string
	masks   [256]uint64 // bit i of masks[c]: letters[i] is c
}

// New is a word, of which MaxLetters bytes count. Capitals are other letters.
func New(word string) *Word {
	w := &Word{letters: word[:min(len(word), MaxLetters)]}
	for i := range len(w.letters) {
		w.masks[w.letters[i]] |= 1 << i
	}
	return w
}

// Distance is the number of bytes to insert, drop or replace, or to change
// places with the next, to make text of the word; none is touched twice. It takes
// a step of a few instructions for each byte of text (Myers 1999, with the
// transpositions of Hyyrö 2003).
func (w *Word) Distance(text string) int {
	if len(w.letters) == 0 {
		return len(text)
	}
	last := uint64(1) << (len(w.letters) - 1)
	up, down := ^uint64(0), uint64(0) // where the column goes up, and down
	// Of the column before: where a diagonal does not go up, and what matched.
	diagonal, matched := ^uint64(0), uint64(0)
	score := len(w.letters)
	for i := range len(text) {
		match := w.masks[text[i]]
		swapped := (^diagonal & match) << 1 & matched
		diagonal = swapped | (((match & up) + up) ^ up) | match | down
		matched = match
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
