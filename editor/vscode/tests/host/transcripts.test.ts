/**
 * The transcripts of conformance/, played to the client in the extension's bundle by the extension host's own Node: by
 * the player of agent/node, which is not copied.
 */
import "../../../../agent/node/test/replay/transcripts.test.js";
