/**
 * An agent: a loop between a model and the tools of all the user's MCP servers. This is the part to copy.
 *
 * The model is OpenAI's client, or anything with the same `chat.completions.create`. The tools are those of a
 * Sidecar, or of anything with the same `tools` and `call`.
 */
import type { ToolSource } from "mcp-sidecar";
import {
  type OpenAIImagesMessage,
  type OpenAITool,
  type OpenAIToolMessage,
  openaiTools,
  runOpenAIToolCalls,
} from "mcp-sidecar/openai";
import type { Story } from "./story.js";

const MODEL = "gpt-5";

/** MAX_ROUNDS: a model that goes on for longer than this has lost its way. */
const MAX_ROUNDS = 20;

/** A ChatModel is `new OpenAI()`, as far as an agent uses it. */
export interface ChatModel {
  chat: {
    completions: {
      create(request: ChatRequest, options?: { signal: AbortSignal }): PromiseLike<ChatCompletion>;
    };
  };
}

export interface ChatRequest {
  model: string;
  messages: Message[];
  tools?: OpenAITool[];
}

export interface ChatCompletion {
  choices: { message: AssistantMessage }[];
}

export interface AssistantMessage {
  role: "assistant";
  content: string | null;
  tool_calls?: ToolCall[];
}

/** A ToolCall of type "custom" is for tools without a schema, which an MCP server does not have. */
export type ToolCall =
  | {
      id: string;
      type: "function";
      function: { name: string; arguments: string };
    }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export type Message =
  | { role: "user"; content: string }
  | AssistantMessage
  | OpenAIToolMessage
  | OpenAIImagesMessage;

/** run has the model do a task with the tools, and returns its last word. */
export async function run(
  model: ChatModel,
  source: ToolSource,
  task: string,
  { story, signal }: { story: Story; signal: AbortSignal },
): Promise<string> {
  const messages: Message[] = [{ role: "user", content: task }];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    // Asked for anew before every request: a tool that came meanwhile is in it.
    const tools = openaiTools(source);
    story.asks(tools.map((tool) => tool.function.name));
    const request = { model: MODEL, messages, ...(tools.length > 0 && { tools }) };
    const message = (await model.chat.completions.create(request, { signal })).choices[0]?.message;
    if (message === undefined) throw new Error("the model gave no answer");
    messages.push(message);
    if (message.tool_calls === undefined || message.tool_calls.length === 0) return message.content ?? "";
    story.isToldToCall(message.tool_calls);
    // What the model did wrong comes back in the messages too. Only the end of the sidecar is an exception.
    const onProgress = story.progresses;
    messages.push(...(await runOpenAIToolCalls(source, message.tool_calls, { onProgress, signal })));
  }
  throw new Error(`the model came to no end in ${MAX_ROUNDS} rounds`);
}
