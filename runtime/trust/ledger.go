package trust

import "slices"

const (
	// maxHashes is how many decided hashes of one server in one project are
	// kept: a few branches that are switched between.
	maxHashes = 8
	// maxRows bounds the file. A row is some 300 bytes.
	maxRows = 10_000
)

// Rows are in the order in which they were recorded, oldest first. The bounds
// go by that order and not by the clock: a clock that was set back must not
// have the newest decision dropped.

// record puts entries behind rows, each in place of older ones about the same,
// and drops the oldest that are too many. Rows that this version does not
// understand count like all others.
func record(rows []row, entries []Entry) []row {
	out := slices.Clone(rows)
	for _, e := range entries {
		var r row
		for _, old := range out {
			if old.key() == e.key() {
				r.Others = old.Others // what a later version has added to it
			}
		}
		r.set(e)
		out = append(slices.DeleteFunc(out, func(old row) bool { return old.key() == e.key() }), r)
	}
	return bounded(out)
}

// recordUndecided puts those of the entries behind rows about which rows say
// nothing.
func recordUndecided(rows []row, entries []Entry) []row {
	decided := newBook(rows)
	return record(rows, slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool {
		_, known := decided.Decision(e.Project, e.Server, e.Hash)
		return known
	}))
}

// bounded drops the oldest hashes of a server, and then the oldest rows, that
// are too many.
func bounded(rows []row) []row {
	hashes := make(map[key]int)
	var kept []row // newest first
	for i := len(rows) - 1; i >= 0 && len(kept) < maxRows; i-- {
		name := key{project: rows[i].Project, server: rows[i].Server}
		if hashes[name]++; hashes[name] <= maxHashes {
			kept = append(kept, rows[i])
		}
	}
	slices.Reverse(kept)
	return kept
}

// revoke takes out the rows that k is about, in which "" stands for all.
func revoke(rows []row, k key) (left []row, revoked []Entry) {
	for _, r := range rows {
		if r.Project == k.project && (k.server == "" || r.Server == k.server) && (k.hash == "" || r.Hash == k.hash) {
			revoked = append(revoked, r.entry())
		} else {
			left = append(left, r)
		}
	}
	return left, revoked
}
