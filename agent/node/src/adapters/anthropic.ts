/**
 * The tools of a sidecar for Anthropic's Messages. Ask for the tools again in each request, and they are
 * those of the moment:
 *
 * ```ts
 * const tools = anthropicTools(sidecar);
 * const { content } = await anthropic.messages.create({ model, max_tokens, messages, tools });
 * const uses = content.filter((block) => block.type === "tool_use");
 * const results = await Promise.all(uses.map((use) => runAnthropicToolUse(sidecar, use)));
 * messages.push({ role: "assistant", content }, { role: "user", content: results });
 * ```
 */

import type { ToolSource } from "../client.js";
import type { CallOptions } from "../options.js";
import { answer } from "./answer.js";
import { fitting, type ImageType, inWords, type Part, parts } from "./content.js";
import { description } from "./definition.js";
import { inputSchema, type ObjectSchema } from "./input-schema.js";
import { ownNames } from "./property-names.js";
import { isObject } from "./schema-tree.js";

/** AnthropicTool is the SDK's Tool. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ObjectSchema;
}

/** AnthropicToolUse is the SDK's ToolUseBlock. */
export interface AnthropicToolUse {
  id: string;
  name: string;
  input: unknown;
}

/** AnthropicToolResult is the SDK's ToolResultBlockParam. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string | AnthropicResultBlock[];
  is_error?: true;
}

export type AnthropicResultBlock =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }
  | {
      type: "document";
      source: { type: "base64"; media_type: "application/pdf"; data: string };
      title: string;
    };

/** anthropicTools are the tools of the moment, for `tools` of messages.create. */
export function anthropicTools(source: ToolSource): AnthropicTool[] {
  return source.tools.map((tool) => {
    const text = description(tool, Number.POSITIVE_INFINITY);
    return {
      name: tool.name,
      ...(text !== undefined && { description: text }),
      input_schema: inputSchema(tool.definition.inputSchema, "anthropic").schema,
    };
  });
}

/**
 * runAnthropicToolUse runs one call and returns the block that answers it, for the content of the user's next
 * message. A mistake of the model's is answered, not thrown.
 */
export async function runAnthropicToolUse(
  source: ToolSource,
  toolUse: AnthropicToolUse,
  options?: CallOptions,
): Promise<AnthropicToolResult> {
  const { result } = await answer(source, toolUse.name, named(source, toolUse), options);
  const shown = parts(result);
  const block = { type: "tool_result" as const, tool_use_id: toolUse.id };
  // "all content must be type `text` if `is_error` is true"
  if (result.isError === true) return { ...block, content: inWords(shown), is_error: true };
  return { ...block, content: shown.map((part) => resultBlock(fitting(part))) };
}

/** named is the input with the server's own names of arguments, where the model was shown others. */
function named(source: ToolSource, { name, input }: AnthropicToolUse): unknown {
  const tool = source.tools.find((one) => one.name === name);
  if (tool === undefined || !isObject(input)) return input;
  return ownNames(input, inputSchema(tool.definition.inputSchema, "anthropic").renamed);
}

function resultBlock(part: Part): AnthropicResultBlock {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } };
    case "pdf":
      return {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: part.data },
        title: part.name,
      };
  }
}
