import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import {
  openaiResponsesTools,
  openaiTools,
  runOpenAIResponsesToolCall,
  runOpenAIToolCall,
  runOpenAIToolCalls,
} from "../../src/adapters/openai.js";
import { ErrorCode, ResponseError, SidecarClosedError, type ToolSource } from "../../src/index.js";
import { ODD_TOOLS } from "./odd-tools.js";
import { checkChat, checkResponses } from "./openai-rules.js";
import { PNG } from "./png.js";
import { type Script, serve } from "./provider.js";
import { arrival, changed, server, startReady, startWithLate } from "./world.js";

type Json = Record<string, unknown>;

/** openai is the real SDK, with a provider that decides by what it is given. */
async function openai(t: Parameters<typeof serve>[0], path: string, script: Script): Promise<OpenAI> {
  const check = path === "/chat/completions" ? checkChat : checkResponses;
  return new OpenAI({ baseURL: await serve(t, path, check, script), apiKey: "none", maxRetries: 0 });
}

function chatNames({ tools }: Json): string[] {
  return ((tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
}

function functionCall(id: string, name: string, args: string) {
  return { id, type: "function", function: { name, arguments: args } };
}

function completion(message: object) {
  return { object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", ...message } }] };
}

test("Chat Completions: a late tool is there at the next request of the conversation", async (t) => {
  const world = await startWithLate(t);
  const seen: string[][] = [];
  const client = await openai(t, "/chat/completions", async (body) => {
    const names = chatNames(body);
    seen.push(names);
    const last = (body.messages as Json[]).at(-1) as Json;
    if (!names.includes("mcp_late_raw")) {
      await arrival(world); // while the model thinks
      return completion({ tool_calls: [functionCall("1", "mcp_test_work", '{"steps":1}')] });
    }
    if (last.tool_call_id === "1") {
      return completion({
        tool_calls: [functionCall("2", "mcp_late_raw", '{"n":1.0,"a":12345678901234567890}')],
      });
    }
    return completion({ content: `it said ${last.content}` });
  });

  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  for (let request = 1; request <= 3; request++) {
    const tools = openaiTools(world.sidecar);
    const { choices } = await client.chat.completions.create({ model: "test", messages, tools });
    const message = choices[0]?.message;
    assert.ok(message);
    messages.push(message, ...(await runOpenAIToolCalls(world.sidecar, message.tool_calls)));
  }

  assert.equal(seen[0]?.includes("mcp_late_raw"), false);
  assert.equal(seen[1]?.includes("mcp_late_raw"), true);
  assert.deepEqual(messages[2], { role: "tool", tool_call_id: "1", content: "worked" });
  assert.match(
    String(messages.at(-1)?.content),
    /^it said .*"arguments":\{"n":1.0,"a":12345678901234567890\}/,
  );
});

test("Responses: a late tool is there at the next request of the conversation", async (t) => {
  const world = await startWithLate(t);
  const client = await openai(t, "/responses", async (body) => {
    const names = (body.tools as { name: string }[]).map(({ name }) => name);
    const last = (body.input as Json[]).at(-1) as Json;
    const call = (id: string, name: string, args: string) => {
      return { object: "response", output: [{ type: "function_call", call_id: id, name, arguments: args }] };
    };
    if (!names.includes("mcp_late_give")) {
      await arrival(world);
      return call("1", "mcp_test_work", '{"steps":1}');
    }
    if (last.call_id === "1") {
      const image = { type: "image", data: PNG, mimeType: "image/png" };
      return call("2", "mcp_late_give", JSON.stringify({ result: { content: [image] } }));
    }
    const text = JSON.stringify(last.output);
    return { object: "response", output: [{ type: "message", content: [{ type: "output_text", text }] }] };
  });

  const input: ResponseInputItem[] = [{ role: "user", content: "go" }];
  let answer = "";
  for (let request = 1; request <= 3; request++) {
    const tools = openaiResponsesTools(world.sidecar);
    const { output, output_text } = await client.responses.create({ model: "test", input, tools });
    answer = output_text;
    input.push(...output);
    for (const item of output) {
      if (item.type === "function_call") input.push(await runOpenAIResponsesToolCall(world.sidecar, item));
    }
  }
  const shown = [{ type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" }];
  assert.deepEqual(JSON.parse(answer), shown);
});

test("odd definitions do not spoil the request, and their tools can be called", async (t) => {
  const sidecar = await startReady(t, { test: server({ tools: ODD_TOOLS }) });
  const client = await openai(t, "/chat/completions", (body) =>
    completion({ content: String(chatNames(body).length) }),
  );
  const tools = openaiTools(sidecar);
  const answer = await client.chat.completions.create({ model: "test", messages: [], tools });
  assert.equal(answer.choices[0]?.message.content, String(sidecar.tools.length));
  checkResponses({ input: [], tools: openaiResponsesTools(sidecar) as unknown as Json[] });

  const long = tools.find((tool) => tool.function.name === "mcp_test_long")?.function.description ?? "";
  assert.equal(long.length, 1024 - 1); // an emoji would have been cut in two
  assert.match(long, /^A.*é…$/u);
  const whole = ODD_TOOLS.find(({ name }) => name === "long")?.description;
  const options = { descriptionLimit: Number.POSITIVE_INFINITY };
  const [chat, responses] = [openaiTools(sidecar, options), openaiResponsesTools(sidecar, options)];
  assert.equal(chat.find((tool) => tool.function.name === "mcp_test_long")?.function.description, whole);
  assert.equal(responses.find(({ name }) => name === "mcp_test_long")?.description, whole);
  const titled = tools.find((tool) => tool.function.name === "mcp_test_titled");
  assert.equal(titled?.function.description, "A title");

  const call = functionCall("1", "mcp_test_brackets", '{"filter[id]":1}');
  assert.equal((await runOpenAIToolCall(sidecar, call)).content, '{"filter[id]":1}');
});

test("several calls in one message are answered in its order, and images come last", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  const give = (id: string, ...content: object[]) =>
    functionCall(id, "mcp_test_give", JSON.stringify({ result: { content } }));
  const text = { type: "text", text: "t" };
  const calls = [give("1", image, text), give("2", text), give("3", image)];
  const messages = await runOpenAIToolCalls(sidecar, calls);
  checkChat({ messages: [{ role: "assistant", tool_calls: calls }, ...(messages as unknown as Json[])] });
  assert.deepEqual(
    messages.map((message) =>
      message.role === "tool" ? [message.tool_call_id, message.content] : message.role,
    ),
    [["1", "[image 1, see below]\nt"], ["2", "t"], ["3", "[image 2, see below]"], "user"],
  );
  assert.deepEqual(await runOpenAIToolCalls(sidecar, undefined), []);
});

const MISTAKES: Record<string, { name: string; args: string; answer: RegExp }> = {
  "arguments that are no JSON": {
    name: "mcp_test_raw",
    args: '{"a": ',
    answer: /^Error: The arguments of mcp_test_raw are no JSON object: .*JSON.* The tool was not called/,
  },
  "arguments that are a list": {
    name: "mcp_test_raw",
    args: "[1]",
    answer: /no JSON object: they are a list\./,
  },
  "arguments that are null": {
    name: "mcp_test_raw",
    args: "null",
    answer: /no JSON object: they are null\./,
  },
  "arguments that are a text": {
    name: "mcp_test_raw",
    args: '"a"',
    answer: /no JSON object: they are a string\./,
  },
  "no tool at all": { name: "", args: "{}", answer: /^Error: A call needs the name of a tool\./ },
  "a tool that never was": {
    name: "mcp_test_rew",
    args: "{}",
    answer: /^Error: There is no tool mcp_test_rew, or not any more\. Near names are .*mcp_test_raw/,
  },
};

for (const [what, { name, args, answer }] of Object.entries(MISTAKES)) {
  test(`a model's mistake is answered: ${what}`, async (t) => {
    const sidecar = await startReady(t, { test: server() });
    const message = await runOpenAIToolCall(sidecar, functionCall("1", name, args));
    assert.match(message.content, answer);
    const output = await runOpenAIResponsesToolCall(sidecar, { call_id: "1", name, arguments: args });
    assert.equal(output.output, message.content);
  });
}

test("all calls of a message run at the same time; if one throws, the others are abandoned", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const meet = (id: string) => functionCall(id, "mcp_test_meet", '{"of":2}');
  const messages = await runOpenAIToolCalls(sidecar, [meet("1"), meet("2")]);
  assert.deepEqual(
    messages.map(({ content }) => content),
    ["met", "met"],
  );

  const signals: (AbortSignal | undefined)[] = [];
  const failing: ToolSource = {
    tools: sidecar.tools,
    call: (tool, args, options) => {
      signals.push(options?.signal);
      return tool === "mcp_test_hang" ? sidecar.call(tool, args, options) : Promise.reject(new Error("mine"));
    },
  };
  const hang = functionCall("1", "mcp_test_hang", "{}");
  const both = runOpenAIToolCalls(failing, [hang, functionCall("2", "mcp_test_raw", "{}")]);
  await assert.rejects(both, /^Error: mine$/);
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [true, true],
  );
});

test("without any tool the request has none, as OpenAI wants it", async (t) => {
  const sidecar = await startReady(t, {});
  const client = await openai(t, "/chat/completions", ({ tools = [] }) =>
    completion({ content: JSON.stringify(tools) }),
  );
  const tools = openaiTools(sidecar);
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
  const request = { model: "test", messages, ...(tools.length > 0 && { tools }) };
  assert.equal((await client.chat.completions.create(request)).choices[0]?.message.content, "[]");
  await assert.rejects(client.chat.completions.create({ model: "test", messages, tools }), /empty array/);
});

test("a mistake of the program's is thrown, not told to the model", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const call = functionCall("1", "mcp_test_raw", "{}");
  const isOptions = (error: unknown) =>
    error instanceof ResponseError && error.code === ErrorCode.InvalidParams;
  await assert.rejects(runOpenAIToolCall(sidecar, call, { timeoutMs: -1 }), isOptions);
});

test("a tool that went away since the model was told of it is answered with what is there", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const gone = changed(sidecar, ({ removed }) => removed.includes("mcp_test_raw"));
  await runOpenAIToolCall(sidecar, functionCall("1", "mcp_test_relist", '{"hide":"raw"}'));
  await gone;
  assert.equal(
    openaiTools(sidecar).some((tool) => tool.function.name === "mcp_test_raw"),
    false,
  );
  const { content } = await runOpenAIToolCall(sidecar, functionCall("2", "mcp_test_raw", "{}"));
  assert.match(content, /^Error: There is no tool mcp_test_raw, or not any more\./);
  await sidecar.disconnect("test");
  const stopped = await runOpenAIToolCall(sidecar, functionCall("3", "mcp_test_raw", "{}"));
  assert.match(stopped.content, /^Error: There is no tool mcp_test_raw now: server "test" is stopped\. Use/);
});

test("no arguments at all are an empty object, and a custom tool is none of a sidecar's", async (t) => {
  const sidecar = await startReady(t, { test: server({ tools: [{ name: "any" }] }) });
  for (const args of ["", " ", "{}"]) {
    assert.equal((await runOpenAIToolCall(sidecar, functionCall("1", "mcp_test_any", args))).content, "{}");
  }
  const custom = { id: "1", type: "custom" as const, custom: { name: "mcp_test_any", input: "x" } };
  assert.match((await runOpenAIToolCall(sidecar, custom)).content, /^Error: Only tools of type function/);
});

test("progress is told, an abandoned call rejects, and the end of the sidecar is thrown", async (t) => {
  const sidecar = await startReady(t, { test: server() });
  const steps: unknown[] = [];
  const onProgress = (step: unknown) => steps.push(step);
  await runOpenAIToolCall(sidecar, functionCall("1", "mcp_test_work", '{"steps":2}'), { onProgress });
  assert.deepEqual(steps.at(-1), { progress: 2, total: 2, message: "step 2" });

  const hang = functionCall("2", "mcp_test_hang", "{}");
  const abort = new AbortController();
  const onHang = () => abort.abort(new Error("enough"));
  const abandoned = runOpenAIToolCalls(sidecar, [hang, hang], { signal: abort.signal, onProgress: onHang });
  await assert.rejects(abandoned, /^Error: enough$/);

  const ending = runOpenAIToolCall(sidecar, hang, { onProgress: () => void sidecar.close() });
  await assert.rejects(ending, SidecarClosedError);
  await assert.rejects(runOpenAIToolCall(sidecar, hang), SidecarClosedError);
});
