//go:build unix && race

package conformance

// raceEnabled: the programs under test are built like the test itself.
const raceEnabled = true
