package transport

import "golang.org/x/sys/windows"

// ProcessExists says whether a process runs, as far as we may know.
func ProcessExists(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // a process id fits
	if err != nil {
		return err != windows.ERROR_INVALID_PARAMETER //nolint:errorlint // an errno, never wrapped
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing to do about it
	e, err := windows.WaitForSingleObject(h, 0)
	return err != nil || e == uint32(windows.WAIT_TIMEOUT)
}
