// Package conformance shows, against the real binary, that the sidecar keeps
// its contract: it plays the host's side of the dialogues in transcripts, with
// scripted servers (fake) behind the sidecar, and kills what must survive being
// killed in tests of its own.
//
// README.md is the normative description of the transcripts. The order of
// events is made with holds and releases (control); nothing here sleeps, and
// no test asserts a duration.
package conformance
