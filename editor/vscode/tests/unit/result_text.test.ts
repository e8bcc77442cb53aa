import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOutcome, CallToolResult } from "mcp-sidecar";
import { resultText } from "../../src/call/result_text.js";

function outcome(result: CallToolResult, details: Partial<CallOutcome["details"]> = {}): CallOutcome {
  const all = { server: "lab", tool: "look_at", deferred: false, waitedMs: 0, durationMs: 1500, ...details };
  return { result, details: all };
}

const text = (words: string) => ({ type: "text", text: words });

test("a result is its text, with what was called and how long it took above", () => {
  const shown = resultText(
    outcome({ content: [text("# seen\n* as it is *")] }),
    '{"a":12345678901234567890}',
  );
  assert.equal(shown.language, "markdown");
  assert.equal(
    shown.text,
    '# `lab/look_at`\n\nAnswered in 1.5 s.\n\n```json\n{"a":12345678901234567890}\n```\n\n# seen\n* as it is *\n',
  );
});

test("waiting, failing and having nothing to say are said", () => {
  const said = (result: CallToolResult, details = {}) => resultText(outcome(result, details), "{}").text;
  assert.match(said({}, { deferred: true, waitedMs: 2000 }), /not connected yet: the call waited for it 2 s/);
  assert.match(said({ isError: true, content: [text("no")] }), /The tool says that it failed/);
  assert.match(said({}), /There is no output/);
  assert.match(said({ structuredContent: { a: 1 } }), /```json\n\{\n {2}"a": 1\n\}\n```/);
});

test("what is no text is told where it is, and can be opened or saved", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const audio = { type: "audio", mimeType: "audio/../x", data: "AAA=" };
  const { text: all, attachments } = resultText(outcome({ content: [text("a\nb"), image, audio] }), "{}");
  const lines = all.split("\n");
  assert.deepEqual(
    attachments.map(({ line, name, image: shown }) => [lines[line], name, shown]),
    [
      ["## Image", "image-1.png", true],
      ["## Audio", "audio-2.bin", false],
    ],
  );
});

test("a resource's text cannot end its block, nor a type its line", () => {
  const resource = { uri: "file:///a`b", mimeType: "x\n# y", text: "```\n# not a heading" };
  const { text: all } = resultText(outcome({ content: [{ type: "resource", resource }] }), "{}");
  assert.match(all, /\n````\n```\n# not a heading\n````\n/);
  assert.doesNotMatch(all, /\n# y/);
});

test("a result of many megabytes is plain text of a few, and says so", () => {
  const { text: all, language } = resultText(outcome({ content: [text("x".repeat(30_000_000))] }), "{}");
  assert.equal(language, "plaintext");
  assert.ok(all.length < 4_100_000);
  assert.match(all.slice(-100), /and 26\.\d MB more: save the result/);
});
