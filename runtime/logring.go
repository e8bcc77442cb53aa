package runtime

import (
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// logTime is RFC 3339 with milliseconds.
const logTime = "2006-01-02T15:04:05.000Z07:00"

// logRing keeps the end of what one server wrote: lines from stderr and log
// messages, within logRingBytes, and a count of noise with its first samples.
// What it keeps has been through the redactor.
type logRing struct {
	secrets *redactor
	seq     *atomic.Int64 // of the line written last, by any server

	mu    sync.Mutex
	kept  []rpc.LogLine // guarded by mu; oldest first
	bytes int           // guarded by mu; cost of kept
	heard rpc.Noise     // guarded by mu
}

func newLogRing(secrets *redactor, seq *atomic.Int64) *logRing {
	return &logRing{secrets: secrets, seq: seq}
}

// stderr adds a line the process wrote there.
func (r *logRing) stderr(line string) { r.add(rpc.LogFromStderr, "", line) }

// log adds a message (MCP: notifications/message).
func (r *logRing) log(level, text string) { r.add(rpc.LogFromServer, level, text) }

// add appends a line, dropping the oldest ones for room.
func (r *logRing) add(source rpc.LogSource, level, text string) {
	line := rpc.LogLine{
		Time:   time.Now().UTC().Format(logTime),
		Source: source,
		Level:  shortened(r.secrets.clean(level), noiseSampleLen),
		Text:   shortened(r.secrets.clean(text), logLineBytes),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	line.Seq = int(r.seq.Add(1))
	r.kept = append(r.kept, line)
	r.bytes += lineCost(line)
	drop := 0
	for r.bytes > logRingBytes {
		r.bytes -= lineCost(r.kept[drop])
		r.kept[drop] = rpc.LogLine{} // lets the text go before the array does
		drop++
	}
	r.kept = r.kept[drop:]
}

// noise counts something on stdout that is no message.
func (r *logRing) noise(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard.Count++
	if len(r.heard.Samples) < noiseSamples {
		r.heard.Samples = append(r.heard.Samples, shortened(r.secrets.clean(text), noiseSampleLen))
	}
}

// lines are the last n of those after a sequence number, oldest first. All of
// them if n is not positive.
func (r *logRing) lines(n, after int) []rpc.LogLine {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := sort.Search(len(r.kept), func(i int) bool { return r.kept[i].Seq > after })
	if n > 0 {
		from = max(from, len(r.kept)-n)
	}
	return append([]rpc.LogLine{}, r.kept[from:]...) // on the wire [], not null
}

// noiseSeen is the count and the first samples.
func (r *logRing) noiseSeen() rpc.Noise {
	r.mu.Lock()
	defer r.mu.Unlock()
	return rpc.Noise{Count: r.heard.Count, Samples: append([]string{}, r.heard.Samples...)}
}

func lineCost(l rpc.LogLine) int { return len(l.Text) + len(l.Level) + logLineCost }

// shortened is text as valid UTF-8 of at most limit bytes, plus "…" when
// something was cut.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	cut := limit
	for cut > limit-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.ToValidUTF8(text[:cut], "\uFFFD") + "…"
}
