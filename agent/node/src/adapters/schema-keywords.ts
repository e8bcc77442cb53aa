/**
 * The keywords of one schema, as draft 2020-12 and the providers want them. Servers write them in the way of
 * older drafts and of OpenAPI, and make mistakes; a provider then refuses the whole request, with all tools
 * in it.
 *
 * What OpenAI says: "array schema missing items", "[…] is not of type 'object', 'boolean'" (items as a
 * list), "'…' is not a 'regex'" (it compiles patterns with Python's re), "regex lookaround is not supported"
 * (newer models). What Anthropic says: "JSON schema is invalid. It must match JSON Schema draft 2020-12"; it
 * is not known to mind patterns.
 */
import type { JsonSchema } from "../mcp.js";
import { isObject } from "./schema-tree.js";

/** Strictness is what a provider wants beyond draft 2020-12. */
export interface Strictness {
  /** every array says what is in it. */
  readonly itemsRequired: boolean;
  /** only patterns that JavaScript, Python and engines without lookaround understand, all in the same way. */
  readonly plainPatterns: boolean;
}

const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

const isString = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;

/** VALID says of the keywords that are not schemas whether a value has sense. */
const VALID: Readonly<Record<string, (value: unknown) => boolean>> = {
  $anchor: isString,
  $comment: isString,
  $id: isString,
  $ref: isString,
  $schema: isString,
  contentEncoding: isString,
  contentMediaType: isString,
  deprecated: isBoolean,
  description: isString,
  enum: (value) => Array.isArray(value) && value.length > 0,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  examples: Array.isArray,
  format: isString,
  maxContains: isCount,
  maxItems: isCount,
  maxLength: isCount,
  maxProperties: isCount,
  maximum: isNumber,
  minContains: isCount,
  minItems: isCount,
  minLength: isCount,
  minProperties: isCount,
  minimum: isNumber,
  multipleOf: (value) => typeof value === "number" && value > 0,
  pattern: isString,
  readOnly: isBoolean,
  title: isString,
  uniqueItems: isBoolean,
  writeOnly: isBoolean,
};

/** repaired is the schema with keywords that will do: the same object if they all did already. */
export function repaired(schema: JsonSchema, strictness: Strictness): JsonSchema {
  let result = exclusiveLimits(schema);
  result = withTypes(result);
  result = withRequired(result);
  result = withItems(result, strictness);
  result = withPatterns(result, strictness);
  const wrong = Object.keys(result).filter((keyword) => {
    const valid = Object.hasOwn(VALID, keyword) ? VALID[keyword] : undefined;
    return valid !== undefined && !valid(result[keyword]);
  });
  return wrong.length === 0 ? result : without(result, ...wrong);
}

/** without is a copy that lacks these keywords. */
export function without(schema: JsonSchema, ...keywords: string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** exclusiveLimits: until draft 4, and in OpenAPI 3.0, exclusiveMinimum is a flag beside minimum. */
function exclusiveLimits(schema: JsonSchema): JsonSchema {
  let result = schema;
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof result[flag] !== "boolean") continue;
    const exclusive = result[flag] && isNumber(result[limit]);
    result = exclusive ? { ...result, [flag]: result[limit] } : without(result, flag);
  }
  return result;
}

/** withTypes leaves out types of which one is none, such as "any" or "int": the others alone allow less. */
function withTypes(schema: JsonSchema): JsonSchema {
  if (!Object.hasOwn(schema, "type")) return schema;
  const given = [schema.type].flat();
  const types = [...new Set(given)];
  if (types.length === 0 || !types.every((type) => TYPES.has(type as string))) return without(schema, "type");
  return types.length === given.length ? schema : { ...schema, type: types };
}

/** withRequired: until draft 3, and in OpenAPI 2.0, a property says itself that it is required. */
function withRequired(schema: JsonSchema): JsonSchema {
  if (!Object.hasOwn(schema, "required")) return schema;
  if (!Array.isArray(schema.required)) return without(schema, "required");
  const names = [...new Set(schema.required.filter(isString))];
  return names.length === schema.required.length ? schema : { ...schema, required: names };
}

/**
 * withItems: until draft 2019-09, a tuple is a list in items, and additionalItems is for what comes after it.
 */
function withItems(schema: JsonSchema, { itemsRequired }: Strictness): JsonSchema {
  const { items, additionalItems = {} } = schema;
  if (Array.isArray(items)) {
    const rest = without(schema, "items", "additionalItems");
    return { ...rest, ...(items.length > 0 && { prefixItems: items }), items: additionalItems };
  }
  const isArray = [schema.type].flat().includes("array");
  return itemsRequired && isArray && items === undefined ? { ...schema, items: {} } : schema;
}

/**
 * withPatterns moves a pattern that the provider does not compile into the description, where the model reads
 * it.
 */
function withPatterns(schema: JsonSchema, { plainPatterns }: Strictness): JsonSchema {
  if (!plainPatterns) return schema;
  const { pattern, patternProperties } = schema;
  let result = schema;
  if (typeof pattern === "string" && !isPlain(pattern)) {
    result = described(without(result, "pattern"), `Pattern: ${pattern}`);
  }
  if (!isObject(patternProperties)) return result;
  const kept = Object.entries(patternProperties).filter(([key]) => isPlain(key));
  if (kept.length === Object.keys(patternProperties).length) return result;
  return { ...result, patternProperties: Object.fromEntries(kept) };
}

/** described is the schema with more in its description. */
export function described(schema: JsonSchema, text: string): JsonSchema {
  const { description } = schema;
  return {
    ...schema,
    description: isString(description) && description !== "" ? `${description} ${text}` : text,
  };
}

/** PUNCTUATION with a backslash means itself, in and out of brackets; `u` knows that of some of it only. */
const PUNCTUATION = /\\[!-/:-@[-`{-~]/g;

/**
 * ODD is what engines differ in: escapes beyond the common ones (\p, \c, \k, \A, \1, \u{…}), groups that are
 * not plain, brackets that are empty or in one another.
 */
const ODD = /\\(?![bBdDfnrsStvwW]|x[\da-fA-F]{2}|u[\da-fA-F]{4})|\(\?(?!:)|\[\^?\]|\[[^\]]*\[/;

function isPlain(pattern: string): boolean {
  const spelled = pattern.replace(PUNCTUATION, ([, sign = ""]) => `\\x${sign.charCodeAt(0).toString(16)}`);
  if (ODD.test(spelled)) return false;
  try {
    new RegExp(spelled, "u");
    return true;
  } catch {
    return false;
  }
}
