import assert from "node:assert/strict";
import { test } from "node:test";
import { frozen } from "../../src/frozen.js";

test("a value is frozen through and through, also one whose outside is", () => {
  const value = frozen(Object.freeze([{ a: { b: [null, 1, "x", { c: true }] } }]));
  const todo: unknown[] = [value];
  let seen = 0;
  for (const next of todo) {
    if (typeof next !== "object" || next === null) continue;
    assert.ok(Object.isFrozen(next));
    seen++;
    todo.push(...Object.values(next));
  }
  assert.equal(seen, 5);
});

test("depth is no limit", () => {
  let deep: object = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  assert.ok(Object.isFrozen(frozen(deep)));
});
