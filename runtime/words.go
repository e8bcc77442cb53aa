package runtime

import (
	"strings"
	"unicode"
)

// wordsOf splits text into lower-case words, as people who look for tools and
// people who name them write them: "readFile", "read_file" and "Read file" all
// have "read" and "file". A word written in mixed case is also there as a whole
// ("GitHub" is "git", "hub" and "github"), and scripts without spaces give one
// word a character.
func wordsOf(text string) []string {
	var words []string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		if !inWord(runes[i]) {
			i++
			continue
		}
		start := i
		for i < len(runes) && inWord(runes[i]) {
			i++
		}
		words = appendWord(words, runes[start:i])
	}
	return words
}

func inWord(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c)
}

// appendWord adds the parts of an unbroken run of letters and digits.
func appendWord(words []string, run []rune) []string {
	before, from := len(words), 0
	for i := 1; i <= len(run); i++ {
		if i < len(run) && !borderAt(run, i) {
			continue
		}
		words = append(words, strings.ToLower(string(run[from:i])))
		from = i
	}
	if len(words)-before > 1 && !unspaced(run[0]) {
		words = append(words, strings.ToLower(string(run)))
	}
	return words
}

// borderAt says whether a new word starts at run[i]: aB, ABc (before B), and
// either side of a character that is a word of its own.
func borderAt(run []rune, i int) bool {
	a, b := run[i-1], run[i]
	switch {
	case unspaced(a) || unspaced(b):
		return true
	case unicode.IsUpper(b):
		return !unicode.IsUpper(a) || i+1 < len(run) && unicode.IsLower(run[i+1])
	}
	return false
}

// unspaced are the scripts that put no spaces between words.
func unspaced(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// stemOf takes the commonest English endings off, so that "creating issues"
// finds "create_issue". It need not be a word: it only has to be the same for
// forms of the same word.
func stemOf(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && hasAnySuffix(w, "sses", "shes", "ches", "xes", "zes"):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !hasAnySuffix(w, "ss", "us", "is"):
		w = w[:len(w)-1]
	}
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = undoubled(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = undoubled(w[:len(w)-2])
	}
	if len(w) > 4 && strings.HasSuffix(w, "e") { // "create" as in "creat-ing"
		w = w[:len(w)-1]
	}
	return w
}

func hasAnySuffix(w string, suffixes ...string) bool {
	for _, s := range suffixes {
		if strings.HasSuffix(w, s) {
			return true
		}
	}
	return false
}

// undoubled is "get" of "gett", and "fill" as it is.
func undoubled(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// isFiller says whether a word of a query says nothing about a tool.
func isFiller(w string) bool {
	switch w {
	case "a", "an", "the", "this", "that", "these", "those", "some", "any", "all", "every",
		"i", "me", "my", "we", "us", "our", "you", "your", "it", "its", "is", "are", "be", "was",
		"to", "of", "in", "on", "at", "for", "from", "with", "by", "into", "and", "or", "as",
		"do", "does", "can", "could", "would", "should", "want", "need", "please", "how", "what", "which",
		"there", "have", "has", "tool", "tools", "mcp", "server":
		return true
	}
	return false
}
