/**
 * What OpenAI refuses, as far as it is known: each rule has the words in which it says so.
 */
import { flaw, inner } from "./draft-2020.js";
import { checkPdf, checkTexts, decoded, isObject, type Json, refuse } from "./refusal.js";

/** checkFunctions checks the definitions of functions, of either API. */
export function checkFunctions(functions: readonly Json[]): void {
  if (functions.length > 128)
    refuse("Invalid 'tools': array too long. Expected an array with maximum length 128");
  for (const { name, description, parameters } of functions) {
    if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      refuse(`Invalid 'tools.function.name': ${name}`);
    if (typeof description === "string" && [...description].length > 1024) {
      refuse(
        "Invalid 'tools.function.description': string too long. Expected a string with maximum length 1024",
      );
    }
    checkParameters(name, parameters);
  }
}

/** invalid: the schema of the function of that name. */
function invalid(name: string, why: string): never {
  refuse(`Invalid schema for function '${name}': ${why}`);
}

function checkParameters(name: string, parameters: unknown): void {
  if (!isObject(parameters) || parameters.type !== "object") {
    invalid(
      name,
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${(parameters as Json)?.type}"'.`,
    );
  }
  for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not"]) {
    if (keyword in parameters) {
      invalid(
        name,
        "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
      );
    }
  }
  if (!isObject(parameters.properties)) invalid(name, "In context=(), object schema missing properties.");
  const wrong = flaw(parameters);
  if (wrong !== undefined) invalid(name, wrong);
  for (const [context, schema] of inner(parameters)) {
    if (!isObject(schema)) continue;
    if ([schema.type].flat().includes("array") && schema.items === undefined) {
      invalid(name, `In context=(${context.join(", ")}), array schema missing items.`);
    }
    if (typeof schema.pattern === "string") checkPattern(schema.pattern, name);
    for (const pattern of Object.keys(schema.patternProperties ?? {})) checkPattern(pattern, name);
  }
}

/** checkPattern: Python's re, and neither lookaround nor references back in newer models. */
function checkPattern(pattern: string, name: string): void {
  const bare = pattern.replace(/\\[^A-Za-z0-9]/g, ""); // signs that mean themselves
  if (/\\[pPck]|\\u\{|\(\?<\w|\[\\w-\.|\[\^?\]|^\($/.test(bare))
    invalid(name, `'${pattern}' is not a 'regex'.`);
  if (/\(\?<?[=!]/.test(bare)) refuse("Invalid JSON schema: regex lookaround is not supported.");
  if (/\\[1-9]/.test(bare)) refuse("Invalid JSON schema: regex backreferences are not supported.");
}

/** checkChat checks a request to Chat Completions. */
export function checkChat({ messages, tools }: { messages: Json[]; tools?: Json[] }): void {
  checkTexts([messages, tools]);
  if (tools?.length === 0)
    refuse("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array");
  checkFunctions((tools ?? []).map((tool) => tool.function as Json));
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.includes(String(message.tool_call_id))) {
        refuse("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.");
      }
      open = open.filter((id) => id !== message.tool_call_id);
      const content = [message.content].flat() as unknown[];
      if (!content.every((part) => typeof part === "string" || (isObject(part) && part.type === "text"))) {
        refuse(`Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user'`);
      }
      continue;
    }
    if (open.length > 0)
      refuse(`The following tool_call_ids did not have response messages: ${open.join(", ")}`);
    open = ((message.tool_calls ?? []) as Json[]).map(({ id }) => String(id));
  }
  if (open.length > 0)
    refuse(`The following tool_call_ids did not have response messages: ${open.join(", ")}`);
}

/** checkResponses checks a request to Responses. */
export function checkResponses({ input, tools }: { input: Json[]; tools?: Json[] }): void {
  checkTexts([input, tools]);
  for (const { strict, name } of tools ?? []) {
    if (strict !== false) refuse(`Invalid schema for function '${name}': 'additionalProperties' is required`);
  }
  checkFunctions(tools ?? []);
  const outputs = new Set<unknown>();
  for (const item of input) {
    if (item.type !== "function_call_output") continue;
    outputs.add(item.call_id);
    const parts = typeof item.output === "string" ? [] : (item.output as Json[]);
    for (const part of parts) {
      if (!["input_text", "input_image", "input_file"].includes(String(part.type))) {
        refuse(`Invalid value: '${part.type}'`);
      }
      const [, data] = String(part.image_url ?? part.file_data ?? "").split(",");
      if (part.type === "input_file") checkPdf(data, "input_file");
      else if (part.type === "input_image") decoded(data, "input_image");
    }
  }
  for (const item of input) {
    if (item.type === "function_call" && !outputs.has(item.call_id)) {
      refuse(`No tool output found for function call ${item.call_id}.`);
    }
  }
}
