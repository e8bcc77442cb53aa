package config

// switchServers applies what files say about servers by name: a tool's own
// lists first, then the user's for all, which are the last word.
func switchServers(entries []*Entry, rules []rule) {
	for _, general := range []bool{false, true} {
		for _, rule := range rules {
			if general != (rule.provider == "") {
				continue
			}
			for _, e := range entries {
				if rule.matches(e) {
					e.Disabled, e.OffIn = !rule.on, ""
					if e.Disabled {
						e.OffIn = rule.path
					}
				}
			}
		}
	}
}

// firstOfName keeps of each name the first entry. One that is disabled or
// invalid owns its name like any other; one that was denied was never there. A
// part gives way to what it is in, and nothing is lost by that.
func firstOfName(entries []*Entry, parts map[*Entry]bool, denies func(*Entry) bool, x Expander) (o outcome) {
	owner := make(map[string]*Entry, len(entries))
	for _, e := range entries {
		first := owner[e.Name]
		switch {
		case first == nil && denies != nil && denies(e):
			o.denied = append(o.denied, e)
		case first == nil:
			owner[e.Name] = e
			o.winners = append(o.winners, e)
		case parts[e] && first.Provider == e.Provider:
		case denies == nil || !denies(e):
			same := e.Invalid == "" && first.Invalid == "" && e.Disabled == first.Disabled && e.target(x) == first.target(x)
			o.lost = append(o.lost, Lost{Name: e.Name, Origin: e.Origin(), To: first.Origin(), Same: same})
		}
	}
	return o
}

// outcome is what became of entries that competed for their names.
type outcome struct {
	winners []*Entry
	denied  []*Entry // those that had won otherwise
	lost    []Lost
}

// Origin is where the entry stands.
func (e *Entry) Origin() Origin {
	return Origin{e.Provider, e.ProviderName, e.Level, e.Path, e.Line, e.Column}
}

// mergeAliases makes one server of entries that would start the same thing
// under different names. The earlier name stays, but one that needs no trust
// before one that does, and one that has it before one that waits for it: what a
// project's file adds must not keep from starting what may start. Disabled and
// invalid entries start nothing, so they neither become aliases nor have any.
func mergeAliases(entries []*Entry, waits func(*Entry) bool, x Expander) []*Entry {
	standing := func(e *Entry) int {
		switch {
		case !e.NeedsTrust():
			return 0
		case waits == nil || !waits(e):
			return 1
		}
		return 2
	}
	targets := make([]string, len(entries)) // "" for what starts nothing
	winner := make(map[string]*Entry, len(entries))
	for i, e := range entries {
		if e.Disabled || e.Invalid != "" {
			continue
		}
		targets[i] = e.target(x)
		if first := winner[targets[i]]; first == nil || standing(e) < standing(first) {
			winner[targets[i]] = e
		}
	}
	servers := make([]*Entry, 0, len(entries))
	for i, e := range entries {
		server := winner[targets[i]]
		if server == nil || server == e {
			servers = append(servers, e)
			continue
		}
		server.Aliases = append(server.Aliases, Alias{Name: e.Name, Path: e.Path, Line: e.Line, Column: e.Column})
	}
	return servers
}
