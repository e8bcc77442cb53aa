/** What mcp_sidecar_call says: to the user who is to allow a call, and to the model. Pure. */
import type { CallOutcome, ContentBlock, Tool } from "mcp-sidecar";
import { sizeOf } from "../call/media.js";
import { cut, oneLine } from "../text/bounded.js";
import { codeBlock, codeSpan } from "../text/markdown.js";

/** CallInput is what a model gives. Nothing of it can be relied on. */
export interface CallInput {
  readonly tool?: unknown;
  readonly arguments?: unknown;
  readonly query?: unknown;
}

/** How much of the arguments the question shows. */
const ARGUMENTS = 2000;
/** How many tools a list has at most, and how much text. */
export const TOOLS = 20;
const LIST = 60_000;
/** A schema that is larger is left out, except where it is the only one. */
const SCHEMA = 8000;
/** How much text of a result the model gets. */
const RESULT = 400_000;

/** question asks the user whether a tool may be called. */
export function question(
  tool: Tool | undefined,
  name: string,
  args: string,
): { title: string; message: string } {
  const { server, label } = tool ?? { server: undefined, label: name };
  const own = tool?.definition.name ?? name;
  const destructive = tool?.definition.annotations?.destructiveHint === true;
  const of = server === undefined ? "" : ` of the MCP server ${codeSpan(server)}`;
  const lines = [`Call ${codeSpan(own)}${of}?`];
  if (destructive) lines.push("The server says that it may delete or overwrite something.");
  if (args !== "{}") lines.push(codeBlock(cut(args, ARGUMENTS), "json"));
  return { title: `Call ${oneLine(label, 100)}`, message: lines.join("\n\n") };
}

/** listing tells the model of tools. `more` is how many others there are. */
export function listing(tools: readonly Tool[], more: number, query: string): string {
  if (tools.length === 0) {
    return query === ""
      ? "There is no tool: no MCP server of the user's has one now."
      : `No tool fits ${JSON.stringify(cut(query, 100))}. Use other words, or leave out \`query\` to see all.`;
  }
  const parts: string[] = [];
  let room = LIST;
  for (const { name, server, definition } of tools) {
    const schema = JSON.stringify(definition.inputSchema ?? {});
    const fits = schema.length <= (tools.length === 1 ? LIST : SCHEMA);
    const part = JSON.stringify({
      name,
      server,
      description: cut(definition.description ?? definition.title ?? "", 1000),
      ...(fits
        ? { inputSchema: definition.inputSchema ?? {} }
        : { inputSchema: "too large to be shown here" }),
    });
    room -= part.length;
    if (room < 0 && parts.length > 0) break;
    parts.push(part);
  }
  const rest = more + tools.length - parts.length;
  if (rest > 0) parts.push(`There are ${rest} more: narrow it down with \`query\`.`);
  return parts.join("\n");
}

/** resultText is a result for the model. What is no text is named. */
export function resultText({ result, details }: CallOutcome): string {
  const { content, structuredContent, isError } = result;
  const blocks = Array.isArray(content) ? content : [];
  const parts = blocks.map(blockText).filter((text) => text !== "");
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  if (structured !== undefined && !parts.some((text) => sameJson(text, structured))) parts.push(structured);
  if (parts.length === 0)
    parts.push(isError === true ? "it says nothing about it" : "Done: there is no output.");
  const text = cut(parts.join("\n\n"), RESULT);
  return isError === true ? `${details.server}/${details.tool} failed: ${text}` : text;
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text ?? "";
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType ?? "of an unknown type"}, ${sizeOf(block.data)}]`;
    case "resource_link":
      return `[resource: ${block.uri ?? ""}${block.name === undefined ? "" : ` (${block.name})`}]`;
    case "resource": {
      const { uri, text, blob, mimeType } = block.resource ?? { uri: "" };
      return text ?? `[resource: ${uri}, ${mimeType ?? "of an unknown type"}, ${sizeOf(blob)}]`;
    }
    default:
      return JSON.stringify(block);
  }
}

/** Servers are to repeat structured content as text: the model need not read it twice. */
function sameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
