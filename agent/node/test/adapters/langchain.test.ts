import assert from "node:assert/strict";
import { test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  type ToolCall,
  ToolMessage,
} from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { createAgent, toolErrorMiddleware } from "langchain";
import { langchainMiddleware, langchainTool, langchainTools } from "../../src/adapters/langchain.js";
import { SidecarClosedError } from "../../src/index.js";
import { checkTools } from "./anthropic-rules.js";
import { ODD_TOOLS } from "./odd-tools.js";
import { checkFunctions } from "./openai-rules.js";
import { PNG } from "./png.js";
import { arrival, changed, server, startReady, startWithLate } from "./world.js";

type Definition = ReturnType<typeof convertToOpenAITool>["function"];
type Think = (
  tools: string[],
  last: BaseMessage | undefined,
  definitions: readonly Definition[],
) => AIMessage | Promise<AIMessage>;
type Bound = Parameters<NonNullable<BaseChatModel["bindTools"]>>[0];

/** ScriptedModel is a chat model that decides by what it is given: its tools, and the last message. */
class ScriptedModel extends BaseChatModel {
  readonly #think: Think;
  readonly #tools: Bound;

  constructor(think: Think, tools: Bound = []) {
    super({});
    this.#think = think;
    this.#tools = tools;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: Bound): ScriptedModel {
    return new ScriptedModel(this.#think, tools);
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    // As every provider's class does: this is where a schema has to be one.
    const definitions = this.#tools.map((one) => convertToOpenAITool(one as never).function);
    checkFunctions(definitions as never);
    checkTools(definitions.map(({ name, parameters }) => ({ name, input_schema: parameters })));
    const message = await this.#think(
      definitions.map(({ name }) => name),
      messages.at(-1),
      definitions,
    );
    return { generations: [{ text: message.text, message }] };
  }
}

function call(name: string, args: Record<string, unknown>): AIMessage {
  const toolCall: ToolCall = { type: "tool_call", id: `call-${name}`, name, args };
  return new AIMessage({ content: "", tool_calls: [toolCall] });
}

const IMAGE = { content: [{ type: "image", data: PNG, mimeType: "image/png" }] };

/** lateStory is a model that has no late tool, then one, and uses it. */
function lateStory(
  world: Awaited<ReturnType<typeof startWithLate>>,
  offered: string[][] = [],
): ScriptedModel {
  return new ScriptedModel(async (tools, last) => {
    offered.push(tools);
    if (!tools.includes("mcp_late_give")) {
      await arrival(world); // while the model thinks
      return call("mcp_test_work", { steps: 1 });
    }
    if (last?.content === "worked") return call("mcp_late_give", { result: IMAGE });
    return new AIMessage(JSON.stringify(last?.content));
  });
}

const LATE_END = JSON.stringify([{ type: "image", data: PNG, mimeType: "image/png" }]);

const mine = tool(() => "mine", {
  name: "mine",
  description: "",
  schema: { type: "object", properties: {} },
});

test("createAgent with the middleware: a late tool is there at the next request, and runs", async (t) => {
  const world = await startWithLate(t);
  const offered: string[][] = [];
  const agent = createAgent({
    model: lateStory(world, offered),
    tools: [mine],
    middleware: [langchainMiddleware(world.sidecar, { media: true })],
  });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  assert.equal(messages.at(-1)?.content, LATE_END);
  const late = offered.map((names) => [names.includes("mine"), names.includes("mcp_late_give")]);
  assert.deepEqual(late, [
    [true, false],
    [true, true],
    [true, true],
  ]);
});

test("createAgent without tools of its own runs those of the middleware", async (t) => {
  const world = await startWithLate(t);
  const middleware = [langchainMiddleware(world.sidecar, { media: true })];
  const agent = createAgent({ model: lateStory(world), middleware });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  assert.equal(messages.at(-1)?.content, LATE_END);
});

test("bindTools before each request: a late tool is there at the next one, and runs", async (t) => {
  const world = await startWithLate(t);
  const model = lateStory(world);
  const messages: BaseMessage[] = [new HumanMessage("go")];
  for (let request = 1; request <= 3; request++) {
    const answer = await model.bindTools(langchainTools(world.sidecar)).invoke(messages);
    messages.push(answer);
    for (const toolCall of (answer as AIMessage).tool_calls ?? []) {
      messages.push(
        await langchainTool(world.sidecar, toolCall.name, { media: true }).invoke({
          ...toolCall,
          type: "tool_call",
        }),
      );
    }
  }
  assert.equal(messages.at(-1)?.content, LATE_END);
});

test("an agent's own tools stay and win; one of the sidecar's that is gone is taken out", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const gone = changed(sidecar, ({ removed }) => removed.includes("mcp_test_raw"));
  const twin = tool(() => "the agent's", {
    name: "mcp_test_give",
    description: "",
    schema: { type: "object", properties: {} },
  });
  const offered: string[][] = [];
  const model = new ScriptedModel(async (tools, last) => {
    offered.push(tools);
    if (offered.length === 1) return call("mcp_test_relist", { hide: "raw" });
    await gone;
    return offered.length === 2 ? call("mcp_test_give", {}) : new AIMessage(String(last?.content));
  });
  const own = langchainTools(sidecar).filter(({ name }) => name !== "mcp_test_give");
  const agent = createAgent({ model, tools: [twin, ...own], middleware: [langchainMiddleware(sidecar)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  assert.equal(messages.at(-1)?.content, "the agent's");
  assert.equal(
    offered.every((names) => new Set(names).size === names.length),
    true,
  );
  assert.equal(offered[0]?.includes("mcp_test_raw"), true);
  assert.equal(offered.at(-1)?.includes("mcp_test_raw"), false);
});

test("an agent's own tools of a sidecar follow their definitions", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const redefined = changed(sidecar, ({ updated }) => updated.some(({ name }) => name === "mcp_test_raw"));
  const inputSchema = { type: "object", properties: { $n: { type: "number" } }, required: ["$n"] };
  const described: unknown[] = [];
  const model = new ScriptedModel(async (_, last, definitions) => {
    described.push(definitions.find(({ name }) => name === "mcp_test_raw")?.description);
    if (described.length === 1) {
      await sidecar.call("mcp_test_redefine", { name: "raw", description: "New.", inputSchema });
      await redefined; // while the model thinks
      return call("mcp_test_raw", {});
    }
    return described.length === 2 ? call("mcp_test_raw", { n: 1 }) : new AIMessage(String(last?.content));
  });
  const own = langchainTools(sidecar);
  const agent = createAgent({ model, tools: own, middleware: [langchainMiddleware(sidecar)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  assert.deepEqual(described, ["The tool raw.", "New.", "New."]);
  const answers = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
  assert.match(String(answers[0]), /did not match expected schema.*required/s);
  assert.match(String(answers[1]), /"arguments":\{"\$n":1\}/);
});

test("tools of another sidecar are the agent's own", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const other = await startReady(t, { other: server() });
  const offered: string[][] = [];
  const model = new ScriptedModel((tools, last) => {
    offered.push(tools);
    return ToolMessage.isInstance(last) ? new AIMessage(last.text) : call("mcp_other_work", { steps: 1 });
  });
  const tools = langchainTools(other);
  const agent = createAgent({ model, tools, middleware: [langchainMiddleware(sidecar)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  assert.equal(messages.at(-1)?.content, "worked");
  const all = [...other.tools, ...sidecar.tools].map(({ name }) => name);
  assert.deepEqual(offered, [all, all]);
});

test("a program gets what a tool is, and the outcome of a call that was not refused", async (t) => {
  const annotations = { readOnlyHint: true };
  const sidecar = await startReady(t, { test: server({ tools: [{ name: "quiet", annotations }] }) });
  const quiet = langchainTool(sidecar, "mcp_test_quiet");
  assert.deepEqual(quiet.metadata, { mcp: { server: "test", tool: "quiet", annotations } });
  const toolCall = { type: "tool_call" as const, id: "1", args: {} };
  const { artifact } = await quiet.invoke({ ...toolCall, name: "mcp_test_quiet" });
  assert.deepEqual(Object.keys(artifact).sort(), ["details", "result"]);
  const gone = langchainTool(sidecar, "mcp_test_gone");
  assert.deepEqual(gone.metadata, {});
  assert.equal((await gone.invoke({ ...toolCall, name: "mcp_test_gone" })).artifact, undefined);
});

test("a picture is shown where media are, unless it is too large for some provider", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const data = PNG.slice(0, 16) + "A".repeat(5 * 1024 * 1024);
  const result = { content: [{ type: "image", data, mimeType: "image/png" }] };
  const content = await langchainTool(sidecar, "mcp_test_give", { media: true }).invoke({ result });
  const text = "[an image, image/png, 3.9 MB, that cannot be shown here]";
  assert.deepEqual(content, [{ type: "text", text }]);
});

test("odd definitions suit every provider, and their tools can be called", async (t) => {
  const sidecar = await startReady(t, { test: server({ tools: ODD_TOOLS }) });
  const model = new ScriptedModel((tools, last) =>
    ToolMessage.isInstance(last)
      ? new AIMessage(`${tools.length} ${last.content}`)
      : call("mcp_test_brackets", { top: 5 }),
  );
  const agent = createAgent({ model, middleware: [langchainMiddleware(sidecar)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
  assert.equal(messages.at(-1)?.content, `${sidecar.tools.length} {"$top":5}`);
  const whole = langchainTool(sidecar, "mcp_test_long", { descriptionLimit: Number.POSITIVE_INFINITY });
  assert.equal(whole.description, ODD_TOOLS.find(({ name }) => name === "long")?.description);
  // LangChain validates arguments itself, and must not stumble over the schema.
  for (const one of langchainTools(sidecar).filter(({ name }) => name.startsWith("mcp_test_old"))) {
    assert.equal(
      await one.invoke({ n: 1, pair: [1, 2], text: "x", lost: 1 }),
      '{"n":1,"pair":[1,2],"text":"x","lost":1}',
    );
  }
});

test("a model's mistake is answered as an error, by an agent and by a tool alone", async (t) => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const sidecar = await startReady(t, { test: server({ tools: [{ name: "strict", inputSchema: schema }] }) });
  const mistakes: [string, RegExp][] = [
    ["mcp_test_strict", /did not match expected schema.*required/s],
    ["mcp_test_rew", /There is no tool mcp_test_rew, or not any more\. Near names are .*mcp_test_raw/],
    ["other", /other is not a valid tool/],
  ];
  for (const [name, text] of mistakes) {
    const model = new ScriptedModel((_, last) =>
      ToolMessage.isInstance(last) ? new AIMessage("end") : call(name, {}),
    );
    const agent = createAgent({ model, middleware: [langchainMiddleware(sidecar)] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    const answer = messages.find((message) => ToolMessage.isInstance(message));
    assert.equal(answer?.status, "error");
    assert.match(String(answer?.content), text);
    if (name === "other") continue;
    const alone = await langchainTool(sidecar, name).invoke({ type: "tool_call", id: "1", name, args: {} });
    assert.deepEqual([alone.status, alone.tool_call_id], ["error", "1"]);
    assert.match(String(alone.content), text);
  }
  await assert.rejects(langchainTool(sidecar, "mcp_test_strict").invoke({}), /did not match expected schema/);
});

test("progress is told, and an abandoned call rejects", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const steps: unknown[] = [];
  const abort = new AbortController();
  const onProgress = (name: string, { message }: { message?: string }) => {
    steps.push([name, message]);
    if (name === "mcp_test_hang") abort.abort(new Error("enough"));
  };
  await langchainTool(sidecar, "mcp_test_work", { onProgress }).invoke({ steps: 1 });
  const hanging = langchainTool(sidecar, "mcp_test_hang", { onProgress }).invoke(
    {},
    { signal: abort.signal },
  );
  await assert.rejects(hanging, /enough/);
  assert.deepEqual(steps, [
    ["mcp_test_work", "step 1"],
    ["mcp_test_hang", "step 1"],
  ]);
});

test("the end of the sidecar ends the agent's run, and is thrown by a tool alone", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const model = new ScriptedModel(() => call("mcp_test_hang", {}));
  const onProgress = () => void sidecar.close();
  const agent = createAgent({ model, middleware: [langchainMiddleware(sidecar, { onProgress })] });
  const run = agent.invoke({ messages: [new HumanMessage("go")] });
  await assert.rejects(run, (error: Error) => {
    let cause: unknown = error;
    while (cause instanceof Error && !(cause instanceof SidecarClosedError)) cause = cause.cause;
    return cause instanceof SidecarClosedError;
  });
  await assert.rejects(langchainTool(sidecar, "mcp_test_raw").invoke({}), SidecarClosedError);
});

test("an exception of an agent's own tool ends its run, unless toolErrorMiddleware tells it", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const schema = { type: "object" as const, properties: {} };
  const fail = () => Promise.reject(new Error("mine"));
  const failing = tool(fail, { name: "failing", description: "", schema });
  const model = new ScriptedModel((_, last) =>
    ToolMessage.isInstance(last) ? new AIMessage(last.text) : call("failing", {}),
  );
  const middleware = langchainMiddleware(sidecar);
  const messages = [new HumanMessage("go")];
  const alone = createAgent({ model, tools: [failing], middleware: [middleware] });
  await assert.rejects(alone.invoke({ messages }), /mine/);
  const told = toolErrorMiddleware({ onError: (error) => `told: ${(error as Error).message}` });
  const both = createAgent({ model, tools: [failing], middleware: [middleware, told] });
  assert.equal((await both.invoke({ messages })).messages.at(-1)?.content, "told: mine");
});
