package transport

import (
	"context"
	"errors"
	"fmt"
)

// interrupted is the error of an operation whose ctx ended. It wraps ctx's
// cause.
func interrupted(ctx context.Context, stage Stage, operation string, notSent bool) *Error {
	cause := context.Cause(ctx)
	e := &Error{Code: CodeClosed, Stage: stage, NotSent: notSent, Err: cause}
	if errors.Is(cause, context.DeadlineExceeded) {
		e.Code = CodeTimeout
		e.Message = operation + ": no answer in time"
	} else {
		e.Message = fmt.Sprintf("%s: given up: %v", operation, cause)
	}
	return e
}

// during says of an error of the connection which operation it ended. The
// original is shared by all of them and stays as it is.
func during(err error, stage Stage, operation string, notSent bool) *Error {
	var typed *Error
	if !errors.As(err, &typed) {
		typed = &Error{Code: CodeClosed, Message: err.Error(), Err: err}
	}
	e := *typed
	e.Stage = stage
	e.NotSent = notSent
	e.Message = fmt.Sprintf("%s during %s", typed.Message, operation)
	return &e
}
