package runtime

import (
	"bytes"
	"fmt"
	"os"
)

// isZombie reads the state behind the command's name, which stands in
// parentheses and may itself hold some (proc_pid_stat(5)).
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && bytes.HasPrefix(stat[i:], []byte(") Z"))
}
