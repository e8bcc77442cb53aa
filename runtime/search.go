package runtime

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// How much a word weighs by where it is. A name is chosen with care; of a
// description much is about other things.
const (
	weightName   = 4.0
	weightTitle  = 2.0
	weightServer = 1.5
	weightText   = 1.0
)

// The ranking is BM25 over those weights: the two are its usual parameters, k1
// (how soon more of the same word stops mattering) and b (how much a long text
// is held against a tool).
const (
	rankSaturation = 1.2
	rankLength     = 0.4
)

const (
	// startsWith is what a word counts for that only starts with the query's.
	startsWith    = 0.5
	startsWithMin = 3 // letters a word of the query must have for that
	// A query that is a name comes before all others.
	exactName = 1000.0
	exactRaw  = 500.0

	searchWords     = 32      // words of a query that are looked for
	searchTextBytes = 2 << 10 // what of a longer description is looked at
)

// searchIndex is what search needs to know of one source. It never changes.
type searchIndex struct {
	words  map[string][]posting // by stem
	sorted []string             // the keys of words
	length []float64            // of each tool: the sum of its weights
	total  float64              // of length
}

// posting is how much of a word is in one tool.
type posting struct {
	tool   int // position in the source's defs
	weight float64
}

func newSearchIndex(s toolSource) *searchIndex {
	x := &searchIndex{
		words:  make(map[string][]posting),
		length: make([]float64, len(s.defs)),
	}
	server := wordsOf(s.server)
	for i, d := range s.defs {
		x.add(i, weightName, wordsOf(d.name))
		x.add(i, weightTitle, wordsOf(d.title))
		x.add(i, weightServer, server)
		x.add(i, weightText, wordsOf(d.description[:min(len(d.description), searchTextBytes)]))
		x.total += x.length[i]
	}
	for w := range x.words {
		x.sorted = append(x.sorted, w)
	}
	slices.Sort(x.sorted)
	return x
}

func (x *searchIndex) add(tool int, weight float64, words []string) {
	for _, w := range words {
		stem := stemOf(w)
		list := x.words[stem]
		if n := len(list); n > 0 && list[n-1].tool == tool {
			list[n-1].weight += weight
		} else {
			x.words[stem] = append(list, posting{tool, weight})
		}
		x.length[tool] += weight
	}
}

// find calls each for every tool with the word, and with those that start with
// it, once for each tool and word.
func (x *searchIndex) find(stem string, each func(tool int, weight float64)) {
	for _, p := range x.words[stem] {
		each(p.tool, p.weight)
	}
	if len(stem) < startsWithMin {
		return
	}
	from, _ := slices.BinarySearch(x.sorted, stem)
	for _, w := range x.sorted[from:] {
		if !strings.HasPrefix(w, stem) {
			break
		}
		if w != stem {
			for _, p := range x.words[w] {
				each(p.tool, p.weight*startsWith)
			}
		}
	}
}

// search ranks the tools by how well name, title, server and description answer
// the query, best first, at most limit of them (searchLimit if that is not
// positive). Tools that have nothing of the query are not hits. The indexes are
// made by the first search that needs them.
func (c *catalog) search(query string, limit int) []rpc.SearchHit {
	if limit <= 0 {
		limit = searchLimit
	}
	query = strings.TrimSpace(query[:min(len(query), searchQueryBytes)])
	scores := c.rank(queryStems(query))
	hits := []rpc.SearchHit{}
	nth := 0
	for _, p := range c.parts {
		for _, d := range p.source.defs {
			t, score := &c.tools[c.places[nth]], scores[nth]
			nth++
			switch {
			case strings.EqualFold(query, t.Name), strings.EqualFold(query, t.Label):
				score += exactName
			case strings.EqualFold(query, d.name):
				score += exactRaw
			}
			if score > 0 {
				hits = append(hits, rpc.SearchHit{Name: t.Name, Server: t.Server, Score: score})
			}
		}
	}
	slices.SortFunc(hits, func(a, b rpc.SearchHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	})
	return hits[:min(len(hits), limit)]
}

// queryStems are the words to look for, each once. Fillers count only if there
// is nothing else.
func queryStems(query string) []string {
	words := wordsOf(query)
	if telling := slices.DeleteFunc(slices.Clone(words), isFiller); len(telling) > 0 {
		words = telling
	}
	var stems []string
	for _, w := range words[:min(len(words), searchWords)] {
		if s := stemOf(w); !slices.Contains(stems, s) {
			stems = append(stems, s)
		}
	}
	return stems
}

// rank is the score of every tool, in the order of places; 0 for those without
// any of the words.
func (c *catalog) rank(stems []string) []float64 {
	var length []float64
	var total float64
	for _, p := range c.parts {
		length = append(length, p.index().length...)
		total += p.index().total
	}
	count := float64(len(length))
	scores := make([]float64, len(length))
	found := make([]int, len(length)) // how many of the words
	for _, stem := range stems {
		weights, with := c.weigh(stem)
		if with == 0 { // "menus" has a stem of its own, for the sake of "status"
			weights, with = c.weigh(strings.TrimSuffix(stem, "s"))
		}
		rarity := math.Log(1 + (count-with+0.5)/(with+0.5))
		for i, w := range weights {
			if w > 0 {
				norm := rankSaturation * (1 - rankLength + rankLength*length[i]*count/total)
				scores[i] += rarity * w * (1 + rankSaturation) / (w + norm)
				found[i]++
			}
		}
	}
	for i, n := range found {
		if n > 0 {
			// Half of the words is worth less than half: a tool that answers the
			// whole query comes before one that is all about a word of it.
			scores[i] *= float64(n) / float64(len(stems))
		}
	}
	return scores
}

// weigh is how much of a word is in every tool, in the order of places, and in
// how many it is at all.
func (c *catalog) weigh(stem string) (weights []float64, with float64) {
	weights = make([]float64, len(c.places))
	for k, p := range c.parts {
		of := weights[c.first[k]:]
		p.index().find(stem, func(tool int, weight float64) {
			if of[tool] == 0 {
				with++
			}
			of[tool] = max(of[tool], weight)
		})
	}
	return weights, with
}
