package runtime

import (
	"sync"
	"testing"
	"testing/synctest"
)

func TestMailboxKeepsEachSendersOrderAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const senders, each = 8, 500
		m := newMailbox[[2]int]()
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					if !m.post([2]int{s, i}) {
						t.Error("an open mailbox refused")
					}
				}
			})
		}
		var next [senders]int
		for got := 0; got < senders*each; {
			<-m.ready() // a lost wake-up is a deadlock here
			for _, v := range m.take() {
				if next[v[0]] != v[1] {
					t.Fatalf("sender %d: got %d, want %d", v[0], v[1], next[v[0]])
				}
				next[v[0]]++
				got++
			}
		}
		wg.Wait()
	})
}

func TestPostingNeverBlocks(t *testing.T) {
	m := newMailbox[int]()
	for i := range 10_000 {
		m.post(i)
	}
	<-m.ready()
	if got := m.take(); len(got) != 10_000 || got[9_999] != 9_999 {
		t.Errorf("took %d", len(got))
	}
	if got := m.take(); len(got) != 0 {
		t.Errorf("took %v from an empty mailbox", got)
	}
}

func TestAClosedMailboxSaysThatItDrops(t *testing.T) {
	m := newMailbox[string]()
	m.post("before")
	if left := m.close(); len(left) != 1 || left[0] != "before" {
		t.Errorf("left: %q", left)
	}
	if m.post("after") {
		t.Error("post to a closed mailbox says true")
	}
	if left := append(m.take(), m.close()...); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}
