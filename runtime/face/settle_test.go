package face

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// follower is a client that lists again when it is told to, and at other times.
type follower struct {
	w         *world
	stateless bool
	asked     int
	waits     bool     // for a list
	again     bool     // it is to list when that has come
	last      []string // tools
}

func (c *follower) list() {
	if c.again = c.waits; c.waits {
		return
	}
	c.waits, c.asked = true, c.asked+1
	meta := ""
	if c.stateless {
		meta = stateless
	}
	c.w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`, c.asked, meta))
}

// hear takes what has come.
func (c *follower) hear(t *testing.T) {
	for _, l := range c.w.all() {
		var m struct {
			Method string
			Result struct{ Tools []struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method == "notifications/tools/list_changed":
			c.list()
		case m.Result.Tools != nil:
			c.waits, c.last = false, nil
			for _, tool := range m.Result.Tools {
				c.last = append(c.last, tool.Name)
			}
			if c.again {
				c.list()
			}
		}
	}
}

// Whatever changes when: once all is quiet, a client that lists when it is told to has
// the tools that there are.
func TestAClientThatListsWhenToldEndsWithTheToolsThatThereAre(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), nil)
			c := &follower{w: w, stateless: seed%2 == 1}
			if !c.stateless {
				w.say(initialize(`{}`), initialized)
			}
			c.list()
			want := []string{"a_x"}
			listening := !c.stateless
			for i := range 80 {
				switch n := r.IntN(10); {
				case n < 5:
					want = []string{"a_x", fmt.Sprintf("b_%d", r.IntN(4))}
					w.session.Publish(rpc.Update{View: view(2+i, nil, tools(strings.Replace(want[0], "_", "/", 1), strings.Replace(want[1], "_", "/", 1))...)})
				case n < 6:
					c.list()
				case n < 7 && c.stateless && (!listening || r.IntN(3) == 0):
					listening = true
					w.say(listen(fmt.Sprintf(`"l%d"`, i)))
				}
				time.Sleep(time.Duration(r.IntN(3)*r.IntN(15)) * time.Millisecond)
				c.hear(t)
			}
			if !listening {
				w.say(listen(`"last"`))
			}
			for range 20 {
				time.Sleep(time.Second)
				c.hear(t)
			}
			if !slices.Equal(c.last, want) {
				t.Errorf("seed %d: the client has %v, there are %v", seed, c.last, want)
			}
			_ = w.end()
		})
	}
}
