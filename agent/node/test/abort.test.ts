import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { onAbort } from "../src/abort.js";

test("one listener is on a signal, however many wait for it, and none when nobody does", () => {
  const { signal } = new AbortController();
  const ends = Array.from({ length: 100 }, () => onAbort(signal, () => {}));
  assert.equal(getEventListeners(signal, "abort").length, 1);
  for (const end of ends) end();
  for (const end of ends) end();
  assert.equal(getEventListeners(signal, "abort").length, 0);
  onAbort(signal, () => {});
  assert.equal(getEventListeners(signal, "abort").length, 1);
});

test("an abort calls back everybody who still waits, each once", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const same = () => heard.push("same");
  onAbort(controller.signal, same);
  onAbort(controller.signal, same);
  const end = onAbort(controller.signal, () => heard.push("gone"));
  end();
  controller.abort();
  controller.abort();
  assert.deepEqual(heard, ["same", "same"]);
});
