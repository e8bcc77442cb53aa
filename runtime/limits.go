package runtime

import "time"

// Every limit and default of the runtime. What is configurable says by which
// setting; everything else is fixed.
const (
	// callsRunning is how many calls of one server run at once, callsWaiting
	// how many of one client may wait for their turn before 1007.
	callsRunning = 64
	callsWaiting = 4096
	// callsAssured is how many calls of one server a client can always run,
	// even when others hold all of callsRunning: a guest whose calls hang
	// must not stop the owner's.
	callsAssured = 4

	// startsPerCPU is how many servers with cached tools start at once.
	startsPerCPU = 3

	// nameLimit is the most bytes of an exposed tool name: the shortest limit
	// among the model APIs that hosts pass names to.
	nameLimit = 64

	offeredLimit     = 1 << 16 // names of the session that are remembered
	suggestionLimit  = 3       // names in the data of error 1001
	searchLimit      = 15      // hits of tools/search without limit
	searchQueryBytes = 1 << 10 // what of a longer query is looked at

	errorBytes = 4 << 10  // of the message and of the hint of an error: servers can fill them
	introBytes = 64 << 10 // of a server's instructions and of its info: every status has them

	logRingBytes   = 64 << 10 // of one server, with logLineCost a line
	logLineBytes   = 8 << 10  // what is kept of one longer line
	logLineCost    = 64       // what a line costs beside its text, so that empty ones are bounded too
	logLines       = 200      // lines of mcp/logs without lines
	logBacklog     = 1024     // lines on their way to the hosts
	noiseSamples   = 5        // lines of noise that are kept
	noiseSampleLen = 120      // bytes of each
)

// Times.
const (
	defaultGate       = 250 * time.Millisecond // startup.gateMs
	defaultConnect    = 30 * time.Second       // timeouts.connectMs
	defaultCall       = 5 * time.Minute        // timeouts.callMs: silence
	defaultCallMax    = time.Hour              // timeouts.callMaxMs
	defaultShutdown   = 2 * time.Second        // timeouts.shutdownMs
	defaultWait       = 30 * time.Second       // mcp/wait without timeoutMs
	defaultMaxAgeDays = 30                     // cache.maxAgeDays

	// The slow end of the ladder, for remote servers that had been connected:
	// doubling from the first to the last, then for ever.
	slowRungFirst = 15 * time.Second
	slowRungLast  = 5 * time.Minute
	ladderJitter  = 0.2 // of a delay, either way

	// relistBurst is how long further notifications/tools/list_changed are
	// waited for before the tools are listed again.
	relistBurst = 100 * time.Millisecond
	// relistTimeout bounds that listing, all pages.
	relistTimeout = 30 * time.Second

	// startTurn is the longest that the start of one server with cached tools
	// keeps others from starting.
	startTurn = 250 * time.Millisecond

	// activityPause is how often a status says what a process that is starting
	// has written to stderr.
	activityPause = 250 * time.Millisecond

	// recordLimit is how long it may take to write down what the user has answered:
	// the end of a session waits for it.
	recordLimit = 2 * time.Second

	// changePause is how long files are left alone after a change before they are
	// read again, and changePatience the longest that changes put that off.
	changePause    = 300 * time.Millisecond
	changePatience = 2 * time.Second

	// examineLimit bounds how long mcp/doctor looks for the files and commands that
	// entries name: one that does not answer may be what is wrong.
	examineLimit = 5 * time.Second

	// drainTime is how long a server whose entry has changed in its file goes on for
	// the calls that run.
	drainTime = 30 * time.Second

	// hostPoll is how often the host's process is looked for: its end must be
	// noticed within two seconds.
	hostPoll = 250 * time.Millisecond

	// The breaker: a server that is lost while ready more than breakerLosses
	// times within breakerWindow is suspended.
	breakerLosses = 5
	breakerWindow = 30 * time.Second
)

// quickRungs are the delays of the ladder that every lost server gets.
func quickRungs() [4]time.Duration {
	return [4]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
}
