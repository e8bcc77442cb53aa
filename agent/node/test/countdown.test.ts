import assert from "node:assert/strict";
import { test } from "node:test";
import { countdown } from "../src/countdown.js";

test("a countdown calls back once, after its time", (t) => {
  // The types of Node 20 have an older form of it.
  t.mock.timers.enable({ apis: ["setInterval"] } as never);
  let calls = 0;
  countdown(1000, () => calls++);
  t.mock.timers.tick(999);
  assert.equal(calls, 0);
  t.mock.timers.tick(1);
  assert.equal(calls, 1);
  t.mock.timers.tick(10_000);
  assert.equal(calls, 1);
});

test("a countdown that was ended calls back no more", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] } as never);
  const end = countdown(1000, () => assert.fail("it was ended"));
  t.mock.timers.tick(999);
  end();
  end();
  t.mock.timers.tick(1000);
});

test("the time in which the program is busy does not count", async () => {
  let over = false;
  const end = countdown(200, () => {
    over = true;
  });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400); // nothing of this program runs
  await new Promise((resolve) => setImmediate(resolve)); // after its timers
  assert.equal(over, false);
  end();
});
