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

// closedError is why everything fails after Close.
func closedError() *Error {
	return &Error{Code: CodeClosed, Stage: StageTransport, Message: "the connection was closed"}
}

// maxMessage bounds one message of a server, in bytes.
const maxMessage = 64 << 20

// tooLarge is the error for a message of size bytes; atLeast when the rest was
// not read.
func tooLarge(size, limit int64, atLeast bool) *Error {
	more := ""
	if atLeast {
		more = "at least "
	}
	return &Error{
		Code:    CodeTooLarge,
		Message: fmt.Sprintf("the answer has %s%d bytes, the limit is %d", more, size, limit),
		Hint:    "ask the tool for less, for instance a page, a filter or a file instead of its contents",
	}
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
