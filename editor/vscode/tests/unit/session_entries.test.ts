import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOfChange, entryOfEnd } from "../../src/log/session_entries.js";
import type { Condition } from "../../src/view.js";

const running = (pid: number): Condition => ({
  kind: "running",
  binary: "/bin/mcp-sidecar",
  pid,
  version: "1.2",
});
const starting: Condition = { kind: "starting" };
const runs = (pid: number) => `the sidecar runs: /bin/mcp-sidecar, version 1.2, process ${pid}`;

const changes: readonly [before: Condition | undefined, now: Condition, text: string | undefined][] = [
  [
    undefined,
    { kind: "off", why: "restricted" },
    "the workspace is restricted: nothing runs until it is trusted",
  ],
  [{ kind: "off", why: "restricted" }, { kind: "off", why: "restricted" }, undefined],
  [
    { kind: "off", why: "restricted" },
    { kind: "off", why: "disabled" },
    "nothing runs: mcpSidecar.enabled is off",
  ],
  [{ kind: "off", why: "restricted" }, starting, "the sidecar starts"],
  [starting, starting, undefined],
  [starting, running(1), runs(1)],
  [running(1), running(1), undefined],
  [running(1), running(2), runs(2)],
  // That it ended is told with why.
  [running(1), starting, undefined],
  [running(1), { kind: "failed", message: "x" }, undefined],
];

for (const [before, now, text] of changes) {
  test(`the log of ${before?.kind ?? "nothing"} → ${now.kind}: ${text ?? "nothing"}`, () => {
    assert.equal(entryOfChange(before, now)?.text, text);
  });
}

test("an end says why, and what comes of it", () => {
  const again = entryOfEnd(new Error("it was killed\nlast words"), true);
  assert.deepEqual(again, {
    level: "error",
    text: "it was killed\n    last words\n    It is started again.",
  });
  assert.match(
    entryOfEnd(new Error("x"), false).text,
    /not started again: run “MCP Sidecar: Restart the Sidecar”/,
  );
});
