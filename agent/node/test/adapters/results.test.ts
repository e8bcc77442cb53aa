import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aiTools } from "../../src/adapters/ai.js";
import { runAnthropicToolUse } from "../../src/adapters/anthropic.js";
import { parts as shownOf } from "../../src/adapters/content.js";
import { langchainTool } from "../../src/adapters/langchain.js";
import {
  runOpenAIResponsesToolCall,
  runOpenAIToolCall,
  runOpenAIToolCalls,
} from "../../src/adapters/openai.js";
import type { Sidecar } from "../../src/index.js";
import { checkMessages } from "./anthropic-rules.js";
import { RESULTS, type ResultCase, type Shown } from "./cases.js";
import { checkChat, checkResponses } from "./openai-rules.js";
import { server, startReady } from "./world.js";

const NAME = "mcp_test_give";

describe("what a model sees of a result", () => {
  let sidecar: Sidecar;
  const ends: (() => Promise<void>)[] = [];
  before(async () => {
    sidecar = await startReady({ after: (end) => ends.unshift(end) }, { test: server() });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  for (const one of RESULTS) {
    const { name: what, given, parts, failed } = one;
    const input = { result: given };
    const call = { name: NAME, arguments: JSON.stringify(input) };
    const plain = parts.every((part) => typeof part === "string");

    test(`Chat Completions: ${what}`, async () => {
      const toolCall = { id: "1", type: "function", function: call };
      const message = await runOpenAIToolCall(sidecar, toolCall);
      assert.deepEqual(message, { role: "tool", tool_call_id: "1", content: inWords(flagged(one)) });

      const messages = await runOpenAIToolCalls(sidecar, [toolCall]);
      checkChat({
        messages: [{ role: "assistant", tool_calls: [toolCall] }, ...(messages as object[] as never[])],
      });
      const images = parts.filter((part) => typeof part !== "string" && "image" in part);
      assert.deepEqual(messages[1]?.content, images.length === 0 ? undefined : images.flatMap(chatImage));
    });

    test(`Responses: ${what}`, async () => {
      const { output, ...rest } = await runOpenAIResponsesToolCall(sidecar, { call_id: "1", ...call });
      assert.deepEqual(rest, { type: "function_call_output", call_id: "1" });
      assert.deepEqual(output, plain ? inWords(flagged(one)) : flagged(one).map(responsesPart));
      checkResponses({
        input: [
          { type: "function_call", ...call, call_id: "1" },
          { ...rest, output },
        ],
      });
    });

    test(`Messages: ${what}`, async () => {
      const toolUse = { type: "tool_use", id: "1", name: NAME, input };
      const result = await runAnthropicToolUse(sidecar, toolUse);
      const content = failed ? inWords(parts) : parts.map(anthropicBlock);
      const flag = failed ? { is_error: true } : {};
      assert.deepEqual(result, { type: "tool_result", tool_use_id: "1", content, ...flag });
      checkMessages({
        messages: [{ content: [{ ...toolUse, input: {} }] }, { role: "user", content: [{ ...result }] }],
      });
    });

    test(`LangChain: ${what}`, async () => {
      const toolCall = { type: "tool_call" as const, id: "1", name: NAME, args: input };
      const message = await langchainTool(sidecar, NAME).invoke(toolCall);
      assert.deepEqual(message.content, inWords(flagged(one)));
      assert.equal(message.status, failed ? "error" : "success");
      assert.deepEqual(message.artifact.result, given);
      assert.equal(message.artifact.details.tool, "give");

      const shown = await langchainTool(sidecar, NAME, { media: true }).invoke(toolCall);
      assert.deepEqual(shown.content, plain || failed ? inWords(flagged(one)) : parts.map(langchainBlock));
    });

    test(`AI SDK: ${what}`, async () => {
      const options = { toolCallId: "1", messages: [] };
      for (const media of [false, true]) {
        const tool = aiTools(sidecar, { media })[NAME];
        const output = (await tool?.execute?.(input as never, options)) as never;
        assert.deepEqual(output, given);
        const seen = await tool?.toModelOutput?.({ toolCallId: "1", input: input as never, output });
        assert.deepEqual(seen, aiOutput(one, media));
      }
    });
  }
});

test("what is very deep in a result is cut", () => {
  let deep: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  const [block] = shownOf({ content: [{ type: "deep", deep }] });
  const text = `{"type":"deep","deep":${"[".repeat(31)}"…"${"]".repeat(31)}}`;
  assert.deepEqual(block, { type: "text", text });
  const [structured] = shownOf({ structuredContent: deep });
  assert.deepEqual(structured, { type: "text", text: `${"[".repeat(128)}"…"${"]".repeat(128)}` });
});

test("a long text in a block that nobody knows is cut between two characters", () => {
  const [part] = shownOf({ content: [{ type: "hologram", data: `${"y".repeat(999)}😀😀` }] });
  const text = `{"type":"hologram","data":"${"y".repeat(999)}… (1003 characters)"}`;
  assert.deepEqual(part, { type: "text", text });
});

/** inWords is everything in one text, as where there is nothing but texts. */
function inWords(shown: readonly Shown[]): string {
  const words = (part: Shown) => {
    if (typeof part === "string") return part;
    const what = "pdf" in part ? `the file ${part.pdf}` : `an image, ${part.image}`;
    return `[${what}, ${Buffer.from(part.data, "base64").length} bytes, that cannot be shown here]`;
  };
  return shown.map(words).join("\n");
}

/** flagged: what reaches the model has no place but the text to say that a tool failed. */
function flagged({ failed, parts }: ResultCase): readonly Shown[] {
  const [first, ...rest] = parts;
  if (!failed) return parts;
  if (typeof first !== "string") return ["Error:", ...parts];
  return /error/i.test(first) ? parts : [`Error: ${first}`, ...rest];
}

function dataUrl(part: Shown): string {
  if (typeof part === "string") return part;
  return "pdf" in part
    ? `data:application/pdf;base64,${part.data}`
    : `data:${part.image};base64,${part.data}`;
}

function chatImage(part: Shown, index: number) {
  return [
    { type: "text", text: `Image ${index + 1} of the tools' results:` },
    { type: "image_url", image_url: { url: dataUrl(part) } },
  ];
}

function responsesPart(part: Shown) {
  if (typeof part === "string") return { type: "input_text", text: part };
  if ("pdf" in part) return { type: "input_file", filename: part.pdf, file_data: dataUrl(part) };
  return { type: "input_image", image_url: dataUrl(part), detail: "auto" };
}

function anthropicBlock(part: Shown) {
  if (typeof part === "string") return { type: "text", text: part };
  if ("image" in part) {
    return { type: "image", source: { type: "base64", media_type: part.image, data: part.data } };
  }
  const source = { type: "base64", media_type: "application/pdf", data: part.data };
  return { type: "document", source, title: part.pdf };
}

function langchainBlock(part: Shown) {
  if (typeof part === "string") return { type: "text", text: part };
  if ("image" in part) return { type: "image", data: part.data, mimeType: part.image };
  return { type: "file", data: part.data, mimeType: "application/pdf", metadata: { filename: part.pdf } };
}

function aiOutput(one: ResultCase, media: boolean) {
  if (one.failed) return { type: "error-text", value: inWords(flagged(one)) };
  const plain = !media || one.parts.every((part) => typeof part === "string");
  if (plain) return { type: "text", value: inWords(one.parts) };
  const value = one.parts.map((part) => {
    if (typeof part === "string") return { type: "text", text: part };
    if ("image" in part) return { type: "image-data", data: part.data, mediaType: part.image };
    return { type: "file-data", data: part.data, mediaType: "application/pdf", filename: part.pdf };
  });
  return { type: "content", value };
}
