import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, LIMIT, WINDOW_MS } from "../../src/restarts.js";

test("the pause doubles from end to end, and then nothing is started any more", () => {
  let ends: readonly number[] = [];
  const pauses: (number | undefined)[] = [];
  for (let i = 0; i < LIMIT + 2; i++) {
    const decision = decide(ends, i * 1000);
    ({ ends } = decision);
    pauses.push(decision.delayMs);
  }
  assert.deepEqual(pauses, [250, 500, 1000, undefined, undefined]);
});

test("what was long ago does not count", () => {
  assert.deepEqual(decide([0, 1, 2], WINDOW_MS), { delayMs: 1000, ends: [1, 2, WINDOW_MS] });
  assert.deepEqual(decide([0, 1, 2], WINDOW_MS + 2), { delayMs: 250, ends: [WINDOW_MS + 2] });
});

test("the times that were given are left as they are", () => {
  const ends = Object.freeze([5]);
  decide(ends, 6);
  assert.deepEqual(ends, [5]);
});
