// Package runtime is the work of a sidecar: many MCP servers, one truth about
// them. It knows no frames.
//
//	Client (rpc.Sidecar) ──▶ Manager loop ──▶ server loops ──▶ transport
//	      ▲    │                  │ ▲               │
//	      │    └── calls ─────────┼─┼───────────────┼──▶ session, past every loop
//	      └────── view ◀──────────┘ └── events ◀────┘
//
// One Manager loop owns the configuration, the servers and the tool set; one
// loop per server owns its state and its session. Loops do not wait: whatever
// takes time is a goroutine that posts one result. What they make known is
// immutable: events go up whole, and readers use the current view.
//
// Absent on purpose: a lock around any of that, and any promise about servers
// that is not in the transition table of state.go.
package runtime

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
)

// Options are what a Manager needs of the world.
type Options struct {
	Name, Version string
	Log           *slog.Logger
	// Reach makes what connects servers. What it logs is redacted.
	Reach func(*slog.Logger) Reach
	// Cache may be nil, as may be Trust, where decisions about project servers are
	// remembered.
	Cache *toolcache.Cache
	Trust *trust.Store
	// Watch makes what watches the configuration; nil to watch nothing.
	Watch   Watcher
	Home    string
	Getenv  func(string) (string, bool)
	Environ func() []string
	// HostGone is called once when the process named in initialize has ended.
	HostGone func()
	// Share opens the endpoint by which guests join, or gives the one that is open,
	// with the secret in it by itself. nil: the session cannot be shared.
	Share func(context.Context) (endpoint, secret string, err error)
	// Mark is the value of NestedEnv in the environment of servers.
	Mark string
	// Jitter spreads the delays of the ladder: a number in [-1, 1). Default:
	// random.
	Jitter func() float64
	// Chosen, when given, says of a server whether it is to be connected; the others
	// are listed and rest until mcp/connect.
	Chosen func(server string) bool
	// Idle says, while it is true, that discovery finds no server to connect: all rest
	// until mcp/connect, or a full reload when it is false. nil is never.
	Idle func() bool
	// Nested: another sidecar started us, so that files are not read.
	Nested bool
}

// Reach is how servers are reached. *transport.Dialer is one.
type Reach interface {
	// Dial connects one server.
	Dial(context.Context, transport.Spec, transport.Hooks) (transport.Session, error)
	// Run gives the output of a shell command.
	Run(ctx context.Context, command string, env []string) (string, error)
	// Locate says where the command of a process is. It starts nothing.
	Locate(context.Context, transport.Spec) (transport.Location, error)
}

// Listener is one host connection, as the Manager tells it things and asks it.
// None of its methods may block but those that ask. *rpc.Session is one.
type Listener interface {
	Publish(rpc.Update)
	Log(context.Context, *rpc.LogParams) error
	Progress(context.Context, *rpc.ProgressParams) error

	// Approve and Input ask the user, and may take for ever: until ctx ends. They
	// are called for the capabilities that the host declared.
	Approve(context.Context, *rpc.ApproveParams) (*rpc.ApproveResult, error)
	Input(context.Context, *rpc.InputParams) (*rpc.InputResult, error)
}

// Manager owns every server of a session.
//
// Ownership: the fields under "owned by loop" belong to the goroutine that runs
// loop. Everybody else reads view, and has the loop run functions (do).
type Manager struct {
	opt    Options
	log    *slog.Logger
	redact *redactor
	reach  Reach
	// commands, redact and lines are leaf types with locks of their own.
	commands *commands
	logSeq   atomic.Int64  // of the line that any server wrote last
	starting chan struct{} // has a token for every server whose turn it is to start
	lines    lineBudget
	inbox    *mailbox[any] // serverEvent, discovered or func()
	// done is closed when the loop has ended.
	done chan struct{}
	view atomic.Pointer[view]

	// Owned by loop.
	clients    []*Client
	nextClient int
	params     *rpc.InitializeParams // nil until initialize is accepted
	wishes     *rpc.Settings
	set        settings
	// unknown warns of what nobody knows in params and wishes.
	unknown []rpc.Diagnostic
	members map[string]*member
	catalog *catalog
	found   config.Result // the last discovery
	diags   []rpc.Diagnostic
	// book is what the ledger had at that discovery, and consent what the user has
	// said beside it.
	book     trust.Book
	consent  consent
	question *question // nil while the user is asked nothing
	// carried are closed when the discovery that runs, or is to follow, is carried
	// out.
	carried []chan<- struct{}
	// leaving holds the tools of servers that are gone but stay listed until
	// the round ends.
	leaving map[string]toolSource
	round   *round
	// first is true until the answer to initialize: the set may still change
	// without the revision counting it.
	first bool
	// style is the form of the names in the set: settings.toolNames as it was
	// when the last round ended.
	style rpc.ToolNames
	// byHand are the disabled servers that mcp/connect started for this session.
	byHand    map[string]bool
	gate      *time.Timer
	files     Watch       // nil while nothing is watched
	changes   changeTimer // of files
	searching bool        // a discovery runs
	again     bool        // discover once more when it has ended
	carrying  bool        // what it found is being carried out
	full      bool        // the next outcome replaces everything
	watchers  map[*watcher]struct{}
	// ending are the servers that were told to end and may not have yet.
	ending []*server
	// draining are those of them that go on for the calls that run.
	draining []*server
	// stopping is closed when everything has been told to end and has; nil
	// until shutdown.
	stopping chan struct{}
	closing  bool
	// ctx ends with the Manager; children are the goroutines the loop started.
	ctx      context.Context //nolint:containedctx // the lifetime of the loop's children
	cancel   context.CancelFunc
	children sync.WaitGroup
}

// member is one server, as the Manager knows it.
type member struct {
	desired
	srv *server
	rec rpc.Server // of the last event
	// said is the record as it was last told.
	said rpc.Server
	// tools is what the server lists by itself, shown what of it is in the set.
	tools *toolList
	shown toolSource
	// warnings: see serverEvent.
	warnings []string
	settled  bool
	// cached: it began with a cached list.
	cached bool
	key    toolcache.Key
	// saved is shared with the servers before and after it of the same name.
	saved *saved
	// held: the round keeps shown as it was.
	held bool
	// fresh: it was started by the round, or one that this took over.
	fresh bool
	// over: srv was told to end, a reload will start another. Until then asks
	// holds what it is to be told.
	over bool
	asks []any
}

// tell posts to the member's server, or keeps the message for the one that
// follows it.
func (mem *member) tell(msg any) {
	if mem.over || !mem.srv.inbox.post(msg) {
		mem.asks = append(mem.asks, msg)
	}
}

// drop answers what was kept for a server that will not come.
func (mem *member) drop() {
	for _, msg := range mem.asks {
		mem.srv.tooLate(msg)
	}
	mem.asks = nil
}

// watcher is somebody waiting for a state of the whole.
type watcher struct {
	met  func(*rpc.Snapshot) bool
	done chan struct{} // closed by the loop
}

// New starts a Manager. Close ends it.
func New(opt Options) *Manager {
	if opt.Jitter == nil {
		opt.Jitter = randomJitter
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Manager{
		opt: opt, redact: &redactor{},
		inbox: newMailbox[any](), done: make(chan struct{}), starting: newStarting(),
		members: map[string]*member{}, catalog: &catalog{}, leaving: map[string]toolSource{},
		watchers: map[*watcher]struct{}{}, byHand: map[string]bool{}, gate: stoppedTimer(), changes: changeTimer{timer: stoppedTimer()},
		set: effective(nil, false), first: true, full: true, ctx: ctx, cancel: cancel,
	}
	m.redact.add(config.EnvironmentSecrets(opt.Environ())...)
	m.log = slog.New(&hostLog{next: opt.Log.Handler(), clean: m.redact.clean, tell: m.tellHosts})
	m.reach = opt.Reach(m.log)
	m.commands = newCommands(func(ctx context.Context, command string) (string, error) {
		return m.reach.Run(ctx, command, opt.Environ())
	})
	m.storeView(&rpc.Snapshot{Tools: []rpc.Tool{}, Servers: []rpc.Server{}, Errors: []rpc.Diagnostic{}})
	go m.loop()
	return m
}

// loop ends when Close has it run its last function.
func (m *Manager) loop() {
	defer close(m.done)
	for !m.closing {
		select {
		case <-m.inbox.ready():
			for _, msg := range m.inbox.take() {
				m.handle(msg)
			}
		case <-m.gate.C:
			m.handle(gatePassed{})
		case <-m.changes.timer.C:
			m.handle(filesSettled{})
		}
	}
	for _, msg := range m.inbox.close() {
		m.handle(msg)
	}
}

// gatePassed says that the gate's time is over, filesSettled that files have
// changed and are left alone now.
type (
	gatePassed   struct{}
	filesSettled struct{}
)

// handle deals with one message. A panic is a bug that costs what the message
// was about, not the session.
func (m *Manager) handle(msg any) {
	defer recovered(m.log, "manager")
	switch msg := msg.(type) {
	case gatePassed:
		if m.round != nil {
			m.round.passed = true
			m.checkGate()
		}
	case filesSettled:
		m.changes.stop()
		if m.stopping == nil {
			m.rediscover()
		}
	case serverEvent:
		m.serverChanged(msg)
	case discovered:
		m.discoveryEnded(msg)
	case func():
		msg()
	}
}

// do has the loop run f and returns when it has. It fails when the Manager is
// closed, and f did not run, and when f panicked.
func (m *Manager) do(f func()) error {
	ran := make(chan error, 1)
	posted := m.inbox.post(func() {
		ran <- guarded(m.log, "manager", func() error { f(); return nil })
	})
	if !posted {
		return rpc.ErrShuttingDown()
	}
	return <-ran
}

// Join adds a host connection. The first is the session's owner. One that comes
// when the Manager is closed is told how it was at the end.
func (m *Manager) Join(l Listener) *Client {
	c := &Client{m: m, host: l}
	tell := func() { l.Publish(rpc.Update{View: m.view.Load().snap, Reason: rpc.ReasonConnected}) }
	err := m.do(func() {
		c.id = m.nextClient
		m.nextClient++
		m.clients = append(m.clients, c)
		tell()
	})
	if err != nil {
		tell()
	}
	return c
}

// Leave ends a host connection. Its calls end with their contexts.
func (c *Client) Leave() {
	_ = c.m.do(func() { // one that is closed tells nobody
		c.m.clients = slices.DeleteFunc(c.m.clients, func(x *Client) bool { return x == c })
	})
}

// Close stops every server, all at once, and returns when nothing that was
// started is left. It may be called more than once.
func (m *Manager) Close() {
	stopped := m.shutdown()
	if stopped != nil {
		<-stopped
		_ = m.do(func() { m.closing = true }) // or it is closed already
	}
	<-m.done
	m.children.Wait()
}

// CloseWithin is Close for one who cannot wait: after limit it returns false, and
// what is left of the servers is for the guard.
func (m *Manager) CloseWithin(limit time.Duration) bool {
	closed := make(chan struct{})
	go func() { // ends with Close, or with the process
		defer close(closed)
		m.Close()
	}()
	select {
	case <-closed:
		return true
	case <-time.After(limit):
		return false
	}
}

// shutdown tells every server to end. The channel is closed when all have; it
// is nil when the Manager is closed already.
func (m *Manager) shutdown() <-chan struct{} {
	var stopped chan struct{}
	_ = m.do(func() { // or it is closed already
		if m.stopping == nil {
			m.stopping = make(chan struct{})
			m.cancel()
			for _, mem := range m.members {
				m.end(mem)
				mem.drop()
			}
			m.waitForEnding(m.stopping)
		}
		stopped = m.stopping
	})
	return stopped
}

// end tells a member's server to end, and those before it that may still have
// calls to end; another may follow under its name.
func (m *Manager) end(mem *member) {
	m.hurry(mem.entry.Name)
	m.endBy(mem, msgEnd{})
}

// hurry ends what is left of the servers of a name that were told to end when
// their calls have.
func (m *Manager) hurry(name string) {
	m.draining = slices.DeleteFunc(m.draining, func(s *server) bool { return s.name == name })
	for _, s := range m.ending {
		if s.name == name {
			s.inbox.post(msgEnd{}) // or it has ended
		}
	}
}

// before is closed when the servers of a name that were told to end have; nil
// when there are none. Each of them waits for those before it.
func (m *Manager) before(name string) <-chan struct{} {
	for _, s := range slices.Backward(m.ending) {
		if s.name == name {
			return s.done
		}
	}
	return nil
}

func (m *Manager) endBy(mem *member, msg any) {
	if mem.over {
		return
	}
	mem.over = true
	mem.srv.inbox.post(msg)
	m.ending = append(notDone(m.ending), mem.srv)
}

// notDone are those of the servers that have not ended.
func notDone(servers []*server) []*server {
	return slices.DeleteFunc(slices.Clone(servers), func(s *server) bool {
		select {
		case <-s.done:
			return true
		default:
			return false
		}
	})
}

// waitForEnding closes done when every server that was told to end has. Its
// goroutine ends then: ending is bounded by timeouts.shutdownMs.
func (m *Manager) waitForEnding(done chan<- struct{}) {
	ending := slices.Clone(m.ending)
	m.children.Go(func() {
		for _, s := range ending {
			<-s.done
		}
		close(done)
	})
}
