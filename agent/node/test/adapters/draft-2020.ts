/**
 * Draft 2020-12 of JSON Schema, as far as it matters here, and that references lead somewhere.
 */
import { isObject, type Json } from "./refusal.js";

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

const SCHEMA = new Set([
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
]);
const SCHEMAS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const NAMED = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);
const STRING = new Set(["$comment", "$id", "$schema", "description", "format", "pattern", "title"]);
const BOOLEAN = new Set(["deprecated", "readOnly", "uniqueItems", "writeOnly"]);
const NUMBER = new Set(["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"]);
const COUNT = /^(min|max)(Contains|Items|Length|Properties)$/;

/** inner gives every schema in a schema, itself included, with where it is. */
export function* inner(schema: unknown, at: readonly string[] = []): Generator<[readonly string[], unknown]> {
  yield [at, schema];
  for (const [keyword, value] of isObject(schema) ? Object.entries(schema) : []) {
    if (SCHEMA.has(keyword)) yield* inner(value, [...at, keyword]);
    const several = SCHEMAS.has(keyword) ? value : NAMED.has(keyword) && isObject(value) ? value : [];
    for (const [name, one] of Object.entries(several as object)) yield* inner(one, [...at, keyword, name]);
  }
}

/** flaw is the first thing that is wrong with a schema. */
export function flaw(root: unknown): string | undefined {
  for (const [at, schema] of inner(root)) {
    const where = `In context=(${at.join(", ")}), `;
    if (typeof schema === "boolean") continue;
    if (!isObject(schema)) return `${where}${JSON.stringify(schema)} is not of type 'object', 'boolean'.`;
    for (const [keyword, value] of Object.entries(schema)) {
      if (!fits(keyword, value, root)) return `${where}${keyword}: ${JSON.stringify(value)} is not valid.`;
    }
  }
  return undefined;
}

function fits(keyword: string, value: unknown, root: unknown): boolean {
  if (SCHEMAS.has(keyword)) return Array.isArray(value) && value.length > 0;
  if (NAMED.has(keyword)) return isObject(value);
  if (STRING.has(keyword)) return typeof value === "string";
  if (BOOLEAN.has(keyword)) return typeof value === "boolean";
  if (NUMBER.has(keyword)) return typeof value === "number";
  if (COUNT.test(keyword)) return Number.isInteger(value) && Number(value) >= 0;
  switch (keyword) {
    case "type":
      return typeof value === "string" ? TYPES.includes(value) : isSet(value, TYPES) && value.length > 0;
    case "required":
      return isSet(value);
    case "enum":
      return Array.isArray(value) && value.length > 0;
    case "examples":
      return Array.isArray(value);
    case "multipleOf":
      return typeof value === "number" && value > 0;
    case "$ref":
      return leads(value, root);
    default:
      return true;
  }
}

/** isSet: different strings, each of them allowed. */
function isSet(value: unknown, allowed?: readonly string[]): value is string[] {
  if (!Array.isArray(value) || new Set(value).size !== value.length) return false;
  return value.every((one) => typeof one === "string" && allowed?.includes(one) !== false);
}

function leads(reference: unknown, root: unknown): boolean {
  if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) return false;
  let at = root;
  for (const part of decodeURIComponent(reference).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Json)[name];
  }
  return typeof at === "boolean" || isObject(at);
}
