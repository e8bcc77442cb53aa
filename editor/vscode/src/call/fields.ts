/** Which questions a tool's inputSchema asks. Pure. */

import { oneLine } from "../text/bounded.js";
import { secretName } from "../text/secret_names.js";
import { isObject, listOf, Resolver, type Schema, type TypeName } from "./schema.js";

/** Choice is one of several values. */
export interface Choice {
  readonly label: string;
  readonly description?: string;
  readonly json: string;
}

/**
 * FieldKind is how a value is asked for.
 * - `text`, `number`, `integer`: it is typed
 * - `mixed`: it is typed; what reads as JSON of a type that fits is that
 * - `list`: several simple values are typed, with commas
 * - `choice`, `choices`: it is one, or several, of `choices`
 * - `json`: it is written in an editor
 */
export type FieldKind = "text" | "number" | "integer" | "mixed" | "list" | "choice" | "choices" | "json";

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly kind: FieldKind;
  /** type is the kind in words, with its bounds. */
  readonly type: string;
  readonly types: ReadonlySet<TypeName>;
  readonly nullable: boolean;
  /** secret: not shown while it is typed, and not remembered. */
  readonly secret: boolean;
  readonly description: string;
  readonly choices: readonly Choice[];
  /** item is what a `list` has. */
  readonly item?: Field;
  /** default is JSON. */
  readonly default?: string;
  readonly schema: Schema;
}

/** Form is what is asked for: `fields`, or where the schema says too little of them, a JSON text. */
export interface Form {
  readonly fields: readonly Field[];
  /** whole: nothing is known of the members. */
  readonly whole: boolean;
}

/** formOf never fails. Required fields come first, in the order in which the schema requires them. */
export function formOf(inputSchema: unknown): Form {
  const resolver = new Resolver(inputSchema);
  const schema = resolver.resolve(inputSchema);
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const possible = properties.filter(([, property]) => property !== false);
  if (possible.length === 0) return { fields: [], whole: !takesNothing(inputSchema, schema) };
  const required = listOf(schema.required);
  const rank = new Map(required.map((name, place) => [name, place]));
  const fields = possible.map(([name, property]) => fieldOf(name, property, rank.has(name), resolver));
  const place = ({ name }: Field) => rank.get(name) ?? required.length;
  return { fields: fields.sort((one, other) => place(one) - place(other)), whole: false };
}

/** A schema that says nothing of members is that of a tool without arguments, unless it hints at others. */
function takesNothing(given: unknown, schema: Schema): boolean {
  if (given === undefined || given === null) return false;
  if (!isObject(given)) return given === false;
  const { additionalProperties: more } = schema;
  const hints = [
    "patternProperties",
    "minProperties",
    "propertyNames",
    "anyOf",
    "oneOf",
    "if",
    "$dynamicRef",
  ];
  if (hints.some((keyword) => schema[keyword] !== undefined)) return false;
  return schema.type === "object" && (more === undefined || more === null || more === false);
}

function fieldOf(name: string, property: unknown, required: boolean, resolver: Resolver): Field {
  const schema = resolver.resolve(property);
  const types = new Set(resolver.types(schema));
  const nullable = schema.nullable === true || types.delete("null");
  const asked = kindOf(schema, types, resolver);
  const words = [schema.title, schema.description].filter((text) => typeof text === "string");
  return {
    name,
    required,
    types,
    nullable,
    secret: isSecret(name, schema, asked.kind),
    description: oneLine(words.at(-1) ?? "", 400),
    ...(schema.default !== undefined && (schema.default !== null || nullable)
      ? { default: JSON.stringify(schema.default) }
      : {}),
    schema,
    ...asked,
    type: nullable ? `${asked.type} or null` : asked.type,
  };
}

type Asked = Pick<Field, "kind" | "type" | "choices" | "item">;

function kindOf(schema: Schema, types: ReadonlySet<TypeName>, resolver: Resolver): Asked {
  const choices = choicesOf(schema, resolver);
  if (choices.length > 0) return { kind: "choice", type: "choice", choices };
  const [only, another] = types;
  if (only === undefined) return { kind: "mixed", type: "any", choices };
  if (another !== undefined) {
    const kind = types.has("object") || types.has("array") ? "json" : "mixed";
    return { kind, type: [...types].join(" or "), choices };
  }
  switch (only) {
    case "string":
      return { kind: "text", type: `text${formatText(schema)}`, choices };
    case "number":
    case "integer":
      return {
        kind: only,
        type: `${only === "integer" ? "whole number" : "number"}${bounds(schema)}`,
        choices,
      };
    case "array":
      return listKind(schema, resolver);
    default:
      return { kind: "json", type: only, choices };
  }
}

function listKind(schema: Schema, resolver: Resolver): Asked {
  const items = resolver.resolve(schema.items);
  if (!isObject(schema.items) || Array.isArray(schema.prefixItems))
    return { kind: "json", type: "list", choices: [] };
  const item = fieldOf("item", schema.items, true, resolver);
  if (item.kind === "choice" && items.type !== "boolean") {
    return { kind: "choices", type: "any of several", choices: item.choices };
  }
  const simple = ["text", "number", "integer"].includes(item.kind) && !item.nullable;
  return simple
    ? { kind: "list", type: `list of ${item.type}`, choices: [], item }
    : { kind: "json", type: "list", choices: [] };
}

/** choicesOf are the values of an enum, a const, a boolean, or of alternatives that are each one value. */
function choicesOf(schema: Schema, resolver: Resolver): Choice[] {
  const { enumNames } = schema;
  if ("const" in schema) return [choice(schema.const, schema.title)];
  const values = listOf(schema.enum);
  if (values.length > 0) return values.map((value, i) => choice(value, listOf(enumNames)[i]));
  const alternatives = resolver.alternatives(schema);
  const single = alternatives.filter((part) => "const" in part || listOf(part.enum).length === 1);
  if (single.length > 0 && single.length === alternatives.length) {
    return single.map((part) =>
      choice("const" in part ? part.const : listOf(part.enum)[0], part.title, part.description),
    );
  }
  if (schema.type === "boolean") return [choice(true, "yes"), choice(false, "no")];
  return [];
}

function choice(value: unknown, title?: unknown, description?: unknown): Choice {
  const json = JSON.stringify(value ?? null);
  const plain = typeof value === "string" && value !== "" ? value : json;
  const label = oneLine(typeof title === "string" && title !== "" ? title : plain, 200);
  const more = typeof description === "string" ? description : label === plain ? "" : plain;
  return { label, json, ...(more !== "" && { description: oneLine(more, 200) }) };
}

function formatText({ format }: Schema): string {
  return typeof format === "string" && format !== "password" ? `, ${oneLine(format, 30)}` : "";
}

function bounds(schema: Schema): string {
  const low = schema.minimum ?? schema.exclusiveMinimum;
  const high = schema.maximum ?? schema.exclusiveMaximum;
  if (typeof low === "number" && typeof high === "number") return `, ${low} to ${high}`;
  if (typeof low === "number") return `, from ${low}`;
  return typeof high === "number" ? `, up to ${high}` : "";
}

function isSecret(name: string, schema: Schema, kind: FieldKind): boolean {
  if (schema.format === "password" || schema.writeOnly === true) return true;
  return ["text", "mixed", "list"].includes(kind) && secretName(name);
}
