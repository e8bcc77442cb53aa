import assert from "node:assert/strict";
import { test } from "node:test";
import { SidecarClient } from "../src/client.js";
import { SidecarClosedError } from "../src/errors.js";
import { MemoryTransport } from "./memory-transport.js";
import { opened, push, server, snapshot, tool } from "./opened.js";

test("when the sidecar is gone, calls fail with one reason and closed is told once, last", async () => {
  const { transport, client } = await opened();
  const heard: string[] = [];
  client.on("log", () => heard.push("log"));
  client.on("closed", (reason) => heard.push(`closed: ${reason.message}`));
  const call = client.call("x");
  transport.say({ method: "runtime/log", params: { level: "info", message: "" } });
  transport.die("killed");
  transport.die("again");
  await assert.rejects(call, (error) => error === client.closed);
  await assert.rejects(client.call("y"), (error) => error === client.closed);
  assert.deepEqual(heard, ["log", "closed: killed"]);
  await client.close();
  assert.deepEqual(heard, ["log", "closed: killed"]);
  assert.equal(client.closed?.message, "killed");
});

test("close fails what is in flight, says goodbye in two steps, and then ends the transport", async () => {
  const { transport, client } = await opened();
  const heard: string[] = [];
  client.on("status", () => heard.push("status"));
  client.on("log", () => heard.push("log"));
  client.on("closed", (reason) => heard.push(reason.message));
  const call = client.call("x");
  const closing = client.close();
  assert.equal(client.close(), closing);
  await assert.rejects(call, { name: "SidecarClosedError", message: "this program has closed the sidecar" });
  await assert.rejects(client.call("y"), (error) => error === client.closed);
  assert.equal(transport.last.method, "runtime/shutdown");
  transport.say({ method: "mcp/status", params: server("a") });
  transport.say({ method: "runtime/log", params: { level: "info", message: "" } });
  transport.say({ id: transport.last.id, result: {} });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([transport.last.method, transport.closes], ["runtime/exit", 0]);
  transport.die("exit code 0");
  await closing;
  assert.equal(transport.closes, 1);
  assert.deepEqual(heard, ["log", "this program has closed the sidecar"]);
});

test("close waits for no answer that does not come, nor for an end", async (t) => {
  // The types of Node 20 have an older form of it.
  t.mock.timers.enable({ apis: ["setTimeout"] } as never);
  const { transport, client } = await opened();
  const configuring = client.configure({ settings: { timeouts: { shutdownMs: 500 } } });
  transport.say({ id: 2, result: { snapshot: snapshot(1, []) } });
  await configuring;
  const closing = client.close();
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(3499);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(transport.closes, 0);
  t.mock.timers.tick(1);
  await closing;
  assert.equal(transport.closes, 1);
  assert.equal(transport.sent("runtime/exit").length, 0);
});

test("close before initialize was answered ends the transport at once", async () => {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport);
  const opening = client.initialize({ cwd: "/project" });
  const closing = client.close();
  await assert.rejects(opening, { message: "this program has closed the sidecar" });
  await closing;
  assert.equal(transport.sent("runtime/shutdown").length, 0);
  assert.equal(transport.closes, 1);
});

test("close says goodbye in a session whose initialize was abandoned, if it has shown itself", async () => {
  const signs: ((transport: MemoryTransport, client: SidecarClient) => unknown)[] = [
    (transport) => transport.say(push([0, 1], { added: [tool("a", "x")] })),
    (transport, client) => {
      client.wait().catch(() => {});
      transport.say({ id: 2, result: {} });
    },
  ];
  for (const sign of signs) {
    const transport = new MemoryTransport();
    const client = new SidecarClient(transport);
    const abort = new AbortController();
    const opening = client.initialize({ cwd: "/project" }, { signal: abort.signal });
    abort.abort();
    await assert.rejects(opening, { name: "AbortError" });
    sign(transport, client);
    const closing = client.close();
    assert.equal(transport.last.method, "runtime/shutdown");
    transport.die("gone");
    await closing;
  }
});

test("what fails by closing may close in its turn, and gets the same end", async () => {
  const closings: Promise<void>[] = [];
  const { transport, client } = await opened([], {
    handlers: {
      input(_, { signal }) {
        signal.addEventListener("abort", () => closings.push(client.close()));
        return new Promise(() => {});
      },
    },
  });
  transport.say({ id: 1, method: "input/request", params: {} });
  const closing = client.close();
  assert.deepEqual([closings.length, closings[0] === closing], [1, true]);
  assert.deepEqual([transport.last.method, transport.closes], ["runtime/shutdown", 0]);
  transport.die("gone");
  await closing;
});

test("await using closes", async () => {
  const { transport, client } = await opened();
  {
    await using session = client;
    setImmediate(() => transport.die("exit code 0"));
    assert.equal(session.closed, undefined);
  }
  assert.equal(transport.sent("runtime/shutdown").length, 1);
  assert.notEqual(client.closed, undefined);
});

test("a listener may close the client while it is told", async () => {
  const { transport, client } = await opened([tool("a", "x")]);
  client.on("toolsChanged", () => void client.close());
  transport.say(push([1, 2], { removed: ["mcp_a_x"] }), push([2, 3], { added: [tool("b", "y")] }));
  assert.equal(client.revision, 2);
  transport.die("gone");
  await client.close();
});

test("nothing is told after closed", async () => {
  const { transport, client } = await opened();
  const heard: string[] = [];
  client.on("log", () => heard.push("log"));
  client.on("closed", () => heard.push("closed"));
  transport.close = () => new Promise(() => {}); // it is still read
  transport.text("not JSON");
  transport.say({ method: "runtime/log", params: { level: "info", message: "" } });
  assert.deepEqual(heard, ["closed"]);
});

test("a transport may be over before it begins", async () => {
  const transport = new MemoryTransport();
  transport.listen = (listener) => listener.closed(new SidecarClosedError("refused"));
  const heard: string[] = [];
  const client = new SidecarClient(transport, {
    listeners: { closed: ({ message }) => heard.push(message) },
  });
  assert.deepEqual([client.closed?.message, heard], ["refused", ["refused"]]);
  await assert.rejects(client.initialize({ cwd: "/project" }), (error) => error === client.closed);
});

test("the longest time to shut down is as long as a timer can be", async (t) => {
  const { transport, client } = await opened();
  client.configure({ settings: { timeouts: { shutdownMs: Number.MAX_SAFE_INTEGER } } }).catch(() => {});
  const set = t.mock.method(globalThis, "setTimeout");
  const closing = client.close();
  assert.deepEqual(
    set.mock.calls.map((call) => call.arguments[1]),
    [2 ** 31 - 1],
  );
  transport.die("gone");
  await closing;
});
