package spelling

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// slow is Distance as textbooks have it.
func slow(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
				continue
			}
			rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}

func TestDistanceIsThatOfTextbooks(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "Abc", 1},
		{"args", "agrs", 1},
		{"agrs", "args", 1},
		{"ca", "abc", 3},
		{"abcd", "badc", 2},
		{"\xff\xfe", "\xfe\xff", 1},
	} {
		if got := New(c.a).Distance(c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	word := func(letters string) string {
		b := make([]byte, r.IntN(MaxLetters+1))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	for _, letters := range []string{"ab", "abc_"} {
		for range 2000 {
			a, b := word(letters), word(letters)
			if got, want := New(a).Distance(b), slow(a, b); got != want {
				t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestNoMoreOfAWordCountsThanItsFirstLetters(t *testing.T) {
	if got := New(strings.Repeat("x", 1<<20)).Distance("y"); got != MaxLetters {
		t.Errorf("got %d", got)
	}
}
