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
					e.Disabled = !rule.on
				}
			}
		}
	}
}

// firstOfName keeps of each name the first entry. One that is disabled or
// invalid owns its name like any other; one that was denied was never there.
func firstOfName(entries []*Entry, denies func(*Entry) bool) (winners, denied []*Entry) {
	taken := make(map[string]bool, len(entries))
	for _, e := range entries {
		switch {
		case taken[e.Name]:
		case denies != nil && denies(e):
			denied = append(denied, e)
		default:
			taken[e.Name] = true
			winners = append(winners, e)
		}
	}
	return winners, denied
}

// mergeAliases makes one server of entries that would start the same thing
// under different names. The earlier name stays, but one that needs no trust
// before one that does: a project must not keep the user's server from starting.
// Disabled and invalid entries start nothing, so they neither become aliases nor
// have any.
func mergeAliases(entries []*Entry, x Expander) []*Entry {
	targets := make([]string, len(entries)) // "" for what starts nothing
	winner := make(map[string]*Entry, len(entries))
	for i, e := range entries {
		if e.Disabled || e.Invalid != "" {
			continue
		}
		targets[i] = e.target(x)
		if first := winner[targets[i]]; first == nil || first.NeedsTrust() && !e.NeedsTrust() {
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
		server.Aliases = append(server.Aliases, Alias{Name: e.Name, Path: e.Path})
	}
	return servers
}
