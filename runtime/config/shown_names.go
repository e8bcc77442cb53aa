package config

import "strings"

// isValueForName says of what stands where the name of a variable should that it
// is more likely to be a secret: people write one there by mistake.
func isValueForName(s string) bool { return looksLikeToken(s) && !isVariableName(s) }

// name is the name of a member. One that holds a value by mistake, such as
// TOKEN=value, is shown without it.
func (k *mask) name(s string) string {
	if len(s) > maxShown || isValueForName(s) {
		return k.hide(s, guardSecret)
	}
	if strings.ContainsAny(s, "=: ") {
		return k.loose(s, true)
	}
	return s
}

// shownName is the name of a member as Shown has it.
func shownName(s string) string { return (&mask{}).name(s) }

// shownReference is what a value refers to, the name of a variable, say, as a
// message has it.
func shownReference(name string) string {
	if isValueForName(name) {
		return hiddenText
	}
	return name
}

// shownPath is the name of a file that a value refers to, as a message has it.
func shownPath(path string) string {
	elements := strings.Split(path, "/")
	for i, element := range elements {
		elements[i] = shownReference(element)
	}
	return strings.Join(elements, "/")
}

// shownVariableName is the name of a variable where only such a name can stand.
func shownVariableName(name string) string { return (&mask{}).text(name, guardName) }
