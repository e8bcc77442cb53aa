import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "mcp-sidecar";
import { clock, NOTHING, newsIn } from "../../src/log/server_lines.js";

const quiet = { count: 0, samples: [] };

function line(seq: number, text: string, more: Partial<LogLine> = {}): LogLine {
  return { seq, time: "2026-12-01T10:00:00.5Z", source: "stderr", text, ...more };
}

const at = clock("2026-12-01T10:00:00.5Z");

test("the time of a line is the local one of its day", () => {
  assert.match(at, /^\d\d:\d\d:00\.500$/);
  assert.equal(clock("a while\nago"), "a while\\nago");
});

test("lines have their time, source and level", () => {
  const { known, entries } = newsIn(NOTHING, {
    lines: [
      line(1, "one"),
      line(2, "two", { source: "log", level: "critical" }),
      line(3, "three\n[error] x", { source: "log", level: "debug" }),
      line(4, "four", { source: "log", level: "constructor" }),
      line(5, "\u001b[1mfive\u001b[0m\u0007"),
    ],
    noise: quiet,
  });
  assert.deepEqual(entries, [
    { level: "info", text: `${at} stderr: one` },
    { level: "error", text: `${at} log: two` },
    { level: "debug", text: `${at} log: three\n    [error] x` },
    { level: "info", text: `${at} log: four` },
    { level: "info", text: `${at} stderr: five\\x07` },
  ]);
  assert.deepEqual(known, { after: 5, noise: 0 });
});

test("a line is new once", () => {
  const first = newsIn(NOTHING, { lines: [line(1, "one")], noise: quiet });
  const again = newsIn(first.known, { lines: [line(1, "one"), line(2, "two")], noise: quiet });
  assert.deepEqual(
    again.entries.map(({ text }) => text),
    [`${at} stderr: two`],
  );
  assert.deepEqual(newsIn(again.known, { lines: [], noise: quiet }), { known: again.known, entries: [] });
});

test("lines that were missed are told of", () => {
  const { entries } = newsIn({ after: 3, noise: 0 }, { lines: [line(6, "six")], noise: quiet });
  assert.deepEqual(entries[0], { level: "warn", text: "2 lines before these are not kept" });
});

test("noise on stdout is told of when there is more of it", () => {
  const one = newsIn(NOTHING, { lines: [], noise: { count: 1, samples: ["Hello\u001b[2J\n"] } });
  assert.deepEqual(one.entries, [
    { level: "warn", text: "1 line on stdout is no MCP message, and left out:\n    Hello\\n" },
  ]);
  assert.deepEqual(newsIn(one.known, { lines: [], noise: { count: 1, samples: ["Hello"] } }).entries, []);
  const more = newsIn(one.known, { lines: [], noise: { count: 3, samples: ["a", "b"] } });
  assert.deepEqual(more.entries, [
    { level: "warn", text: "3 lines on stdout are no MCP message, and left out:\n    a\n    b" },
  ]);
});
