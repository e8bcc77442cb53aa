/**
 * The schema of a tool's arguments as a provider takes it. A schema that will do is passed on as it is, the
 * same object; another is changed as little as possible. It is changed for the model's eyes only: the server
 * gets what the model says, and judges it by its own schema.
 *
 * Both OpenAI ("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
 * level", "object schema missing properties") and Anthropic ("input_schema does not support oneOf, allOf, or
 * anyOf at the top level") want one plain object at the top; schema-keywords.ts and property-names.ts have
 * their other wishes.
 */
import type { JsonSchema } from "../mcp.js";
import { plainNames, type Renamed } from "./property-names.js";
import { described, repaired, type Strictness, without } from "./schema-keywords.js";
import { follow, isObject, isPlace, mapSchema } from "./schema-tree.js";
import { bounded } from "./well-formed.js";

/** A Provider is who judges schemas: "any" is for frameworks, which may hand them to every one. */
export type Provider = "openai" | "anthropic" | "any";

/** ObjectSchema describes an object. */
export interface ObjectSchema extends JsonSchema {
  type: "object";
  properties: Record<string, unknown>;
}

export interface InputSchema {
  readonly schema: ObjectSchema;
  /** renamed are the arguments whose names the model sees are not the server's. */
  readonly renamed: Renamed;
}

const STRICTNESS: Readonly<Record<Provider, Strictness & { plainNames: boolean }>> = {
  openai: { itemsRequired: true, plainPatterns: true, plainNames: false },
  anthropic: { itemsRequired: false, plainPatterns: false, plainNames: true },
  any: { itemsRequired: true, plainPatterns: true, plainNames: true },
};

/** DEEPEST is how many objects and lists may be in one another. */
const DEEPEST = 128;

/** REFERENCES is how many of them are followed at the top, in all: some go round in circles. */
const REFERENCES = 32;

/** inputSchema is what to show of the schema that a tool's definition has, which may be anything. */
export function inputSchema(own: unknown, provider: Provider): InputSchema {
  const strictness = STRICTNESS[provider];
  const given = isObject(own) ? own : {};
  const finite = bounded(given, DEEPEST) as JsonSchema;
  const root = plainObject(mapSchema(finite, (schema) => repaired(schema, strictness)));
  // References come last: what they lead to may have gone, or moved.
  const whole = mapSchema(root, (schema) => withoutLooseReference(schema, root));
  // A schema that was changed is of no older draft any more.
  const named = whole === given || whole.$schema === undefined ? whole : without(whole, "$schema");
  const { schema, renamed } = strictness.plainNames
    ? plainNames(named)
    : { schema: named, renamed: new Map() };
  return { schema: schema as ObjectSchema, renamed };
}

function withoutLooseReference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  return schema.$ref === undefined || isPlace(schema.$ref, root) ? schema : without(schema, "$ref");
}

/** plainObject is root as one object with properties, and nothing that chooses between several. */
function plainObject(root: JsonSchema): JsonSchema {
  const flat = flattened(root, root, { references: REFERENCES });
  if (flat.type === "object" && isObject(flat.properties)) return flat;
  return { ...flat, type: "object", properties: properties(flat) };
}

/**
 * flattened follows the reference at the top of schema, and merges what it is composed of. left is used up.
 */
function flattened(schema: JsonSchema, root: JsonSchema, left: { references: number }): JsonSchema {
  const target = follow(schema.$ref, root);
  if (target !== undefined && left.references-- > 0) {
    return flattened({ ...target, ...without(schema, "$ref") }, root, left);
  }
  const composed = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum"];
  if (!composed.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  let result = without(schema, ...composed);
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    const branches = list.filter(isObject).map((branch) => flattened(branch, root, left));
    const objects = branches.filter(mayBeObject);
    if (objects.length > 0)
      result = keyword === "allOf" ? withAll(result, objects) : withAny(result, objects);
  }
  return result;
}

function mayBeObject({ type = "object" }: JsonSchema): boolean {
  return [type].flat().includes("object");
}

/** withAll requires what any of parts requires. */
function withAll(schema: JsonSchema, parts: readonly JsonSchema[]): JsonSchema {
  const said = parts.map(({ description }) => description).filter((text) => typeof text === "string");
  const whole = said.reduce(described, schema);
  return { ...whole, ...merged(schema, parts, "allOf"), ...required(schema, parts.flatMap(names)) };
}

/** withAny requires what all of parts require, and says in words what the choice was. */
function withAny(schema: JsonSchema, parts: readonly JsonSchema[]): JsonSchema {
  const sets = parts.map(names);
  const common = sets.reduce((shared, set) => shared.filter((name) => set.includes(name)));
  const choices = [...new Set(sets.map((set) => set.filter((name) => !common.includes(name)).join(", ")))];
  const isChoice = choices.length > 1 && !choices.includes("");
  const whole = isChoice ? described(schema, `Give one of these: ${choices.join("; or ")}.`) : schema;
  return { ...whole, ...merged(schema, parts, "anyOf"), ...required(schema, common) };
}

/**
 * merged has the properties of all. Those of schema itself win; another that several describe differently is
 * composed by keyword.
 */
function merged(
  schema: JsonSchema,
  parts: readonly JsonSchema[],
  keyword: "allOf" | "anyOf",
): { properties: Record<string, unknown> } {
  const own = properties(schema);
  const found = new Map<string, Map<string, unknown>>(); // by name, by their JSON
  for (const [name, property] of parts.flatMap((part) => Object.entries(properties(part)))) {
    if (Object.hasOwn(own, name)) continue;
    found.set(name, (found.get(name) ?? new Map()).set(JSON.stringify(property), property));
  }
  const added = [...found].map(([name, distinct]) => {
    const several = [...distinct.values()];
    return [name, several.length === 1 ? several[0] : { [keyword]: several }] as const;
  });
  return { properties: Object.fromEntries([...Object.entries(own), ...added]) };
}

function properties(schema: JsonSchema): Record<string, unknown> {
  return isObject(schema.properties) ? schema.properties : {};
}

function names({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function required(schema: JsonSchema, more: readonly string[]): { required?: string[] } {
  const all = [...new Set([...names(schema), ...more])];
  return all.length > 0 ? { required: all } : {};
}
