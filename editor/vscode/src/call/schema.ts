/**
 * What a JSON Schema says about one value, as far as a form needs it. Whatever a server writes is survived:
 * references that lead in circles or nowhere are as if they said nothing. Pure.
 */

export type Schema = Readonly<Record<string, unknown>>;

/** TypeName is one of JSON Schema's. */
export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

const TYPE_NAMES: readonly string[] = ["string", "number", "integer", "boolean", "object", "array", "null"];

const NOTHING: Schema = {};

/** How many references are followed one after the other, and how deep combinations are looked into. */
const DEPTH = 16;

export function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Resolver reads the parts of one schema, whose references are into itself. */
export class Resolver {
  readonly #root: unknown;
  /** #known are those that were resolved. One that is being resolved says nothing to itself. */
  readonly #known = new Map<Schema, Schema>();

  constructor(root: unknown) {
    this.#root = root;
  }

  /** resolve is the schema with what it refers to in it. One that is no object (absent, null, true) says nothing. */
  resolve(schema: unknown, depth = 0): Schema {
    if (!isObject(schema) || depth > DEPTH) return NOTHING;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    this.#known.set(schema, NOTHING);
    const resolved = this.#resolved(schema, depth);
    this.#known.set(schema, resolved);
    return resolved;
  }

  #resolved({ $ref, allOf, ...own }: Schema, depth: number): Schema {
    let merged: Schema = own;
    if (typeof $ref === "string") merged = merge(own, this.resolve(this.#target($ref), depth + 1));
    for (const part of listOf(allOf)) merged = merge(merged, this.resolve(part, depth + 1));
    return this.#withoutNull(merged, depth);
  }

  /** alternatives are those of anyOf or oneOf, resolved. */
  alternatives(schema: Schema, depth = 0): Schema[] {
    const listed = listOf(schema.anyOf ?? schema.oneOf);
    return listed.map((part) => this.resolve(part, depth + 1));
  }

  /** types are those that a value may have; none: any. */
  types(schema: Schema, within: readonly Schema[] = []): ReadonlySet<TypeName> {
    const named = [schema.type].flat().filter(isTypeName);
    if (named.length > 0 || within.includes(schema)) return new Set(named);
    const alternatives = this.alternatives(schema).map((part) => this.types(part, [...within, schema]));
    if (alternatives.length === 0 || alternatives.some((types) => types.size === 0)) {
      if (isObject(schema.properties)) return new Set(["object"]);
      return new Set(schema.items === undefined ? [] : ["array"]);
    }
    return new Set(alternatives.flatMap((types) => [...types]));
  }

  /** withoutNull takes "or null" out of alternatives, and what is left of them in, if it is one. */
  #withoutNull(schema: Schema, depth: number): Schema {
    const alternatives = this.alternatives(schema, depth);
    if (alternatives.length === 0) return schema;
    const rest = alternatives.filter(({ type }) => type !== "null");
    const [only] = rest;
    if (only === undefined || rest.length > 1) return schema;
    const { anyOf: _any, oneOf: _one, ...own } = schema;
    const merged = merge(own, only);
    return rest.length < alternatives.length ? { ...merged, nullable: true } : merged;
  }

  #target(ref: string): unknown {
    if (ref === "#") return this.#root;
    if (!ref.startsWith("#/")) return undefined;
    let at = this.#root;
    for (const part of ref.slice(2).split("/")) {
      const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
      const list = Array.isArray(at);
      if (!(isObject(at) || list) || !Object.hasOwn(at as object, name)) return undefined;
      at = (at as Record<string, unknown>)[name];
    }
    return at;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isTypeName(name: unknown): name is TypeName {
  return TYPE_NAMES.includes(name as string);
}

/** merge is what both say; where they differ, the first is heard. */
function merge(one: Schema, other: Schema): Schema {
  return {
    ...other,
    ...one,
    ...(isObject(one.properties) &&
      isObject(other.properties) && { properties: { ...other.properties, ...one.properties } }),
    ...(Array.isArray(one.required) &&
      Array.isArray(other.required) && { required: [...one.required, ...other.required] }),
  };
}
