/** The arguments of a call as a JSON text: what it begins with, and what is wrong with it. Pure. */
import type { Form } from "./fields.js";
import { isObject, listOf, Resolver, type Schema, type TypeName } from "./schema.js";
import { allows } from "./value.js";

/** How deep, and how long, what a text begins with is at most. */
const DEPTH = 5;
const MEMBERS = 50;

/** argumentsText is an object with these values, which are JSON, digit by digit. */
export function argumentsText(values: ReadonlyMap<string, string>): string {
  return `{${[...values].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

/** beginning has the values that are given, and of the required ones the default, or one that is empty. */
export function beginning(inputSchema: unknown, form: Form, given: ReadonlyMap<string, string>): string {
  const resolver = new Resolver(inputSchema);
  const members: string[] = [];
  const add = (name: string, json: string) =>
    members.push(`  ${JSON.stringify(name)}: ${json.replaceAll("\n", "\n  ")}`);
  for (const field of form.fields) {
    const value = given.get(field.name);
    if (value !== undefined) add(field.name, value);
    else if (field.required) add(field.name, JSON.stringify(example(resolver, field.schema, 0), null, 2));
  }
  for (const [name, json] of given) if (!form.fields.some((field) => field.name === name)) add(name, json);
  return members.length === 0 ? "{\n  \n}\n" : `{\n${members.join(",\n")}\n}\n`;
}

/** example is a value to begin with. */
function example(resolver: Resolver, schema: Schema, depth: number): unknown {
  if (schema.default !== undefined) return schema.default;
  if ("const" in schema) return schema.const;
  const [first] = listOf(schema.enum);
  if (first !== undefined) return first;
  const [type] = resolver.types(schema);
  if (type === undefined || depth > DEPTH) return type === "array" ? [] : type === "object" ? {} : null;
  if (type !== "object") return EMPTY[type];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const names = listOf(schema.required).filter(
    (name) => typeof name === "string" && Object.hasOwn(properties, name),
  );
  return Object.fromEntries(
    (names as string[])
      .slice(0, MEMBERS)
      .map((name) => [name, example(resolver, resolver.resolve(properties[name]), depth + 1)]),
  );
}

const EMPTY: Readonly<Record<Exclude<TypeName, "object">, unknown>> = {
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  null: null,
};

/** Problem is what is wrong with a text, and where, if that is known. */
export interface Problem {
  readonly message: string;
  readonly offset?: number;
}

/** problemOf looks at what a form knows. The rest is the server's to check. */
export function problemOf(text: string, form: Form): Problem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { message: "This is no JSON yet: the editor marks where it is wrong." };
  }
  if (!isObject(value)) return { message: "The arguments are a JSON object: {…}", offset: 0 };
  for (const field of form.fields) {
    const { name, required, type } = field;
    const at = text.indexOf(JSON.stringify(name));
    const place = at < 0 ? {} : { offset: at };
    if (!Object.hasOwn(value, name)) {
      if (required) return { message: `The argument "${name}" is missing (${type})` };
    } else if (!allows(field, value[name])) {
      return { message: `The argument "${name}" is wrong: wanted is ${type}`, ...place };
    }
  }
  return undefined;
}

/** membersOf are the values of an object's members as they are written, by name. The text is valid JSON. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = skipped(text, at);
    if (text[at] === ",") at = skipped(text, at + 1);
    if (text[at] !== '"') return members;
    const nameEnd = valueEnd(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = skipped(text, skipped(text, nameEnd) + 1);
    at = valueEnd(text, start);
    members.set(name, text.slice(start, at));
  }
}

function skipped(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at++;
  return at;
}

/** valueEnd is the end of the value that begins there. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at + 1;
    } else if ("{[".includes(character)) depth++;
    else if ("}]".includes(character)) {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (character === "," || /\s/.test(character))) return at;
  }
  return text.length;
}

/** stringEnd is the place of the mark that ends the string that begins there. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
