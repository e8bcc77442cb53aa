package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// zombiesOf are the dead children that a process has not waited for.
func zombiesOf(parent int) []string {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
	var zombies []string
	for _, path := range paths {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The command in parentheses may hold anything; state and parent follow.
		command, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(parent) {
			zombies = append(zombies, fmt.Sprintf("%s)", command))
		}
	}
	return zombies
}
