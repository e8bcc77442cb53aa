import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOfLine, entryOfMessage, logArguments, logsToFile } from "../../src/log/program_line.js";

const TIME = "time=2026-12-01T14:14:15.637Z";

const lines: readonly [what: string, line: string, level: string, text: string][] = [
  [
    "members follow the message, and the server comes first",
    `${TIME} level=WARN msg="not connected" server=bad attempt=1 err="server \\"bad\\": not found"`,
    "warn",
    '[bad] not connected; attempt: 1; err: server "bad": not found',
  ],
  ["a word needs no quotes", `${TIME} level=DEBUG msg=hello`, "debug", "hello"],
  ["an error", `${TIME} level=ERROR msg="the session ends" why=gone`, "error", "the session ends; why: gone"],
  [
    "escapes are what they stand for, and cannot break the entry",
    `${TIME} level=INFO msg="a\\tb\\nc\\u202ed\\x1b[31m\\U0001f600\\\\"`,
    "info",
    "a  b\n    c\\u{202e}d😀\\",
  ],
  ["an empty value", `${TIME} level=INFO msg="" path="" n=`, "info", "; path: ; n: "],
  ["what is not the log stands as it is", "panic: oh no", "warn", "[stderr] panic: oh no"],
  [
    "a line that only begins so",
    `${TIME} level=INFO msg="open`,
    "warn",
    `[stderr] ${TIME} level=INFO msg="open`,
  ],
  ["control characters", "a\u001b[2Jb\u0000", "warn", "[stderr] ab\\x00"],
];

for (const [what, line, level, text] of lines) {
  test(`a line of stderr: ${what}`, () => assert.deepEqual(entryOfLine(line), { level, text }));
}

test("what the sidecar tells its host has its level", () => {
  assert.deepEqual(entryOfMessage({ level: "warning", message: "a\nb", server: "fs" }), {
    level: "warn",
    text: "[fs] a\n    b",
  });
  assert.deepEqual(entryOfMessage({ level: "info", message: "a" }), { level: "info", text: "a" });
});

test("the program tells all it has, unless the user says otherwise, whose word is the last", () => {
  assert.deepEqual(logArguments(["--log-level", "error"]), ["--log-level=debug", "--log-level", "error"]);
});

test("with --log-file nothing is to be expected on stderr", () => {
  assert.equal(logsToFile(["--log-level=info"]), false);
  assert.equal(logsToFile(["--log-file", "x"]), true);
  assert.equal(logsToFile(["--log-file=x"]), true);
});
