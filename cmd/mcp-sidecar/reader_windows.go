package main

import "syscall"

// hasReader cannot be known here; a write tells.
func hasReader(syscall.Conn) bool { return true }
