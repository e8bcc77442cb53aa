package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// lister is a link that answers tools/list with pages of its own.
type lister struct {
	link
	page func(n int) string // the result, from 1
	n    int
}

func (l *lister) request(context.Context, Stage, string, json.RawMessage) (json.RawMessage, error) {
	l.n++
	return json.RawMessage(l.page(l.n)), nil
}

func TestAListThatDoesNotEndIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		page  func(n int) string
		pages int // that are asked for
		tools int // -1: it fails
	}{
		"in bytes": {func(n int) string {
			filler := strings.Repeat(" ", []int{0, 1000, maxList - 500}[n]) // neither is too large by itself
			return fmt.Sprintf(`{"tools":[{"name":"t%d"}],%s"nextCursor":"%d"}`, n, filler, n)
		}, 2, -1},
		"in pages": {func(n int) string { return fmt.Sprintf(`{"tools":[{"name":"t%d"}],"nextCursor":"%d"}`, n, n) }, maxPages, maxPages},
		"in tools": {func(n int) string {
			return fmt.Sprintf(`{"tools":[%d%s],"nextCursor":"%d"}`, n, strings.Repeat(",{}", maxTools/2-1), n)
		}, 2, maxTools},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lister{page: func(n int) string {
				if n > test.pages {
					return `{"tools":[]}`
				}
				return test.page(n)
			}}
			tools, err := (&session{link: l}).ListTools(t.Context())
			var failure *Error
			switch {
			case test.tools < 0:
				if !errors.As(err, &failure) || failure.Code != CodeTooLarge || failure.Stage != StageList {
					t.Errorf("%d tools, %v", len(tools), err)
				}
			case err != nil || len(tools) != test.tools:
				t.Errorf("%d tools, %v", len(tools), err)
			}
			if l.n != test.pages {
				t.Errorf("%d pages asked for, want %d", l.n, test.pages)
			}
		})
	}
}
