/**
 * A JSON Schema as a tree: which keywords have schemas in them, how to change every one of those, how to
 * follow a reference. Nothing here knows what is wrong with a schema, or whom it is for.
 */
import type { JsonSchema } from "../mcp.js";

/** Keywords whose value is a schema. */
const ONE = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose value is a list of schemas. */
const LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Keywords whose value has a schema for each of its names. */
const MAP = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** isObject: an object of JSON, neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * mapSchema gives every schema in the tree to change, the inner ones first, and returns the tree made of what
 * that returned. What does not change is the same object as before. A keyword that should have a schema, or
 * several, and has none is left out; among several, one that is none allows everything.
 */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: unknown): unknown => {
    if (typeof value === "boolean") return value;
    return isObject(value) ? mapSchema(value, change) : {};
  };
  const entries = Object.entries(schema).map(
    ([keyword, value]) => [keyword, below(keyword, value, inner)] as const,
  );
  const same = entries.every(([keyword, value]) => value === schema[keyword]);
  return change(same ? schema : Object.fromEntries(entries.filter(([, value]) => value !== undefined)));
}

/**
 * below is the value of one keyword after inner has seen the schemas in it; undefined for one that has no
 * sense.
 */
function below(keyword: string, value: unknown, inner: (schema: unknown) => unknown): unknown {
  if (keyword === "items" && Array.isArray(value)) return list(value, inner); // before draft 2020-12
  if (ONE.has(keyword)) return isSchema(value) ? inner(value) : undefined;
  if (LIST.has(keyword)) return Array.isArray(value) && value.length > 0 ? list(value, inner) : undefined;
  if (!MAP.has(keyword)) return value;
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).map(([name, schema]) => [name, inner(schema)] as const);
  return entries.every(([name, schema]) => schema === value[name]) ? value : Object.fromEntries(entries);
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isObject(value);
}

function list(schemas: readonly unknown[], inner: (schema: unknown) => unknown): readonly unknown[] {
  const result = schemas.map(inner);
  return result.every((schema, index) => schema === schemas[index]) ? schemas : result;
}

/** pointer is where a reference within its own document points to (RFC 6901), by names; or undefined. */
export function pointer(reference: unknown): string[] | undefined {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  const [, ...names] = decoded(reference).split("/");
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** isPlace: does a reference lead to a schema in root? */
export function isPlace(reference: unknown, root: JsonSchema): boolean {
  return isSchema(found(reference, root));
}

/** follow is the object that a reference leads to in root, or undefined. */
export function follow(reference: unknown, root: JsonSchema): JsonSchema | undefined {
  const target = found(reference, root);
  return isObject(target) ? target : undefined;
}

function found(reference: unknown, root: JsonSchema): unknown {
  return pointer(reference)?.reduce<unknown>((at, name) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as Record<string, unknown>)[name];
  }, root);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
