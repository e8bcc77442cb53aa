package config

import "strings"

// Foreseen are the secrets of the entry that are known before it is expanded:
// the values of the variables it refers to, which every server has in its
// environment, and, unless it is not to be started, what is written out in it.
func (e *Entry) Foreseen(getenv func(string) (string, bool), started bool) []string {
	var secrets []string
	for _, name := range append(e.Uses().Variables, e.Passed...) {
		if value, set := getenv(name); set && !isEverybodys(name) {
			secrets = append(secrets, value)
		}
	}
	if started {
		secrets = append(secrets, e.literals(getenv)...)
	}
	return secrets
}

// EnvironmentSecrets are the values, of "NAME=value" each, whose names say that
// they are secret: every server has them, whether an entry refers to them or not.
// Plain words and paths are none.
func EnvironmentSecrets(environ []string) []string {
	var secrets []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if soundsSecret(name) && !ordinary(value) && !(&mask{}).harmlessPath(value) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}
