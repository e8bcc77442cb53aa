/** Sessions with the real sidecar and scripted servers. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { ResponseError, SidecarClosedError } from "../src/errors.js";
import type { Progress } from "../src/mcp.js";
import { lives, required, World } from "./world.js";

test("a session from spawn to close: tools, a call, its progress, a failure, the end", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({
    calc:
      'tool add {"name":"add","description":"Adds.","inputSchema":{"type":"object"}}\n' +
      "tool fail\ntool slow\n" +
      'on tools/call add\n  result {"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}}\n' +
      'on tools/call fail\n  result {"content":[],"isError":true}\n' +
      "on tools/call slow\n  progress 1 3 one\n  hold half\n  progress 2 3 two\n  default\n",
  });
  assert.deepEqual(
    sidecar.tools.map(({ name, definition }) => [name, definition.description]),
    [
      ["mcp_calc_add", "Adds."],
      ["mcp_calc_fail", sidecar.tools[1]?.definition.description],
      ["mcp_calc_slow", sidecar.tools[2]?.definition.description],
    ],
  );
  assert.equal(sidecar.servers[0]?.phase, "ready");
  assert.ok(sidecar.methods.includes("tools/call"));

  const { result, details } = await sidecar.call("mcp_calc_add", { a: 1, b: 2 });
  assert.deepEqual([result.content?.[0]?.text, result.structuredContent], ["3", { sum: 3 }]);
  assert.deepEqual([details.server, details.tool, details.deferred], ["calc", "add", false]);

  assert.equal((await sidecar.call({ server: "calc", tool: "fail" })).result.isError, true);

  const heard: (Progress | string)[] = [];
  const slow = sidecar.call("mcp_calc_slow", {}, { onProgress: (progress) => heard.push(progress) });
  await world.hub.saw("calc holding half");
  world.hub.release("calc", "half");
  await slow.then(() => heard.push("result"));
  assert.deepEqual(heard.slice(-2), [{ progress: 2, total: 3, message: "two" }, "result"]);

  await assert.rejects(sidecar.call("mcp_calc_ad"), (error) => {
    assert.ok(error instanceof ResponseError);
    assert.match(error.message, /mcp_calc_add/);
    return true;
  });

  const { pid } = sidecar;
  assert.equal(sidecar.close(), sidecar.close());
  await sidecar.close();
  assert.equal(lives(pid), false);
  await world.hub.empty();
  await assert.rejects(sidecar.call("mcp_calc_add"), { message: "this program has closed the sidecar" });
});

test("a cancelled call reaches the server, and its answer nobody", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool x\non tools/call x\n  hold on\n  default\n" });
  const abort = new AbortController();
  const call = sidecar.call("mcp_a_x", {}, { signal: abort.signal });
  await world.hub.saw("a holding on");
  abort.abort(new Error("changed my mind"));
  await assert.rejects(call, { message: "changed my mind" });
  await world.hub.saw("a got notifications/cancelled");
});

test("tools that come late, change and go are told, and the set is true all the time", async (t) => {
  const world = await World.open(t);
  const changes: string[] = [];
  const sidecar = await world.sidecar(
    { late: "tool x\nspare y\non start #1\n  hold go\non tools/call x\n  tools x y\n  changed\n  default\n" },
    {
      settings: { startup: { gateMs: 0, uncached: "background" } },
      listeners: {
        toolsChanged: ({ reason, tools }) => changes.push(`${reason} ${tools.map(({ name }) => name)}`),
      },
    },
  );
  assert.deepEqual(sidecar.tools, []);
  await world.hub.saw("late holding go");
  world.hub.release("late", "go");
  assert.deepEqual((await sidecar.wait()).connected, ["late"]);
  assert.deepEqual(changes, ["connected mcp_late_x"]);
  assert.equal(sidecar.servers[0]?.phase, "ready");

  const grown = new Promise((resolve) => sidecar.once("toolsChanged", resolve));
  await sidecar.call("mcp_late_x");
  await Promise.all([grown, sidecar.logs("late")]);
  assert.equal(changes.at(-1), "listChanged mcp_late_x,mcp_late_y");

  await sidecar.disconnect("late");
  assert.deepEqual([changes.at(-1), sidecar.tools.length], ["disconnected ", 0]);
  await sidecar.connect("late");
  assert.deepEqual(
    sidecar.tools.map(({ name, state }) => [name, state]),
    [["mcp_late_x", "live"]],
  );
  const { snapshot } = await sidecar.request("runtime/configure", { settings: { disabled: ["late"] } });
  assert.equal(changes.at(-1), "configure ");
  assert.deepEqual([sidecar.revision, sidecar.hash], [snapshot.revision, snapshot.hash]);
});

test("a deferred tool is offered from the cache, and becomes live by a status", async (t) => {
  const world = await World.open(t);
  const cold = await world.sidecar({ a: "tool x\n" });
  assert.equal(cold.tools[0]?.state, "live");
  await cold.close();
  const warm = await world.sidecar(
    { a: "tool x\non start\n  hold go\n" },
    { settings: { startup: { gateMs: 0 } } },
  );
  assert.deepEqual([warm.tools[0]?.state, warm.hash], ["deferred", cold.hash]);
  const { tools } = warm;
  const call = warm.call("mcp_a_x");
  await world.hub.saw("a holding go");
  await warm.request("mcp/servers", {}); // read after the call: it waits for the server by now
  world.hub.release("a", "go");
  assert.equal((await call).details.deferred, true);
  assert.equal(warm.tools[0]?.state, "live");
  assert.equal(tools[0]?.state, "deferred", "what was given out does not change");
});

test("a thousand calls at once all get their own answer", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool x\n" });
  const { signal } = new AbortController();
  const calls = Array.from({ length: 1000 }, (_, i) => sidecar.call("mcp_a_x", { i }, { signal }));
  const outcomes = await Promise.all(calls);
  for (const [i, { result }] of outcomes.entries()) {
    assert.ok(result.content?.[0]?.text?.includes(`{"i":${i}}`), JSON.stringify(result));
  }
});

test("a result of 60 MiB and arguments of 20 MiB arrive", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool big\ntool x\non tools/call big\n  big 60\n" });
  const { result } = await sidecar.call("mcp_a_big");
  assert.ok((result.content?.[0]?.text?.length ?? 0) >= 60 << 20);
  const text = "x".repeat(20 << 20);
  assert.ok((await sidecar.call("mcp_a_x", { text })).result.content?.[0]?.text?.includes(text));
});

test("a call that is too large to be read fails, and the session goes on", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool x\n" }, { args: ["--max-message", "65536"] });
  const small = sidecar.call("mcp_a_x", { n: 1 });
  await assert.rejects(sidecar.call("mcp_a_x", { text: "x".repeat(1 << 20) }), (error) => {
    assert.ok(error instanceof ResponseError);
    assert.equal(error.code, -32600);
    return true;
  });
  assert.equal((await small).result.isError, undefined);
  assert.equal((await sidecar.call("mcp_a_x")).result.isError, undefined);
});

test("numbers of a model's own text reach the server as they are", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool x\n" });
  const text = '{"b": 12345678901234567890, "a": 1.0}';
  assert.ok((await sidecar.call("mcp_a_x", text)).result.content?.[0]?.text?.includes(text));
});

test("when the sidecar is killed, every call fails with one reason, and nothing is left", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool x\non start\n  grandchild\non tools/call x\n  hold on\n" });
  const closed: unknown[] = [];
  sidecar.on("closed", (reason) => closed.push(reason));
  const calls = Array.from({ length: 10 }, () => sidecar.call("mcp_a_x"));
  await world.hub.saw("a holding on");
  process.kill(sidecar.pid, "SIGKILL");
  const outcomes = await Promise.allSettled(calls);
  const reasons = new Set(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason));
  assert.equal(reasons.size, 1);
  const [reason] = reasons;
  assert.ok(reason instanceof SidecarClosedError);
  assert.deepEqual([reason.signal, reason.exitCode], ["SIGKILL", undefined]);
  assert.match(reason.message, /was killed by SIGKILL/);
  assert.deepEqual(closed, [reason]);
  await assert.rejects(sidecar.call("mcp_a_x"), (error) => error === reason);
  await world.hub.empty();
  await sidecar.close();
  assert.deepEqual(closed, [reason]);
});

test("close while a call is pending fails it, and the server is gone", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({ a: "tool x\non tools/call x\n  hold on\n" });
  const call = sidecar.call("mcp_a_x");
  await world.hub.saw("a holding on");
  const closing = sidecar.close();
  await assert.rejects(call, { name: "SidecarClosedError", message: "this program has closed the sidecar" });
  await closing;
  await world.hub.empty();
});

test("await using ends the sidecar at the end of the block", async (t) => {
  const world = await World.open(t);
  let pid = 0;
  {
    await using sidecar = await world.sidecar({ a: "tool x\n" });
    pid = sidecar.pid;
    assert.equal(lives(pid), true);
  }
  assert.equal(lives(pid), false);
});

test("what the sidecar writes to stderr goes where it was told to, line by line", async (t) => {
  const world = await World.open(t);
  const lines: string[] = [];
  const said = new EventEmitter();
  const binary = world.script("loud", '#!/bin/sh\nprintf "one\\ntwo\\n" >&2\nexec "$REAL" "$@"\n');
  const env = { ...world.env, REAL: required("MCP_SIDECAR_TEST_BINARY") };
  const sidecar = await world.sidecar(
    {},
    { binary, env, stderr: (line) => said.emit("line", lines.push(line)) },
  );
  while (lines.length < 2) await once(said, "line"); // by another pipe than the first answer
  assert.deepEqual([lines, sidecar.binary], [["one", "two"], binary]);
});
