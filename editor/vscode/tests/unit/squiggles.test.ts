/** Where squiggles are, and of what: see src/diagnostics. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnostic, Server } from "mcp-sidecar";
import { linesOf, placeIn } from "../../src/diagnostics/place.js";
import { squigglesOf } from "../../src/diagnostics/squiggles.js";
import { empty } from "../../src/view.js";

/** at gives the text of a place, and where it is. */
function at(text: string, line?: number, column?: number): string {
  const lines = linesOf(text);
  const { start, end } = placeIn(lines, line, column);
  assert.equal(start.line, end.line);
  return `${start.line}:${start.character} ${(lines[start.line] ?? "").slice(start.character, end.character)}`;
}

test("the token at a place is underlined", () => {
  const text = '{\n  "a": {"b\\"c": true, "d": -1.5e3, x: \'y z\'}\n}';
  const table: readonly (readonly [line: number, column: number, token: string])[] = [
    [1, 1, "0:0 {"],
    [2, 3, '1:2 "a"'],
    [2, 8, '1:2 "a"'], // the key of what is braced
    [2, 9, '1:8 "b\\"c"'],
    [2, 17, "1:16 true"],
    [2, 28, "1:27 -1.5e3"],
    [2, 36, "1:35 x"],
    [2, 39, "1:38 'y z'"],
    [3, 1, "2:0 }"],
  ];
  for (const [line, column, token] of table) assert.equal(at(text, line, column), token);
});

test("columns are bytes of UTF-8, and characters of the editor UTF-16", () => {
  const text = '{"ü大🎉": "x"}';
  assert.equal(at(text, 1, 2), '0:1 "ü大🎉"');
  assert.equal(at(text, 1, 15), '0:9 "x"');
});

test("a place that the text does not have any more is at its end", () => {
  assert.equal(at('{"a": 1}', 1, 500), "0:7 }");
  assert.equal(at('{"a": 1}', 9, 2), '0:1 "a"');
  assert.equal(at("", 4, 2), "0:0 ");
  assert.equal(at("  \n", 1, 2), "0:0 ");
  const none = placeIn([], 3, 3);
  assert.deepEqual(none, { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } });
});

test("without a column it is the line, without a line the first one", () => {
  assert.equal(at('{\n  "a": 1,  \r\n}', 2), '1:2 "a": 1,');
  assert.equal(at("  abc\ndef"), "0:2 abc");
});

function diagnostic(members: Partial<Diagnostic>): Diagnostic {
  return { path: "/p/.mcp.json", error: "wrong", severity: "error", ...members };
}

function server(members: object): Server {
  const source = {
    provider: "claude",
    providerName: "Claude",
    level: "project",
    path: "/p/.mcp.json",
    line: 2,
    column: 5,
  };
  return { name: "s", phase: "failed", source, ...members } as unknown as Server;
}

test("what is wrong in files is shown there, and nothing else", () => {
  const errors = [
    diagnostic({ line: 1, column: 2 }),
    diagnostic({ path: "/p/other.json", severity: "warning", error: "odd" }),
    diagnostic({ path: "mcp:s" }),
    diagnostic({ path: "settings.trust" }),
  ];
  assert.deepEqual(Object.fromEntries(squigglesOf({ ...empty({ kind: "starting" }), errors })), {
    "/p/.mcp.json": [{ message: "wrong", severity: "error", line: 1, column: 2 }],
    "/p/other.json": [{ message: "odd", severity: "warning", line: undefined, column: undefined }],
  });
});

test("a server's error is shown at its entry where the entry is to be mended", () => {
  const table: readonly (readonly [phase: string, code: string, stage: string, shown: boolean])[] = [
    ["failed", "not-found", "spawn", true],
    ["backoff", "not-found", "spawn", true],
    ["failed", "config", "config", true],
    ["failed", "refused", "connect", false],
    ["failed", "exited", "initialize", false],
    ["untrusted", "untrusted", "config", false],
    ["needs-input", "config", "config", false],
    ["ready", "not-found", "spawn", false],
  ];
  for (const [phase, code, stage, shown] of table) {
    const servers = [server({ phase, error: { code, stage, message: "no", hint: "do" } })];
    const squiggles = squigglesOf({ ...empty({ kind: "starting" }), servers }).get("/p/.mcp.json") ?? [];
    const wanted = { message: "no\ndo", severity: "warning", line: 2, column: 5 };
    assert.deepEqual(squiggles, shown ? [wanted] : [], `${phase} ${code}`);
  }
});

test("what is said of a server at its own place is not said again at its entry", () => {
  const errors = [diagnostic({ error: "no", server: "s", line: 2, column: 9 })];
  const view = { ...empty({ kind: "starting" }), errors };
  const error = { code: "config", stage: "config", message: "no", hint: "do" };
  const others = ["s", "t"].map((name) => server({ name, phase: "invalid", error }));
  const columns = squigglesOf({ ...view, servers: others })
    .get("/p/.mcp.json")
    ?.map(({ column }) => column);
  assert.deepEqual(columns, [9, 5]);
});
