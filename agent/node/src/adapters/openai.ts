/**
 * The tools of a sidecar for OpenAI's models, in the forms of Chat Completions (which other providers have
 * too) and of Responses. Ask for the tools again in each request, and they are those of the moment:
 *
 * ```ts
 * const tools = openaiTools(sidecar);
 * const request = { model, messages, ...(tools.length > 0 && { tools }) };
 * const { message } = (await openai.chat.completions.create(request)).choices[0];
 * messages.push(message, ...(await runOpenAIToolCalls(sidecar, message.tool_calls)));
 * ```
 *
 * OpenAI takes 128 tools at most, and no empty list. A source is anything with `tools` and `call`: give one
 * with fewer tools where there are more.
 */

import type { ToolSource } from "../client.js";
import type { CallOptions } from "../options.js";
import { type Answer, answer, failure, together } from "./answer.js";
import { type ImagePart, inWords, note, type Part, partsInWords } from "./content.js";
import { description, LONGEST } from "./definition.js";
import { inputSchema } from "./input-schema.js";

/** OpenAITool is the SDK's ChatCompletionFunctionTool. */
export interface OpenAITool {
  type: "function";
  function: { name: string; description?: string; parameters: Record<string, unknown> };
}

/** OpenAIResponsesTool is the SDK's FunctionTool of Responses. */
export interface OpenAIResponsesTool {
  type: "function";
  name: string;
  description?: string;
  parameters: Record<string, unknown>;
  /**
   * strict is false: few schemas of MCP servers are of the subset that it wants, and Responses assumes it.
   */
  strict: false;
}

export interface OpenAIToolsOptions {
  /**
   * descriptionLimit is in characters. The default suits OpenAI; other servers of its API may take any length
   * (Infinity).
   */
  descriptionLimit?: number | undefined;
}

/** openaiTools are the tools of the moment, for `tools` of Chat Completions. */
export function openaiTools(source: ToolSource, options?: OpenAIToolsOptions): OpenAITool[] {
  return functions(source, options).map((definition) => ({ type: "function", function: definition }));
}

/** openaiResponsesTools are the tools of the moment, for `tools` of Responses. */
export function openaiResponsesTools(
  source: ToolSource,
  options?: OpenAIToolsOptions,
): OpenAIResponsesTool[] {
  return functions(source, options).map((definition) => ({ type: "function", ...definition, strict: false }));
}

function functions(source: ToolSource, options: OpenAIToolsOptions = {}): OpenAITool["function"][] {
  const { descriptionLimit = LONGEST } = options;
  return source.tools.map((tool) => {
    const text = description(tool, descriptionLimit);
    return {
      name: tool.name,
      ...(text !== undefined && { description: text }),
      parameters: inputSchema(tool.definition.inputSchema, "openai").schema,
    };
  });
}

/**
 * OpenAIToolCall is one of `message.tool_calls`. The SDK's type has custom tools too: those are none of a
 * sidecar's.
 */
export interface OpenAIToolCall {
  id: string;
  type?: string;
  function?: { name: string; arguments: string };
}

/** OpenAIToolMessage is the SDK's ChatCompletionToolMessageParam. */
export interface OpenAIToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** OpenAIImagesMessage is a ChatCompletionUserMessageParam that shows what tool messages cannot. */
export interface OpenAIImagesMessage {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
}

/**
 * runOpenAIToolCall runs one call and returns the message that answers it. A mistake of the model's is
 * answered, not thrown. Tool messages are text: an image is only mentioned (see runOpenAIToolCalls).
 */
export async function runOpenAIToolCall(
  source: ToolSource,
  toolCall: OpenAIToolCall,
  options?: CallOptions,
): Promise<OpenAIToolMessage> {
  const { result } = await run(source, toolCall.function, options);
  return toolMessage(toolCall, inWords(partsInWords(result)));
}

/**
 * runOpenAIToolCalls runs all calls of one message of the model at the same time, and returns the messages
 * that answer them, in their order. If one throws, the others are abandoned. If there are images in the
 * results, a last message shows them, as the user's: that is the only way to show one to the model in Chat
 * Completions.
 */
export async function runOpenAIToolCalls(
  source: ToolSource,
  toolCalls: readonly OpenAIToolCall[] | null | undefined,
  options?: CallOptions,
): Promise<(OpenAIToolMessage | OpenAIImagesMessage)[]> {
  const calls = toolCalls ?? [];
  const answers = await together(calls, options, (toolCall, own) => run(source, toolCall.function, own));
  const images: ImagePart[] = [];
  const show = (part: Exclude<Part, { type: "text" }>): string => {
    if (part.type !== "image") return note(part);
    return `[image ${images.push(part)}, see below]`;
  };
  const messages = answers.map(({ result }, index) =>
    toolMessage(calls[index] as OpenAIToolCall, inWords(partsInWords(result), show)),
  );
  return images.length === 0 ? messages : [...messages, imagesMessage(images)];
}

/** OpenAIFunctionCall is an item of type "function_call" in `response.output`. */
export interface OpenAIFunctionCall {
  call_id: string;
  name: string;
  arguments: string;
}

/** OpenAIFunctionCallOutput is the SDK's ResponseInputItem.FunctionCallOutput. */
export interface OpenAIFunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output: string | OpenAIOutputItem[];
}

export type OpenAIOutputItem =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename: string; file_data: string };

/** runOpenAIResponsesToolCall is runOpenAIToolCall for Responses, where images and PDFs are shown as such. */
export async function runOpenAIResponsesToolCall(
  source: ToolSource,
  toolCall: OpenAIFunctionCall,
  options?: CallOptions,
): Promise<OpenAIFunctionCallOutput> {
  const shown = partsInWords((await run(source, toolCall, options)).result);
  const plain = shown.every((part) => part.type === "text");
  return {
    type: "function_call_output",
    call_id: toolCall.call_id,
    output: plain ? inWords(shown) : shown.map(outputItem),
  };
}

async function run(
  source: ToolSource,
  called: { name: string; arguments: string } | undefined,
  options: CallOptions | undefined,
): Promise<Answer> {
  if (called === undefined) return failure("Only tools of type function can be called here.");
  return answer(source, called.name, called.arguments, options);
}

function toolMessage(toolCall: OpenAIToolCall, content: string): OpenAIToolMessage {
  return { role: "tool", tool_call_id: toolCall.id, content };
}

function imagesMessage(images: readonly ImagePart[]): OpenAIImagesMessage {
  const numbered = images.flatMap((image, index) => [
    { type: "text" as const, text: `Image ${index + 1} of the tools' results:` },
    { type: "image_url" as const, image_url: { url: dataUrl(image.mimeType, image.data) } },
  ]);
  return { role: "user", content: numbered };
}

function outputItem(part: Part): OpenAIOutputItem {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image":
      return { type: "input_image", image_url: dataUrl(part.mimeType, part.data), detail: "auto" };
    case "pdf":
      return {
        type: "input_file",
        filename: part.name,
        file_data: dataUrl("application/pdf", part.data),
      };
  }
}

function dataUrl(mimeType: string, data: string): string {
  return `data:${mimeType};base64,${data}`;
}
