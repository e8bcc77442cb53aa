import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { generateText, jsonSchema, stepCountIs, streamText, ToolLoopAgent, tool } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import { aiTools } from "../../src/adapters/ai.js";
import { SidecarClosedError, type ToolSource } from "../../src/index.js";
import { checkTools } from "./anthropic-rules.js";
import { ODD_TOOLS } from "./odd-tools.js";
import { checkFunctions } from "./openai-rules.js";
import { PNG } from "./png.js";
import { arrival, changed, server, startReady, startWithLate } from "./world.js";

type Json = Record<string, unknown>;
type Content = LanguageModelV3GenerateResult["content"];

const TOKENS = { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const USAGE = { inputTokens: TOKENS, outputTokens: { total: 1, text: undefined, reasoning: undefined } };

/** model answers each request by what it was given: its tools, and the last result of one. */
function model(
  think: (tools: string[], last: unknown, request: LanguageModelV3CallOptions) => Content | Promise<Content>,
): MockLanguageModelV3 {
  const answer = async (request: LanguageModelV3CallOptions) => {
    const tools = (request.tools ?? []).map(({ name }) => name);
    const message = request.prompt.at(-1);
    const part = message?.role === "tool" ? message.content.at(-1) : undefined;
    const content = await think(tools, part?.type === "tool-result" ? part.output : undefined, request);
    const calls = content.some(({ type }) => type === "tool-call");
    const reason: "tool-calls" | "stop" = calls ? "tool-calls" : "stop";
    return { content, finishReason: { unified: reason, raw: undefined }, usage: USAGE, warnings: [] };
  };
  return new MockLanguageModelV3({
    doGenerate: answer,
    doStream: async (request) => {
      const { content, finishReason, usage } = await answer(request);
      const chunks = content.flatMap((part, index): LanguageModelV3StreamPart[] => {
        if (part.type !== "text") return part.type === "tool-call" ? [part] : [];
        const id = String(index);
        const { text: delta } = part;
        return [
          { type: "text-start", id },
          { type: "text-delta", id, delta },
          { type: "text-end", id },
        ];
      });
      return { stream: convertArrayToReadableStream([...chunks, { type: "finish", finishReason, usage }]) };
    },
  });
}

function call(toolName: string, input: object | string): Content {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return [{ type: "tool-call", toolCallId: `call-${toolName}`, toolName, input: text }];
}

function text(value: unknown): Content {
  return [{ type: "text", text: JSON.stringify(value) }];
}

/** lateStory is a model that has no late tool, then one, and uses it. */
function lateStory(
  world: Awaited<ReturnType<typeof startWithLate>>,
  offered: string[][] = [],
): MockLanguageModelV3 {
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  return model(async (tools, last) => {
    offered.push(tools);
    if (!tools.includes("mcp_late_give")) {
      await arrival(world); // while the model thinks
      return call("mcp_test_work", { steps: 1 });
    }
    if ((last as Json).value === "worked") return call("mcp_late_give", { result: { content: [image] } });
    return text(last);
  });
}

const LATE_END = JSON.stringify({
  type: "content",
  value: [{ type: "image-data", data: PNG, mediaType: "image/png" }],
});

test("generateText: a tool that comes late is there in the next step of one call", async (t) => {
  const world = await startWithLate(t);
  const tools = aiTools(world.sidecar, { media: true });
  const { text: end, steps } = await generateText({
    model: lateStory(world),
    prompt: "go",
    tools,
    stopWhen: stepCountIs(5),
  });
  assert.equal(end, LATE_END);
  assert.equal(steps.length, 3);
});

test("streamText: a tool that comes late is there in the next step of one call", async (t) => {
  const world = await startWithLate(t);
  const tools = aiTools(world.sidecar, { media: true });
  const stream = streamText({ model: lateStory(world), prompt: "go", tools, stopWhen: stepCountIs(5) });
  assert.equal(await stream.text, LATE_END);
});

test("ToolLoopAgent: a tool that comes late is there in the next step, beside the agent's own", async (t) => {
  const world = await startWithLate(t);
  const own = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: async () => "mine" });
  const offered: string[][] = [];
  const tools = aiTools(world.sidecar, { tools: { own }, media: true });
  const agent = new ToolLoopAgent({ model: lateStory(world, offered), tools });
  assert.equal((await agent.generate({ prompt: "go" })).text, LATE_END);
  const late = offered.map((names) => [names.includes("own"), names.includes("mcp_late_give")]);
  assert.deepEqual(late, [
    [true, false],
    [true, true],
    [true, true],
  ]);
});

test("the set is that of the moment, with one's own tools; a copy of it stays as it is", async (t) => {
  const world = await startWithLate(t);
  const own = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: async () => "mine" });
  const live = aiTools(world.sidecar, { tools: { own, mcp_test_raw: own } });
  const copy = { ...live };
  const names = () => ["own", ...world.sidecar.tools.map(({ name }) => name)].sort();
  assert.deepEqual(Object.keys(live).sort(), names());
  assert.equal(live.own, own);
  assert.equal(live.mcp_test_raw, own);
  assert.equal("mcp_late_raw" in live, false);
  await arrival(world);
  assert.deepEqual(Object.keys(live).sort(), names());
  assert.equal("mcp_late_raw" in live, true);
  assert.equal(live.mcp_late_raw, live.mcp_late_raw);
  assert.equal(copy.mcp_late_raw, undefined);
  assert.equal(live.toString, undefined);
  assert.equal(live.unknown, undefined);
});

test("a source that filters has the same tools again, and each is made once", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  let asked = 0;
  const source: ToolSource = {
    get tools() {
      asked++;
      return sidecar.tools.filter(({ name }) => name !== "mcp_test_die");
    },
    call: (...args) => sidecar.call(...args),
  };
  const live = aiTools(source);
  assert.equal("mcp_test_die" in live, false);
  assert.equal(live.mcp_test_raw, live.mcp_test_raw);
  asked = 0;
  assert.equal(Object.keys(live).length, sidecar.tools.length - 1);
  assert.equal(asked, sidecar.tools.length); // for the names, and for each of them
});

test("a picture is shown where media are, unless it is too large for some provider", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const { mcp_test_give: give } = aiTools(sidecar, { media: true });
  const image = { type: "image", data: PNG.slice(0, 16) + "A".repeat(5 * 1024 * 1024) };
  const output = { content: [image] };
  const seen = await give?.toModelOutput?.({ toolCallId: "1", input: {}, output } as never);
  const value = [{ type: "text", text: "[an image, image/png, 3.9 MB, that cannot be shown here]" }];
  assert.deepEqual(seen, { type: "content", value });
});

test("a tool that goes away during a call shows its result, and answers later that it is gone", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const removeAndFree = async () => {
    const gone = changed(sidecar, ({ removed }) => removed.includes("mcp_test_hang"));
    await sidecar.call("mcp_test_relist", { hide: "hang" });
    await gone;
    await sidecar.call("mcp_test_free");
  };
  const freeing: Promise<void>[] = [];
  const results: unknown[] = [];
  const thinking = model((_, last) => {
    if (last !== undefined) results.push(last);
    return results.length < 2 ? call("mcp_test_hang", {}) : text("end");
  });
  await generateText({
    model: thinking,
    prompt: "go",
    tools: aiTools(sidecar, { onProgress: () => freeing.push(removeAndFree()) }),
    stopWhen: stepCountIs(5),
  });
  await Promise.all(freeing);
  assert.deepEqual(results[0], { type: "text", value: "freed" });
  assert.match(JSON.stringify(results[1]), /"error-text".*There is no tool mcp_test_hang, or not any more/);
});

test("odd definitions suit every provider, and their tools can be called", async (t) => {
  const sidecar = await startReady(t, { test: server({ tools: ODD_TOOLS }) });
  const thinking = model((tools, last, request) => {
    const functions = (request.tools ?? []) as { name: string; description?: string; inputSchema: unknown }[];
    checkFunctions(functions.map(({ inputSchema, ...rest }) => ({ ...rest, parameters: inputSchema })));
    checkTools(functions.map(({ name, inputSchema }) => ({ name, input_schema: inputSchema })));
    return last === undefined ? call("mcp_test_brackets", { top: 5 }) : text([tools.length, last]);
  });
  const { text: end } = await generateText({
    model: thinking,
    prompt: "go",
    tools: aiTools(sidecar),
    stopWhen: stepCountIs(5),
  });
  assert.deepEqual(JSON.parse(end), [sidecar.tools.length, { type: "text", value: '{"$top":5}' }]);
  const { mcp_test_long: whole } = aiTools(sidecar, { descriptionLimit: Number.POSITIVE_INFINITY });
  assert.equal(whole?.description, ODD_TOOLS.find(({ name }) => name === "long")?.description);
});

test("a model's mistake is answered as an error", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const mistakes: [string, string, RegExp][] = [
    ["mcp_test_raw", "[1]", /no JSON object: they are a list\./],
    ["mcp_test_raw", '{"a": ', /JSON parsing failed/],
    ["mcp_test_rew", "{}", /There is no tool mcp_test_rew, or not any more\. Near names are .*mcp_test_raw/],
    ["other", "{}", /unavailable tool 'other'.*mcp_test_raw/],
  ];
  for (const [name, input, answer] of mistakes) {
    const thinking = model((_, last) => (last === undefined ? call(name, input) : text(last)));
    const { text: end } = await generateText({
      model: thinking,
      prompt: "go",
      tools: aiTools(sidecar),
      stopWhen: stepCountIs(5),
    });
    assert.match(end, /"type":"error-text"/);
    assert.match(end, answer);
  }
});

test("progress is told, approval is asked, and an abandoned generation ends the call", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const abort = new AbortController();
  const steps: unknown[] = [];
  const tools = aiTools(sidecar, {
    needsApproval: ({ definition }, input) =>
      definition.name === "die" && Object.keys(input as object).length === 0,
    onProgress: (name, step) => {
      steps.push([name, step.message]);
      if (name === "mcp_test_hang") abort.abort(new Error("enough"));
    },
  });
  const asking = await generateText({ model: model(() => call("mcp_test_die", {})), prompt: "go", tools });
  assert.deepEqual(
    asking.content.map(({ type }) => type),
    ["tool-call", "tool-approval-request"],
  );

  const thinking = model((_, last) =>
    call(last === undefined ? "mcp_test_work" : "mcp_test_hang", { steps: 1 }),
  );
  const { signal: abortSignal } = abort;
  const generation = generateText({
    model: thinking,
    prompt: "go",
    tools,
    stopWhen: stepCountIs(5),
    abortSignal,
  });
  await assert.rejects(generation, /enough/);
  assert.deepEqual(steps, [
    ["mcp_test_work", "step 1"],
    ["mcp_test_hang", "step 1"],
  ]);
});

test("the end of the sidecar is the tool's error", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  await sidecar.close();
  const { content } = await generateText({
    model: model(() => call("mcp_test_raw", {})),
    prompt: "go",
    tools: aiTools(sidecar),
  });
  const part = content.find(({ type }) => type === "tool-error") as { error?: unknown } | undefined;
  assert.ok(part?.error instanceof SidecarClosedError);
});
