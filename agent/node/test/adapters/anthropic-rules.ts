/**
 * What Anthropic refuses, as far as it is known: each rule has the words in which it says so.
 */
import { flaw } from "./draft-2020.js";
import { checkPdf, checkTexts, decoded, isObject, type Json, refuse } from "./refusal.js";

/** checkTools checks the definitions of tools. */
export function checkTools(tools: readonly Json[]): void {
  for (const [index, { name, input_schema: schema }] of tools.entries()) {
    const at = `tools.${index}.custom`;
    if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) refuse(`${at}.name: ${name}`);
    if (!isObject(schema) || schema.type !== "object")
      refuse(`${at}.input_schema.type: Input should be 'object'`);
    if ("oneOf" in schema || "allOf" in schema || "anyOf" in schema) {
      refuse(`${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`);
    }
    for (const key of Object.keys((schema.properties as Json | null) ?? {})) {
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) {
        refuse(`${at}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`);
      }
    }
    if (flaw(schema) !== undefined) {
      refuse(`${at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`);
    }
  }
}

/** checkMessages checks a request to Messages. */
export function checkMessages({ messages, tools }: { messages: Json[]; tools?: Json[] }): void {
  checkTexts([messages, tools]);
  checkTools(tools ?? []);
  let open: string[] = [];
  for (const [index, { content }] of messages.entries()) {
    const blocks = Array.isArray(content) ? (content as Json[]) : [];
    for (const [at, block] of blocks.entries()) {
      if (block.type === "text") checkText(block);
      if (block.type !== "tool_result") continue;
      if (!open.includes(String(block.tool_use_id)))
        refuse("unexpected `tool_use_id` found in `tool_result` blocks");
      open = open.filter((id) => id !== block.tool_use_id);
      checkResult(block, `messages.${index}.content.${at}.tool_result`);
    }
    if (open.length > 0)
      refuse(`\`tool_use\` ids were found without \`tool_result\` blocks: ${open.join(", ")}`);
    open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
  }
}

function checkText({ text }: Json): void {
  if (typeof text !== "string" || text.trim() === "")
    refuse("messages: text content blocks must be non-empty");
}

function checkResult({ content, is_error }: Json, at: string): void {
  for (const block of Array.isArray(content) ? (content as Json[]) : []) {
    if (is_error === true && block.type !== "text") {
      refuse(`${at}: all content must be type \`text\` if \`is_error\` is true`);
    }
    if (block.type === "text") checkText(block);
    if (block.type === "image") checkImage(block.source as Json, at);
    if (block.type === "document") checkPdf((block.source as Json).data, at);
    if (!["text", "image", "document"].includes(String(block.type)))
      refuse(`${at}: Input tag '${block.type}'`);
  }
}

function checkImage({ media_type: type, data }: Json, at: string): void {
  const bytes = decoded(data, at);
  if (String(data).length > 5 * 1024 * 1024) refuse(`${at}: image exceeds 5 MB maximum`);
  const beginnings: Record<string, RegExp> = {
    "image/jpeg": /^\xff\xd8\xff/,
    "image/png": /^\x89PNG\r\n/,
    "image/gif": /^GIF8/,
    "image/webp": /^RIFF.{4}WEBP/s,
  };
  const beginning = beginnings[String(type)];
  if (beginning === undefined)
    refuse(`${at}: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`);
  if (!beginning.test(bytes)) refuse(`${at}: Image does not match the provided media type ${type}`);
}
