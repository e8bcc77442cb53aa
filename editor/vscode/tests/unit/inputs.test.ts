/** Values of inputs: kept by file, asked for when the user expects it: see src/inputs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Server } from "mcp-sidecar";
import { Expectation, noticeOf, promptOf, refused, titleOf } from "../../src/inputs/questions.js";
import { type Store, Vault } from "../../src/inputs/vault.js";

class Memory implements Store {
  readonly texts = new Map<string, string>();
  async get(key: string): Promise<string | undefined> {
    return this.texts.get(key);
  }
  async store(key: string, value: string): Promise<void> {
    this.texts.set(key, value);
  }
  async delete(key: string): Promise<void> {
    this.texts.delete(key);
  }
}

const one = { machine: "", path: "/a/.vscode/mcp.json", id: "key" };
const others = [
  { ...one, path: "/b/.vscode/mcp.json" },
  { ...one, id: "other" },
  { ...one, machine: "far" },
];

test("a value is given to its file, id and machine only", async () => {
  const vault = new Vault(new Memory());
  await vault.keep({ ...one, server: "s" }, "secret");
  assert.equal(await vault.value(one), "secret");
  for (const other of others) assert.equal(await vault.value(other), undefined);
});

test("other windows see what was kept, and the list has no values", async () => {
  const memory = new Memory();
  await new Vault(memory).keep({ ...one, server: "s" }, "secret");
  const list = await new Vault(memory).list();
  assert.deepEqual(list, [{ ...one, server: "s" }]);
  assert.doesNotMatch(JSON.stringify(list), /secret/);
});

test("changes at once are all kept; the later value of a place counts", async () => {
  const vault = new Vault(new Memory());
  await Promise.all([
    ...others.map((other) => vault.keep({ ...other, server: "s" }, other.path)),
    vault.keep({ ...one, server: "s" }, "first"),
    vault.keep({ ...one, server: "t" }, "second"),
  ]);
  assert.equal((await vault.list()).length, 4);
  assert.equal(await vault.value(one), "second");
});

test("what is forgotten is gone, and nothing is left when all is", async () => {
  const memory = new Memory();
  const vault = new Vault(memory);
  for (const place of [one, ...others]) await vault.keep({ ...place, server: "s" }, "v");
  await vault.forget([one]);
  assert.equal(await vault.value(one), undefined);
  assert.equal((await vault.list()).length, 3);
  await vault.forget(others);
  assert.equal(memory.texts.size, 0);
});

test("a text that is none of ours is as good as nothing", async () => {
  for (const text of ["{", "{}", '[{"path": 1}, null, 3]']) {
    const memory = new Memory();
    memory.texts.set("inputs", text);
    const vault = new Vault(memory);
    assert.deepEqual(await vault.list(), []);
    await vault.keep({ ...one, server: "s" }, "v");
    assert.equal(await vault.value(one), "v");
  }
});

test("a dialog comes up after an act of the user, or when the same is asked again", () => {
  let now = 0;
  const expectation = new Expectation(() => now);
  assert.equal(expectation.asks("a"), false);
  assert.equal(expectation.asks("a"), true);
  expectation.act();
  assert.equal(expectation.asks("b"), true);
  now = 10_000;
  assert.equal(expectation.asks("c"), false);
  expectation.anew();
  assert.equal(expectation.asks("a"), false);
});

test("what is asked says who asks, and where it is written; nothing hides in it", () => {
  const question = {
    server: "git\u202e",
    id: "tok\u200ben",
    type: "promptString",
    description: "A [x](command:y)\n",
  };
  assert.equal(titleOf(question), "MCP server “git\\u{202e}”: A [x](command:y)");
  assert.equal(
    promptOf({ ...question, id: "[a](command:b)\u200b" }, ".vscode/mcp.json"),
    "${input:[a]\\x28command:b)\\u{200b}} in .vscode/mcp.json. It is kept in the editor's secret storage.",
  );
  const long = "See [here](command:y). ".repeat(9).trim();
  assert.match(
    promptOf({ ...question, description: long }, "f"),
    /^See \[here\]\\x28command:y\)\. .* · \$\{input:/,
  );
  assert.equal(
    noticeOf(question),
    "The MCP server “git\\u{202e}” needs a value for ${input:tok\\u{200b}en} (A [x]\\x28command:y)).",
  );
});

test("a server that is refused may have a wrong value, one that is not reached has not", () => {
  const server = (phase: string, code: string) => ({ phase, error: { code } }) as unknown as Server;
  assert.equal(refused(server("needs-auth", "auth")), true);
  assert.equal(refused(server("failed", "auth")), true);
  assert.equal(refused(server("failed", "refused")), false);
  assert.equal(refused({ phase: "ready" } as Server), false);
});
