/**
 * The tools of a sidecar for Vercel's AI SDK:
 *
 * ```ts
 * await generateText({ model, prompt, tools: aiTools(sidecar), stopWhen: stepCountIs(20) });
 * ```
 *
 * The SDK has one `tools` for all steps of a generateText, a streamText or an agent: neither prepareStep nor
 * anything else can exchange it. But it reads what is in there anew for each step. So what aiTools returns is
 * not a copy of the set: it is the set, and every step has the tools of its moment. Give it your own tools to
 * have them in it; to spread it (`{...aiTools(sidecar)}`) makes a copy that stays as it is.
 *
 * What a tool throws the SDK makes into a "tool-error" for the model. So it does with the end of the sidecar.
 */
import { type Tool as AITool, dynamicTool, type JSONSchema7, jsonSchema, type ToolSet } from "ai";
import type { ToolSource } from "../client.js";
import type { CallToolResult, Progress, Tool } from "../mcp.js";
import { answer } from "./answer.js";
import { fitting, inWords, type Part, partsInWords } from "./content.js";
import { description, isExposed, LONGEST, toolNamed } from "./definition.js";
import { inputSchema } from "./input-schema.js";
import { ownNames } from "./property-names.js";
import { isObject } from "./schema-tree.js";
import { wellFormed } from "./well-formed.js";

export interface AIToolsOptions {
  /** tools of your own. They win over those of the sidecar. */
  tools?: ToolSet | undefined;
  /**
   * media shows images and PDFs to models whose provider takes them in the results of tools: Anthropic,
   * Google, OpenAI's Responses. Chat Completions (`openai.chat`, openai-compatible) would be sent their
   * base64 as text. Default false: they are described in words.
   */
  media?: boolean | undefined;
  /** needsApproval asks the user first (the SDK's tool approval). */
  needsApproval?: ((tool: Tool, input: unknown) => boolean | PromiseLike<boolean>) | undefined;
  /**
   * descriptionLimit is in characters. The default suits OpenAI; other providers take any length (Infinity).
   */
  descriptionLimit?: number | undefined;
  onProgress?: ((tool: string, progress: Progress) => void) | undefined;
  timeoutMs?: number | undefined;
  maxBytes?: number | undefined;
}

/**
 * aiTools is a ToolSet that always has the tools of the moment. A tool that is gone is not in it, but still
 * answers by its name: a call that was under way, or comes late, gets an answer for the model, not a hole in
 * the protocol.
 */
export function aiTools(source: ToolSource, options: AIToolsOptions = {}): ToolSet {
  const made = new WeakMap<Tool, AITool>();
  const make = (tool: Tool): AITool => {
    const one = made.get(tool) ?? aiTool(source, tool, options);
    made.set(tool, one);
    return one;
  };
  const listed = (own: ToolSet, name: string | symbol): AITool | undefined => {
    if (typeof name === "symbol" || Object.hasOwn(own, name)) {
      return Reflect.get(own, name) as AITool | undefined;
    }
    const tool = source.tools.find((one) => one.name === name);
    return tool && make(tool);
  };
  return new Proxy<ToolSet>(
    { ...options.tools },
    {
      get: (own, name) => {
        const tool = listed(own, name);
        if (tool !== undefined || typeof name === "symbol" || !isExposed(name)) return tool;
        return aiTool(source, toolNamed(source, name), options);
      },
      has: (own, name) => listed(own, name) !== undefined,
      ownKeys: (own) => [...new Set([...Reflect.ownKeys(own), ...source.tools.map(({ name }) => name)])],
      getOwnPropertyDescriptor: (own, name) => {
        const tool = listed(own, name);
        return tool && { value: tool, configurable: true, enumerable: true, writable: true };
      },
    },
  );
}

function aiTool(source: ToolSource, tool: Tool, options: AIToolsOptions): AITool {
  const { schema, renamed } = inputSchema(tool.definition.inputSchema, "any");
  const {
    needsApproval,
    descriptionLimit = LONGEST,
    onProgress,
    timeoutMs,
    maxBytes,
    media = false,
  } = options;
  const text = description(tool, descriptionLimit);
  const title = tool.definition.title;
  return dynamicTool({
    ...(text !== undefined && { description: text }),
    ...(typeof title === "string" && { title: wellFormed(title) }),
    inputSchema: jsonSchema(schema as JSONSchema7),
    ...(needsApproval && { needsApproval: (input: unknown) => needsApproval(tool, input) }),
    execute: async (input, { abortSignal }) => {
      const args = isObject(input) ? ownNames(input, renamed) : input;
      const { result } = await answer(source, tool.name, args, {
        signal: abortSignal,
        onProgress: onProgress && ((progress) => onProgress(tool.name, progress)),
        timeoutMs,
        maxBytes,
      });
      return result;
    },
    toModelOutput: ({ output }) => modelOutput(output, media),
  });
}

type ModelOutput = Awaited<ReturnType<NonNullable<AITool["toModelOutput"]>>>;
type ModelContent = Extract<ModelOutput, { type: "content" }>["value"][number];

/**
 * modelOutput is what the model sees of a result, which may have been stored and come back since. A failed
 * one says so in words too, since most providers are sent nothing but those.
 */
function modelOutput(output: unknown, media: boolean): ModelOutput {
  const result: CallToolResult = isObject(output) ? output : { structuredContent: output };
  const shown = partsInWords(result);
  if (result.isError === true) return { type: "error-text", value: inWords(shown) };
  const plain = !media || shown.every((part) => part.type === "text");
  if (plain) return { type: "text", value: inWords(shown) };
  return { type: "content", value: shown.map((part) => modelContent(fitting(part))) };
}

function modelContent(part: Part): ModelContent {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image-data", data: part.data, mediaType: part.mimeType };
    case "pdf":
      return { type: "file-data", data: part.data, mediaType: "application/pdf", filename: part.name };
  }
}
