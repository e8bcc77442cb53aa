/**
 * Names of arguments that every provider takes. Anthropic refuses a request if a property of a tool's schema,
 * at the top, is named other than `^[a-zA-Z0-9_.-]{1,64}$`: `$filter`, `filter[id]`, names in other scripts.
 * Those are shown to the model under another name, and given back their own before the call.
 */
import type { JsonSchema } from "../mcp.js";
import { isObject, mapSchema, pointer } from "./schema-tree.js";

const PLAIN = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Renamed maps names as shown to the model to the server's own, for those that differ. */
export type Renamed = ReadonlyMap<string, string>;

/** plainNames is the schema of an object with plain names at the top, and which they stand for. */
export function plainNames(schema: JsonSchema): { schema: JsonSchema; renamed: Renamed } {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const odd = Object.keys(properties).filter((name) => !PLAIN.test(name));
  if (odd.length === 0) return { schema, renamed: new Map() };

  const taken = new Set(Object.keys(properties));
  const shown = new Map(odd.map((name) => [name, plainName(name, taken)]));
  const renamed = mapSchema(schema, (inner) => withReference(inner, shown));
  const { required } = schema;
  return {
    schema: {
      ...renamed,
      properties: Object.fromEntries(
        Object.entries(renamed.properties as object).map(([name, property]) => {
          const plain = shown.get(name);
          return plain === undefined ? [name, property] : [plain, titled(property, name)];
        }),
      ),
      ...(Array.isArray(required) && { required: required.map((name) => shown.get(name) ?? name) }),
    },
    renamed: new Map([...shown].map(([own, plain]) => [plain, own])),
  };
}

/** withReference refers to a property by the name that is shown. */
function withReference(schema: JsonSchema, shown: ReadonlyMap<string, string>): JsonSchema {
  const [first, name = "", ...rest] = pointer(schema.$ref) ?? [];
  const plain = first === "properties" ? shown.get(name) : undefined;
  if (plain === undefined) return schema;
  const parts = [first, plain, ...rest].map((part = "") => part.replaceAll("~", "~0").replaceAll("/", "~1"));
  return { ...schema, $ref: `#/${parts.map(encodeURIComponent).join("/")}` };
}

/** ownNames is args with the server's own names at the top: the same object if none was renamed. */
export function ownNames(args: object, renamed: Renamed): object {
  if (renamed.size === 0) return args;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [renamed.get(name) ?? name, value]));
}

/** plainName makes a name up that is not taken, and takes it. */
function plainName(name: string, taken: Set<string>): string {
  const base = name.replace(/[^a-zA-Z0-9.-]+/g, "_").replace(/^_+|_+$/g, "") || "argument";
  let plain = base.slice(0, 64);
  for (let n = 2; taken.has(plain); n++) plain = `${base.slice(0, 60)}_${n}`;
  taken.add(plain);
  return plain;
}

/** titled tells the model the property's own name. */
function titled(property: unknown, name: string): unknown {
  return isObject(property) && property.title === undefined ? { ...property, title: name } : property;
}
