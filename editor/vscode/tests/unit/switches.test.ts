import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, type Store, Switches } from "../../src/switches.js";

function memory(): Store {
  const values = new Map<string, unknown>();
  return {
    get: <T>(key: string) => values.get(key) as T | undefined,
    update: async (key, value) => {
      values.set(key, structuredClone(value));
    },
  };
}

test("what is switched off is remembered, sorted and once", async () => {
  const store = memory();
  const switches = new Switches(store);
  assert.deepEqual(switches.off, []);
  await switches.turn([nameOf("web"), nameOf("fs", "write")], false);
  await switches.turn([nameOf("web"), nameOf("db")], false);
  assert.deepEqual(switches.off, ["db", "fs/write", "web"]);
  assert.deepEqual(new Switches(store).off, ["db", "fs/write", "web"]);
});

test("a server and its tools are switched apart from each other", async () => {
  const switches = new Switches(memory());
  await switches.turn(["fs/write"], false);
  assert.equal(switches.isOff("fs"), false);
  assert.equal(switches.isOff("fs", "write"), true);
  assert.equal(switches.isOff("fs", "read"), false);
});

test("switching on takes out what was off, and nothing else", async () => {
  const switches = new Switches(memory());
  await switches.turn(["a", "b", "c"], false);
  await switches.turn(["a", "c", "never"], true);
  assert.deepEqual(switches.off, ["b"]);
});
