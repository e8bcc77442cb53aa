//go:build !linux && !windows

package watch

import "errors"

// listen leaves everything to the poll: see the package's absences.
func listen(plan, chan<- struct{}) (listener, error) { return nil, errors.ErrUnsupported }
