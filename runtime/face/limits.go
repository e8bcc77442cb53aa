package face

import "time"

// Every limit of the face.
const (
	// nameLimit is the most bytes of a tool's name. Clients put the name under which
	// they know this server before it, and 64 is what models take.
	nameLimit = 40
	// serverLeft is how much of a server's name stays in a name that is cut: models may
	// see nothing else of a tool at first.
	serverLeft = 8
	// toldLimit is how many names are remembered, those of tools that are gone among
	// them, or twice as many as there are tools, if that is more.
	toldLimit = 1 << 16
	// patience is how long after the opening a list waits for servers of which nothing
	// is remembered: there are clients that list once (Codex). It is half of what the
	// least patient client waits for a list. One that listens for changes waits for
	// listenerPatience, in which most servers have started.
	patience         = 15 * time.Second
	listenerPatience = 2 * time.Second
	// rootsPatience is how long a list waits for the client to say where its project is.
	rootsPatience = 2 * time.Second
	// announceDelay is how long a change waits for those that follow on it.
	announceDelay = 100 * time.Millisecond
	// drainLimit bounds the wait for requests in flight after the end of input.
	drainLimit = 60 * time.Second
	// lookAgain is how often it is looked meanwhile whether the client still reads.
	lookAgain = time.Second
	// maxRefusals is how many answers to what is no message may wait for a client that
	// does not read, before the face reads no more of it either.
	maxRefusals = 64
	// flushLimit is how long what is still to be said may take when the session has
	// ended, and after the drain.
	flushLimit = time.Second
	// introLimit is the most that one server says about itself in the instructions,
	// and introsLimit all of them, in bytes: they are in every conversation of a model.
	introLimit  = 2 << 10
	introsLimit = 16 << 10
	// whyLimit is the most that is said there about why a server's tools are missing.
	whyLimit = 300
	// suggestions is how many near names an unknown tool is answered with.
	suggestions = 3
	// searchLimit is how many tools are searched for them where some are not offered.
	searchLimit = 100
)
