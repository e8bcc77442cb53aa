/** The values that a configuration file asks the user for. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Handlers } from "../src/handlers.js";
import type { InputParams } from "../src/protocol.gen.js";
import type { Sidecar } from "../src/sidecar.js";
import type { TestContext } from "./test-context.js";
import { until, World } from "./world.js";

/** Each server needs an input of the same name. */
async function asking(test: TestContext, handlers: Handlers, servers: string[] = ["s"]): Promise<Sidecar> {
  const world = await World.open(test);
  const inputs = servers.map((id) => ({
    id,
    type: "promptString",
    description: `Key of ${id}`,
    password: true,
  }));
  const entries = servers.map((name) => {
    const entry = world.fake(name, "tool key\non tools/call key\n  env KEY\n");
    return [name, { ...entry, env: { KEY: `it is $\{input:${name}}` } }];
  });
  mkdirSync(join(world.project, ".vscode"));
  const text = JSON.stringify({ inputs, servers: Object.fromEntries(entries) });
  writeFileSync(join(world.project, ".vscode/mcp.json"), text);
  return world.sidecar({}, { handlers });
}

async function key(sidecar: Sidecar): Promise<unknown> {
  return (await sidecar.call("mcp_s_key")).result.content?.[0]?.text;
}

test("a value that the handler gives reaches the server", async (t) => {
  const questions: InputParams[] = [];
  const sidecar = await asking(t, {
    input(question) {
      questions.push(question);
      return "Ada";
    },
  });
  await until(sidecar, () => sidecar.tools.length > 0);
  assert.equal(await key(sidecar), "it is Ada");
  assert.deepEqual(questions, [
    { server: "s", id: "s", type: "promptString", description: "Key of s", password: true },
  ]);
});

test("a server waits for a value that is not given, and connect asks again", async (t) => {
  const answers = ["Ada", undefined];
  let settled = () => {};
  // One is asked at a time: when it is the next one's turn, the answer to the first has arrived.
  const next = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const input: Handlers["input"] = ({ id }) => {
    if (id === "s") return answers.pop();
    settled();
    return undefined;
  };
  const sidecar = await asking(t, { input }, ["s", "t"]);
  await next;
  const [server] = sidecar.servers;
  assert.equal(server?.phase, "needs-input");
  assert.match(server?.error?.message ?? "", /\$\{input:s\}/);
  await sidecar.connect("s");
  await until(sidecar, () => sidecar.tools.length > 0);
  assert.equal(await key(sidecar), "it is Ada");
});

test("a host that has no handler for it is told what to do instead", async (t) => {
  const sidecar = await asking(t, {});
  const [server] = sidecar.servers;
  assert.equal(server?.phase, "needs-input");
  assert.match(server?.error?.hint ?? "", /asked for inputs/);
});
