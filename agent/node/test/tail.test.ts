import assert from "node:assert/strict";
import { test } from "node:test";
import { LineTail, tellingOf } from "../src/tail.js";

test("lines are whole, however they come", () => {
  const told: string[] = [];
  const tail = new LineTail((line) => told.push(line));
  for (const text of ["on", "e\ntwo\r", "\n\n", "thr", "ee"]) tail.write(text);
  assert.deepEqual(told, ["one", "two", ""]);
  tail.end();
  tail.end();
  assert.deepEqual(told, ["one", "two", "", "three"]);
  assert.deepEqual(tail.lines, ["one", "two", "three"], "blank lines are not kept");
});

test("the last twenty lines are kept, each shortened; who listens gets all of them", () => {
  const told: string[] = [];
  const tail = new LineTail((line) => told.push(line));
  for (let i = 1; i <= 30; i++) tail.write(`line ${i}\n`);
  tail.write(`${"x".repeat(2000)}\n`);
  assert.equal(told.length, 31);
  assert.equal(told[30]?.length, 2000);
  assert.equal(tail.lines.length, 20);
  assert.equal(tail.lines[0], "line 12");
  assert.equal(tail.lines[19], `${"x".repeat(1000)}…`);
});

test("a line that does not end takes no memory", () => {
  const told: number[] = [];
  const tail = new LineTail((line) => told.push(line.length));
  for (let i = 0; i < 100; i++) tail.write("x".repeat(1 << 10));
  assert.deepEqual(told, [65 << 10]);
});

test("of a crash the reason is kept, and told, however long the stacks are that follow it", () => {
  const tail = new LineTail();
  const before = Array.from({ length: 10 }, (_, i) => `before ${i}`);
  const crash = ["panic: out of luck", "", "goroutine 1 [running]:", "main.main()"];
  const stacks = Array.from({ length: 100 }, (_, i) => `goroutine ${i} [select]:`);
  for (const line of [...before, ...crash, ...stacks]) tail.write(`${line}\n`);
  assert.equal(tail.lines.length, 20);
  const told = ["panic: out of luck", "goroutine 1 [running]:", "main.main()", ...stacks.slice(0, 2)];
  assert.deepEqual(tail.lines.slice(0, 5), told);
  assert.deepEqual(tellingOf(tail.lines), told);
});

test("the reason is told also when it is not the first line that is kept", () => {
  for (const reason of ["panic: no", "fatal error: out of memory", "SIGQUIT: quit", "SIGSEGV: no"]) {
    assert.deepEqual(tellingOf(["1", "2", reason, "4", "5", "6", "7", "8"]), [reason, "4", "5", "6", "7"]);
  }
  assert.deepEqual(tellingOf(["1", "http: panic: no", "3", "4", "5", "6", "7"]), ["3", "4", "5", "6", "7"]);
});

test("a crash that did not end the program gives way to the next one", () => {
  const tail = new LineTail();
  const after = Array.from({ length: 30 }, (_, i) => `after ${i}`);
  for (const line of ["panic: first", ...after, "panic: second", ...after]) tail.write(`${line}\n`);
  assert.deepEqual(tail.lines, ["panic: second", ...after.slice(0, 19)]);
  tail.write("SIGTERM: shutting down\n");
  assert.equal(tail.lines.length, 20);
});
