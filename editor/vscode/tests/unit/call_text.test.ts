import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOutcome, CallToolResult, Tool } from "mcp-sidecar";
import { listing, question, resultText } from "../../src/agent/call_text.js";

function tool(name: string, definition: Partial<Tool["definition"]> = {}): Tool {
  const label = `files/${name}`;
  return {
    name: `mcp_files_${name}`,
    label,
    server: "files",
    state: "live",
    path: "mcp:files",
    definition: { name, ...definition },
  };
}

function outcome(result: CallToolResult): CallOutcome {
  const details = { server: "files", tool: "read", deferred: false, waitedMs: 0, durationMs: 1 };
  return { result, details };
}

test("the question shows server, tool and arguments", () => {
  const { title, message } = question(tool("read"), "mcp_files_read", '{\n  "path": "a"\n}');
  assert.equal(title, "Call files/read");
  assert.match(message, /Call `read` of the MCP server `files`\?/);
  assert.match(message, /```json\n\{\n {2}"path": "a"\n\}\n```/);
  assert.doesNotMatch(message, /overwrite/);
});

test("what a model writes cannot leave the question's code blocks, nor fill the window", () => {
  const { message } = question(
    undefined,
    "x` [now](command:evil) `",
    `"\`\`\`\n[click](command:evil)${"y".repeat(9000)}"`,
  );
  assert.match(message, /^Call `` x` \[now\]\(command:evil\) ` ``\?/);
  assert.match(message, /\n````json\n"```\n\[click\]/);
  assert.ok(message.length < 3000);
});

test("the question says so of a tool that may destroy something", () => {
  const destructive = tool("rm", { annotations: { destructiveHint: true } });
  assert.match(question(destructive, "mcp_files_rm", "{}").message, /delete or overwrite/);
});

test("a list has names, descriptions and schemas", () => {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } };
  const text = listing([tool("read", { description: "Reads a file", inputSchema })], 0, "read");
  assert.deepEqual(JSON.parse(text), {
    name: "mcp_files_read",
    server: "files",
    description: "Reads a file",
    inputSchema,
  });
});

test("a list is bounded, and says how many are left out", () => {
  const inputSchema = { description: "s".repeat(7000) };
  const many = Array.from({ length: 20 }, (_, i) => tool(`t${i}`, { inputSchema }));
  const text = listing(many, 100, "");
  assert.ok(text.length < 70_000);
  const shown = text.split("\n").length - 1;
  assert.match(text, new RegExp(`There are ${120 - shown} more`));
});

test("a schema that is far too large does not take the other tools' place", () => {
  const huge = tool("huge", { inputSchema: { description: "s".repeat(2_000_000) } });
  const text = listing([huge, tool("small")], 0, "");
  assert.ok(text.length < 2000);
  assert.match(text, /mcp_files_huge.*too large[\s\S]*mcp_files_small/);
});

test("nothing found is said with what to do", () => {
  assert.match(listing([], 0, "paint"), /No tool fits "paint"/);
  assert.match(listing([], 0, ""), /no MCP server/);
});

test("a result is its text, and what is no text is named", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const text = resultText(outcome({ content: [{ type: "text", text: "seen" }, image] }));
  assert.equal(text, "seen\n\n[image: image/png, 3 bytes]");
});

test("structured content is told once", () => {
  const structuredContent = { a: [1, 2] };
  const same = { content: [{ type: "text", text: '{ "a": [1, 2] }' }], structuredContent };
  assert.equal(resultText(outcome(same)), '{ "a": [1, 2] }');
  assert.equal(resultText(outcome({ content: [], structuredContent })), '{"a":[1,2]}');
});

test("a failure is said to be one; a result without content is no failure", () => {
  assert.equal(
    resultText(outcome({ isError: true, content: [{ type: "text", text: "no such file" }] })),
    "files/read failed: no such file",
  );
  assert.equal(resultText(outcome({})), "Done: there is no output.");
});
