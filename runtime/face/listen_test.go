package face

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

const listStateless = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + stateless + `}}`

func listen(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + stateless + `}}`
}

func acknowledged(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id +
		`},"notifications":{"toolsListChanged":true}}}`
}

func changedFor(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

func (w *world) publish(revision int, labels ...string) {
	w.session.Publish(rpc.Update{View: view(revision, nil, tools(labels...)...)})
	time.Sleep(time.Second)
}

func TestAChangeBetweenAListAndListeningIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), nil)
		w.say(listStateless)
		w.all()
		w.publish(2, "a/y")
		w.hears()
		w.say(listen(`"l"`))
		time.Sleep(time.Second)
		w.hears(acknowledged(`"l"`), changedFor(`"l"`))
		w.say(listen(`3`)) // there is nothing new
		time.Sleep(time.Second)
		w.hears(acknowledged(`3`))
		_ = w.end()
	})
}

func TestEveryOneThatListensIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &scripted{}, view(1, nil, tools("a/x")...), nil)
		w.say(listStateless, listen(`3`), listen(`"b"`))
		time.Sleep(time.Second)
		w.all()
		w.publish(2, "a/y")
		if got := strings.Join(w.all(), "\n"); !strings.Contains(got, changedFor(`3`)) || !strings.Contains(got, changedFor(`"b"`)) {
			t.Errorf("two listen, and hear %s", got)
		}
		w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
		time.Sleep(time.Second)
		if got := w.all(); len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete"`) {
			t.Errorf("the end of one is answered with %s", got)
		}
		for i := range 3 {
			w.publish(3+i, fmt.Sprintf("a/z%d", i))
			w.hears(changedFor(`"b"`))
		}
		if err := w.end(); err != nil { // though somebody listens
			t.Error(err)
		}
	})
}
