package config

import "strings"

// nearestWord is the known word that a misspelt one is likely to be, "" for none:
// one that it begins like, but for the last letter, or that one letter in three
// keeps it from being.
func nearestWord(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", len(word)/3+1
	for _, k := range known {
		lower := strings.ToLower(k)
		d := editDistance(word, lower)
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

// editDistance is the number of letters to insert, drop or replace, or to change
// places with the next, to make b of a.
func editDistance(a, b string) int {
	const most = 64
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
