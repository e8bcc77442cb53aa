import assert from "node:assert/strict";
import { test } from "node:test";
import { SidecarClient } from "../src/client.js";
import { Sidecar } from "../src/sidecar.js";
import { MemoryTransport } from "./memory-transport.js";
import { strayError } from "./stray-errors.js";
import { World } from "./world.js";

test("a trace is told every message both ways, byte for byte, before anything comes of it", async () => {
  const transport = new MemoryTransport();
  const seen: string[] = [];
  const client = new SidecarClient(transport, {
    listeners: { log: ({ message }) => seen.push(`told ${message}`) },
    trace: (text, direction) => seen.push(`${direction} ${text}`),
  });
  transport.text('{"jsonrpc":"2.0", "method":"runtime/log","params":{"level":"info","message":"hello"}}');
  const answer = client.request("mcp/servers", {});
  assert.deepEqual(transport.holds, [true]);
  transport.say({ id: transport.last.id, result: { servers: [] } });
  assert.deepEqual(await answer, { servers: [] });
  assert.deepEqual(seen, [
    'received {"jsonrpc":"2.0", "method":"runtime/log","params":{"level":"info","message":"hello"}}',
    "told hello",
    `sent ${transport.texts[0]}`,
    'received {"jsonrpc":"2.0","id":1,"result":{"servers":[]}}',
  ]);
  transport.die("over");
  assert.equal(client.closed?.message, "over");
});

test("a trace that throws disturbs nothing", async (t) => {
  const stray = strayError(t);
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport, {
    trace: (_, direction) => {
      if (direction === "sent") throw new Error("no trace today");
    },
  });
  const answer = client.request("mcp/servers", {});
  transport.say({ id: transport.last.id, result: { servers: [] } });
  assert.deepEqual(await answer, { servers: [] });
  assert.equal(((await stray) as Error).message, "no trace today");
});

test("owners and guests are traced from the first message to the last", async (t) => {
  const world = await World.open(t);
  const options = world.options();
  const lines: string[] = [];
  const trace = (who: string) => (text: string, direction: string) => {
    const { id, method } = JSON.parse(text) as { id?: number; method?: string };
    if (id !== undefined) lines.push(`${who} ${direction} ${method ?? "answer"}`);
  };
  const owner = await Sidecar.spawn({ ...options, trace: trace("owner") });
  const guest = await Sidecar.join(await owner.share(), { ...world.joining, trace: trace("guest") });
  await guest.close();
  await owner.close();
  assert.deepEqual(lines.filter((line) => line.startsWith("guest")).slice(0, 2), [
    "guest sent runtime/initialize",
    "guest received answer",
  ]);
  assert.deepEqual(
    lines.filter((line) => line.startsWith("owner")),
    [
      "owner sent runtime/initialize",
      "owner received answer",
      "owner sent runtime/share",
      "owner received answer",
      "owner sent runtime/shutdown",
      "owner received answer",
    ],
  );
});
