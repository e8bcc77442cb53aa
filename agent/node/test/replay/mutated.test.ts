// The player itself: what it must see. A suite that passes whatever happens would pass these, too.

import { match, ok } from "node:assert/strict";
import { test } from "node:test";
import type { SidecarClosedError } from "../../src/errors.js";
import type { Transport, TransportListener } from "../../src/transport.js";
import { dialoguesIn, expand } from "./folder.js";
import { Failure, play, type Through } from "./player.js";
import { readTranscript, TranscriptError } from "./transcript.js";

test("each broken dialogue fails at the line that is marked in it", async (t) => {
  const broken = dialoguesIn("conformance/clients/broken");
  ok(broken.length >= 25, `only ${broken.length} broken dialogues were found`);
  for (const { name, path, text } of broken) {
    await t.test(name, async () => {
      const marked = text.split("\n").findIndex((line) => line.trim() === "# must fail here") + 2;
      ok(marked > 1, `${path} has no line "# must fail here"`);
      const error = await failureOf(text);
      ok(error !== undefined, "it passes");
      ok(error.line === marked, `it fails at line ${error.line}, not ${marked}: ${error.message}`);
    });
  }
});

/** What stands between client and test: messages that are changed, or lost (undefined), on their way. */
interface Fault {
  readonly toClient?: (message: string) => string | undefined;
  readonly toTest?: (message: string) => string | undefined;
  readonly deaf?: boolean;
  readonly holds?: boolean;
}

function faulty({ toClient = same, toTest = same, deaf = false, holds }: Fault): Through {
  return (transport): Transport => ({
    peer: transport.peer,
    listen: (listener) => transport.listen(heard(listener, toClient, deaf)),
    send: (text) => {
      const sent = toTest(text);
      if (sent !== undefined) transport.send(sent);
    },
    hold: (waiting) => transport.hold(holds ?? waiting),
    close: () => transport.close(),
  });
}

function heard(
  listener: TransportListener,
  toClient: (message: string) => string | undefined,
  deaf: boolean,
): TransportListener {
  return {
    message: (text) => {
      const got = toClient(text);
      if (got !== undefined) listener.message(got);
    },
    closed: (reason: SidecarClosedError) => {
      if (!deaf) listener.closed(reason);
    },
  };
}

const same = (message: string) => message;

/** Loses the messages that have these words. */
const losing = (words: string) => (message: string) => (message.includes(words) ? undefined : message);

/** Changes the messages that have these words. */
const changing = (words: string, others: string) => (message: string) => message.replace(words, others);

const faults: [what: string, dialogue: string, fault: Fault, complaint: RegExp][] = [
  ["a status that is lost", "states", { toClient: losing("mcp/status") }, /deep-equal/],
  ["a push that is lost", "changes", { toClient: losing("tools/changed") }, /deep-equal/],
  [
    "a push that is taken for a new one",
    "stale",
    { toClient: changing('"revision":4,', '"revision":6,') },
    /no line names: .*tools\/snapshot/,
  ],
  [
    "a snapshot that is taken for a new one",
    "stale",
    { toClient: changing('"revision":4,"hash":"4"', '"revision":6,"hash":"4"') },
    /deep/,
  ],
  ["diagnostics that are lost", "changes", { toClient: losing("config/diagnostics") }, /deep-equal/],
  ["a log that is lost", "notices", { toClient: losing("runtime/log") }, /an event was not told/],
  ["a log that comes changed", "notices", { toClient: changing('"one"', '"two"') }, /deep-equal/],
  ["progress that is lost", "abandoned", { toClient: losing("$/progress") }, /an event was not told/],
  ["an answer that is lost", "gap", { toClient: losing('"id":1,') }, /deep-equal/],
  [
    "a result that comes changed",
    "states",
    { toClient: changing('"id":3,"result":{"name":"a"', '"id":3,"result":{"name":"b"') },
    /deep-equal/,
  ],
  ["a question that is lost", "questions", { toClient: losing("trust/approve") }, /was not asked/],
  [
    "a question that is not withdrawn",
    "withdrawn",
    { toClient: losing("$/cancelRequest") },
    /does not learn/,
  ],
  ["a request that is lost", "states", { toTest: losing("mcp/connect") }, /the client has sent nothing/],
  [
    "a request that is changed",
    "abandoned",
    { toTest: changing('"timeoutMs":50', '"timeoutMs":51') },
    /timeoutMs: want 50/,
  ],
  [
    "a request that is no JSON-RPC 2.0",
    "gap",
    { toTest: changing('"jsonrpc":"2.0",', "") },
    /not JSON-RPC 2\.0/,
  ],
  ["a request without an id", "gap", { toTest: changing('"id":1,', "") }, /no usable id/],
  ["a request with an id in flight", "ended", { toTest: changing('"id":2,', '"id":1,') }, /is in flight/],
  [
    "a gap that is not asked about",
    "gap",
    { toTest: losing("tools/snapshot") },
    /the client has sent nothing/,
  ],
  [
    "a cancellation that is not said",
    "abandoned",
    { toTest: losing("$/cancelRequest") },
    /the client has sent nothing/,
  ],
  [
    "a token that was not asked for",
    "ended",
    { toTest: changing('"servers":["fs"]', '"servers":["fs"],"progressToken":1') },
    /a token for progress/,
  ],
  [
    "a shutdown that is not said",
    "gap",
    { toTest: losing("runtime/shutdown") },
    /the client has sent nothing/,
  ],
  ["an exit that is not said", "gap", { toTest: losing("runtime/exit") }, /the client has sent nothing/],
  [
    "an answer to the sidecar that is lost",
    "no-handlers",
    { toTest: losing("-32601") },
    /the client has sent nothing/,
  ],
  ["an end that nobody hears of", "ended", { deaf: true }, /still waits/],
  ["a program that is kept alive", "gap", { holds: true }, /held/],
  ["a program that is not kept alive", "gap", { holds: false }, /held/],
];

test("the player sees what goes wrong between it and the client", async (t) => {
  const dialogues = new Map(dialoguesIn("conformance/clients").map(({ name, text }) => [name, text]));
  for (const [what, dialogue, fault, complaint] of faults) {
    await t.test(what, async () => {
      const error = await failureOf(dialogues.get(dialogue) ?? "", faulty(fault));
      ok(error !== undefined, `${dialogue} passes`);
      match(error.message, complaint);
    });
  }
});

test("a message too many, and the same message twice, are seen", async () => {
  const text = dialoguesIn("conformance/clients").find(({ name }) => name === "states")?.text ?? "";
  for (const further of ['{"jsonrpc":"2.0","method":"no/such"}', undefined]) {
    const through: Through = (transport) => ({
      peer: transport.peer,
      listen: (listener) => transport.listen(listener),
      hold: (waiting) => transport.hold(waiting),
      close: () => transport.close(),
      send: (sent) => {
        transport.send(sent);
        if (sent.includes("runtime/initialize")) transport.send(further ?? sent);
      },
    });
    const error = await failureOf(text, through);
    match(error?.message ?? "it passes", /the client has sent what no line names/);
  }
});

async function failureOf(text: string, through?: Through): Promise<Failure | TranscriptError | undefined> {
  try {
    await play(readTranscript(text, expand), through);
    return undefined;
  } catch (error) {
    if (error instanceof Failure || error instanceof TranscriptError) return error;
    throw error;
  }
}
