import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { anthropicTools, runAnthropicToolUse } from "../../src/adapters/anthropic.js";
import { SidecarClosedError } from "../../src/index.js";
import { checkMessages } from "./anthropic-rules.js";
import { ODD_TOOLS } from "./odd-tools.js";
import { PNG } from "./png.js";
import { type Script, serve } from "./provider.js";
import { arrival, server, startReady, startWithLate } from "./world.js";

type Json = Record<string, unknown>;

/** anthropic is the real SDK, with a provider that decides by what it is given. */
async function anthropic(t: Parameters<typeof serve>[0], script: Script): Promise<Anthropic> {
  const baseURL = await serve(t, "/v1/messages", checkMessages, script);
  return new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 });
}

function names({ tools }: Json): string[] {
  return ((tools ?? []) as { name: string }[]).map(({ name }) => name);
}

function message(...content: object[]) {
  return { type: "message", role: "assistant", content };
}

function use(id: string, name: string, input: unknown) {
  return { type: "tool_use", id, name, input };
}

const REQUEST = { model: "test", max_tokens: 1 };

test("a tool that comes late is there at the next request of the conversation", async (t) => {
  const world = await startWithLate(t);
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  const client = await anthropic(t, async (body) => {
    const last = (body.messages as { content: Json[] }[]).at(-1)?.content[0];
    if (!names(body).includes("mcp_late_give")) {
      await arrival(world); // while the model thinks
      return message({ type: "text", text: "first" }, use("1", "mcp_test_work", { steps: 1 }));
    }
    if (last?.tool_use_id === "1")
      return message(use("2", "mcp_late_give", { result: { content: [image] } }));
    return message({ type: "text", text: JSON.stringify(last) });
  });

  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  let content: Anthropic.ContentBlock[] = [];
  for (let request = 1; request <= 3; request++) {
    const tools = anthropicTools(world.sidecar);
    ({ content } = await client.messages.create({ ...REQUEST, messages, tools }));
    const uses = content.filter((block) => block.type === "tool_use");
    const results = await Promise.all(uses.map((block) => runAnthropicToolUse(world.sidecar, block)));
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
  const source = { type: "base64", media_type: "image/png", data: PNG };
  assert.deepEqual(JSON.parse(content[0]?.type === "text" ? content[0].text : ""), {
    type: "tool_result",
    tool_use_id: "2",
    content: [{ type: "image", source }],
  });
});

test("odd definitions do not spoil the request, and their tools can be called", async (t) => {
  const sidecar = await startReady(t, { test: server({ tools: ODD_TOOLS }) });
  const client = await anthropic(t, (body) => message({ type: "text", text: String(names(body).length) }));
  const tools = anthropicTools(sidecar);
  const { content } = await client.messages.create({ ...REQUEST, messages: [], tools });
  assert.deepEqual(content, [{ type: "text", text: String(sidecar.tools.length) }]);

  const long = tools.find(({ name }) => name === "mcp_test_long");
  assert.equal(
    long?.description,
    sidecar.tools.find(({ name }) => name === "mcp_test_long")?.definition.description,
  );

  const shown = tools.find(({ name }) => name === "mcp_test_brackets")?.input_schema;
  assert.deepEqual(Object.keys(shown?.properties ?? {}), ["filter_id", "top"]);
  const input = { top: 5, filter_id: 1, other: 2 };
  const result = await runAnthropicToolUse(sidecar, use("1", "mcp_test_brackets", input));
  assert.deepEqual(result.content, [{ type: "text", text: '{"$top":5,"filter[id]":1,"other":2}' }]);
});

test("an image that is too large for Anthropic is described", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const data = PNG.slice(0, 16) + "A".repeat(5 * 1024 * 1024);
  const input = { result: { content: [{ type: "image", data, mimeType: "image/png" }] } };
  const { content } = await runAnthropicToolUse(sidecar, use("1", "mcp_test_give", input));
  assert.deepEqual(content, [
    { type: "text", text: "[an image, image/png, 3.9 MB, that cannot be shown here]" },
  ]);
});

test("a model's mistake is answered as an error", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const mistakes: [string, unknown, RegExp][] = [
    ["mcp_test_raw", [1], /no JSON object: they are a list\./],
    ["mcp_test_raw", "{]", /no JSON object: .*JSON/],
    ["mcp_test_rew", {}, /^There is no tool mcp_test_rew, or not any more\. Near names are .*mcp_test_raw/],
  ];
  for (const [name, input, text] of mistakes) {
    const result = await runAnthropicToolUse(sidecar, use("1", name, input));
    assert.equal(result.is_error, true);
    assert.match(String(result.content), text);
  }
});

test("an abandoned call rejects with its reason, and the end of the sidecar is thrown", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const hang = use("1", "mcp_test_hang", {});
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error("enough"));
  const abandoned = runAnthropicToolUse(sidecar, hang, { signal: abort.signal, onProgress });
  await assert.rejects(abandoned, /^Error: enough$/);
  const ending = runAnthropicToolUse(sidecar, hang, { onProgress: () => void sidecar.close() });
  await assert.rejects(ending, SidecarClosedError);
});
