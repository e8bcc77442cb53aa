import assert from "node:assert/strict";
import { constants } from "node:buffer";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { Connection, Refusal } from "../src/connection.js";
import { InvalidArgumentError, ResponseError, SidecarClosedError } from "../src/errors.js";
import { MemoryTransport } from "./memory-transport.js";

/** A connection that writes down what its hooks are told. */
function connected(asked: (params: unknown, signal: AbortSignal) => unknown = () => ({})) {
  const transport = new MemoryTransport();
  const heard: unknown[] = [];
  const connection = new Connection(transport, {
    answered: (method, result) => heard.push(["answered", method, result]),
    notified: (method, params) => heard.push(["notified", method, params]),
    asked: async (_, params, signal) => asked(params, signal),
    closed: (reason) => heard.push(["closed", reason.message]),
  });
  connection.listen();
  return { transport, connection, heard };
}

test("answers find their owners in any order", async () => {
  const { transport, connection } = connected();
  const [a, b] = [connection.request("a", '{"x":1}'), connection.request("b", "{}")];
  assert.deepEqual(transport.texts, [
    '{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}',
    '{"jsonrpc":"2.0","id":2,"method":"b","params":{}}',
  ]);
  transport.say({ id: 2, result: "B" }, { id: 1, result: "A" });
  assert.deepEqual(await Promise.all([a, b]), ["A", "B"]);
});

test("an error names the method, and keeps code and data", async () => {
  const { transport, connection } = connected();
  const call = connection.request("tools/call", "{}");
  transport.say({ id: 1, error: { code: 1001, message: "unknown tool", data: { suggestions: ["near"] } } });
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ResponseError);
    assert.equal(error.message, "tools/call: unknown tool (did you mean near?)");
    assert.deepEqual([error.code, error.method, error.data], [1001, "tools/call", { suggestions: ["near"] }]);
    return true;
  });
});

test("hooks run in the order of the wire, before anybody who awaits", async () => {
  const { transport, connection, heard } = connected();
  const answer = connection.request("a", "{}").then(() => heard.push("resolved"));
  transport.say({ id: 1, result: 1 }, { method: "n", params: 2 });
  assert.deepEqual(heard, [
    ["answered", "a", 1],
    ["notified", "n", 2],
  ]);
  await answer;
  assert.equal(heard.at(-1), "resolved");
});

test("an abandoned request rejects at once with the signal's reason, and tells the other end", async () => {
  const { transport, connection } = connected();
  const abort = new AbortController();
  const call = connection.request("a", "{}", { signal: abort.signal });
  abort.abort(new Error("changed my mind"));
  assert.equal(transport.texts.at(-1), '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}');
  await assert.rejects(call, { message: "changed my mind" });
  transport.say({ id: 1, error: { code: -32800, message: "cancelled" } });
  assert.equal(transport.texts.length, 2);
});

test("the late answer to an abandoned request is told to the hooks, and to nobody else", async () => {
  const { transport, connection, heard } = connected();
  const abort = new AbortController();
  const call = connection.request("a", "{}", { signal: abort.signal });
  abort.abort();
  await assert.rejects(call, { name: "AbortError" });
  transport.say({ id: 1, result: "late" }, { id: 1, result: "twice" });
  assert.deepEqual(heard, [["answered", "a", "late"]]);
});

test("a signal that is aborted already sends nothing, and one that aborts afterwards neither", async () => {
  const { transport, connection } = connected();
  await assert.rejects(connection.request("a", "{}", { signal: AbortSignal.abort("no") }), (e) => e === "no");
  assert.deepEqual(transport.texts, []);
  const abort = new AbortController();
  const call = connection.request("a", "{}", { signal: abort.signal });
  transport.say({ id: 1, result: 1 });
  assert.equal(await call, 1);
  assert.equal(getEventListeners(abort.signal, "abort").length, 0);
  abort.abort();
  assert.equal(transport.texts.length, 1);
});

test("the end fails every request with one reason, once and for all", async () => {
  const { transport, connection, heard } = connected();
  const calls = Array.from({ length: 1000 }, () => connection.request("a", "{}"));
  transport.die("it is gone");
  const outcomes = await Promise.allSettled(calls);
  const reasons = new Set(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason));
  assert.equal(reasons.size, 1);
  const [reason] = reasons;
  assert.ok(reason instanceof SidecarClosedError);
  assert.equal(connection.ended, reason);
  await assert.rejects(connection.request("b", "{}"), (error) => error === reason);
  assert.deepEqual(heard, [["closed", "it is gone"]]);
  assert.equal(transport.texts.length, 1000);
});

test("an error without an id is about the largest request: that was too large to be read", async () => {
  const { transport, connection } = connected();
  const [small, large] = [
    connection.request("s", "{}"),
    connection.request("l", `{"x":"${"x".repeat(99)}"}`),
  ];
  transport.say({ id: null, error: { code: -32600, message: "too large" } });
  await assert.rejects(large, { message: "l: too large" });
  transport.say({ id: 1, result: "fine" });
  assert.equal(await small, "fine");
});

test("the program is held while an answer is awaited, and no longer", async () => {
  const { transport, connection } = connected();
  const abort = new AbortController();
  const calls = [connection.request("a", "{}"), connection.request("b", "{}", { signal: abort.signal })];
  connection.request("c", "{}", { background: true });
  assert.deepEqual(transport.holds, [true]);
  transport.say({ id: 1, result: 1 });
  assert.deepEqual(transport.holds, [true]);
  abort.abort();
  await Promise.allSettled(calls);
  assert.deepEqual(transport.holds, [true, false]);
  transport.say({ id: 2, result: 2 }, { id: 3, result: 3 });
  assert.deepEqual(transport.holds, [true, false]);
});

test("a request that cannot be sent holds nobody, and is not waited for", async () => {
  const { transport, connection } = connected();
  const controller = new AbortController();
  for (const signal of [controller, {}, "abort"]) {
    for (let twice = 0; twice < 2; twice++) {
      const request = connection.request("a", "{}", { signal: signal as AbortSignal });
      await assert.rejects(request, InvalidArgumentError);
    }
  }
  await assert.rejects(connection.request("a", " ".repeat(constants.MAX_STRING_LENGTH)), RangeError);
  assert.deepEqual([transport.texts, transport.holds], [[], []]);
});

test("an error without a message is one all the same", async () => {
  const { transport, connection } = connected();
  const call = connection.request("a", "{}");
  transport.say({ id: 1, error: { code: 1001, data: { suggestions: ["near"] } } });
  await assert.rejects(call, { message: "a:  (did you mean near?)", code: 1001 });
  assert.equal(connection.ended, undefined);
});

test("an error that makes no sense fails its request with everything else", async () => {
  const { transport, connection } = connected();
  const calls = [connection.request("a", "{}"), connection.request("b", "{}")];
  transport.say({ id: 1, error: { code: 1, message: { toString: 1 } } });
  for (const call of calls) await assert.rejects(call, /sent a message that makes no sense/);
});

test("what the other end asks is answered under its own id, whatever comes of it", async () => {
  const cases: [unknown, () => unknown, object][] = [
    [7, () => ({ ok: true }), { id: 7, result: { ok: true } }],
    ["seven", () => ({ ok: true }), { id: "seven", result: { ok: true } }],
    [1, () => Promise.reject(new Error("broken")), { id: 1, error: { code: -32603, message: "broken" } }],
    [1, () => Promise.reject("odd"), { id: 1, error: { code: -32603, message: "odd" } }],
    [
      1,
      () => Promise.reject(Object.create(null)), // has no text
      { id: 1, error: { code: -32603, message: "the host failed" } },
    ],
    [
      1,
      () => {
        throw new Refusal(-32601, "what?");
      },
      { id: 1, error: { code: -32601, message: "what?" } },
    ],
    [1, () => undefined, { id: 1, result: null }],
    [
      1,
      () => ({ big: 1n }),
      { id: 1, error: { code: -32603, message: "Do not know how to serialize a BigInt" } },
    ],
  ];
  for (const [id, answer, expected] of cases) {
    const { transport } = connected(answer);
    transport.say({ id, method: "ask" });
    await settled();
    assert.deepEqual(transport.last, { jsonrpc: "2.0", ...expected });
  }
});

test("the other end's cancel aborts the signal of its request, and of no other", async () => {
  const signals: AbortSignal[] = [];
  const { transport } = connected((_, signal) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  transport.say({ id: 1, method: "ask" }, { id: "1", method: "ask" });
  transport.say({ method: "$/cancelRequest", params: { id: "1" } });
  transport.say({ method: "$/cancelRequest", params: { id: 9 } });
  transport.say({ method: "$/cancelRequest" }, { method: "$/cancelRequest", params: {} });
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [false, true],
  );
  transport.die("gone");
  assert.equal(signals[0]?.reason.message, "gone");
});

test("what makes no sense ends the conversation, and says what it was", async () => {
  const { transport, connection, heard } = connected();
  const call = connection.request("a", "{}");
  transport.text("not JSON");
  await assert.rejects(
    call,
    /^SidecarClosedError: the test sent a message that makes no sense .*: not JSON$/,
  );
  assert.equal(transport.closes, 1);
  assert.equal(heard.length, 1, "told once, although the transport closes as well");
  transport.say({ method: "n" });
});

test("messages of no kind, and answers to nobody, are nothing", async () => {
  const { transport, connection, heard } = connected();
  const call = connection.request("a", "{}");
  transport.say({}, { id: 1.5, result: 1 }, { id: "1", result: 1 }, { id: 99, result: 1 }, { result: 1 });
  transport.say({ id: null, result: 1 });
  transport.text("[]");
  transport.text("1");
  assert.deepEqual(heard, []);
  transport.say({ id: 1, result: "still" });
  assert.equal(await call, "still");
});

test("the last request is sent after everything else has failed", async () => {
  const { transport, connection, heard } = connected();
  const call = connection.request("a", "{}");
  let over = false;
  const last = connection.conclude(new SidecarClosedError("enough"), "bye").then(() => {
    over = true;
  });
  await assert.rejects(call, { message: "enough" });
  await assert.rejects(connection.request("b", "{}"), { message: "enough" });
  assert.deepEqual(transport.last, { jsonrpc: "2.0", id: 2, method: "bye", params: {} });
  assert.equal(over, false);
  transport.say({ id: 2, result: {} });
  await last;
  assert.deepEqual(heard, [["answered", "bye", {}]]);
});

test("the last request does not wait for a transport that is over", async () => {
  const { transport, connection } = connected();
  const last = connection.conclude(new SidecarClosedError("enough"), "bye");
  transport.die("gone");
  await last;
  await connection.over;
  assert.equal(connection.ended?.message, "enough");
});

/** settled resolves when everything that was ready to run has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
