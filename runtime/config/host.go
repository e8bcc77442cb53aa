package config

import (
	"maps"
	"slices"
)

func hostPlaces(s *site) []place {
	return []place{{level: Host, named: true, base: s.opts.Cwd, dialect: nativeDialect(), read: readHost}}
}

// readHost reads settings.servers, each of which is a text of its own.
func readHost(r *reading) {
	for _, name := range slices.Sorted(maps.Keys(r.site.opts.Servers)) {
		doc := &document{path: "mcp:" + name, unplaced: true}
		n, problem := parseJSONC(doc, r.site.opts.Servers[name])
		if problem != nil {
			n = &node{doc: doc} // null, which is no entry either
		}
		r.define(name, n)
	}
}
