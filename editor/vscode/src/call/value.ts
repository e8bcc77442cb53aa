/**
 * From what the user typed to the JSON of an argument, or to what is wrong with it. Numbers go on as they were
 * typed, digit by digit. Pure.
 */
import { isIP } from "node:net";
import { runInNewContext } from "node:vm";
import { counted } from "../text/words.js";
import type { Field } from "./fields.js";
import type { Schema } from "./schema.js";

/** Read is what a text comes to. `leftOut`: the argument is not given. */
export type Read =
  | { readonly kind: "json"; readonly json: string }
  | { readonly kind: "leftOut" }
  | { readonly kind: "problem"; readonly message: string };

const LEFT_OUT: Read = { kind: "leftOut" };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** How long a server's pattern may think. */
const PATTERN_MS = 50;

export function read(field: Field, typed: string): Read {
  const text = field.kind === "text" ? typed : typed.trim();
  if (text === "" && !field.required) return LEFT_OUT;
  if (text === "" && field.nullable && field.kind !== "text") return json("null");
  if (text === "null" && field.nullable && field.kind !== "text") return json("null");
  switch (field.kind) {
    case "text":
      return checkedText(text, field.schema);
    case "number":
    case "integer":
      return checkedNumber(text, field);
    case "mixed":
      return mixed(text, field);
    case "list":
      return list(text, field);
    default:
      return checkedJson(text, field);
  }
}

/** typed is the text that one would type for a value, if it can be typed. */
export function typed(field: Field, value: string): string | undefined {
  const parsed = parse(value);
  if (parsed === undefined || (parsed.value === null && field.kind !== "text")) return undefined;
  if (typeof parsed.value === "string" && (field.kind === "text" || field.kind === "mixed")) {
    const text = parsed.value;
    if (/[\r\n]/.test(text)) return undefined;
    // What would be read as something else is written as JSON.
    return field.kind === "mixed" && parse(text) !== undefined ? value : text;
  }
  if (field.kind === "text") return undefined;
  if (field.kind === "list" && Array.isArray(parsed.value)) {
    const words = parsed.value.map(String);
    const plain = words.every((word) => word !== "" && word.trim() === word && !/[,[\r\n]/.test(word));
    if (plain && field.item?.kind === "text") return words.join(", ");
  }
  return value;
}

/** joined is a list of values that are JSON, or what is wrong with how many there are. */
export function joined({ schema, required }: Field, items: readonly string[]): Read {
  if (items.length === 0 && !required) return LEFT_OUT;
  const { minItems: least, maxItems: most } = schema;
  if (typeof least === "number" && items.length < least)
    return problem(`${counted(items.length, "value")}: at least ${least} wanted`);
  if (typeof most === "number" && items.length > most)
    return problem(`${counted(items.length, "value")}: at most ${most} allowed`);
  const twice = items.find((item, i) => items.indexOf(item) !== i);
  if (schema.uniqueItems === true && twice !== undefined) return problem(`${twice} is there twice`);
  return json(`[${items.join(",")}]`);
}

function checkedText(text: string, schema: Schema): Read {
  const message =
    lengthProblem(text, schema) ?? formatProblem(text, schema.format) ?? patternProblem(text, schema);
  return message === undefined ? json(JSON.stringify(text)) : problem(message);
}

function lengthProblem(text: string, { minLength, maxLength }: Schema): string | undefined {
  const length = [...text].length; // code points, as JSON Schema counts
  if (typeof minLength === "number" && length < minLength) {
    return length === 0
      ? "A text is wanted"
      : `Too short: ${counted(length, "character")}, at least ${minLength} wanted`;
  }
  if (typeof maxLength === "number" && length > maxLength) {
    return `Too long: ${counted(length, "character")}, at most ${maxLength} allowed`;
  }
  return undefined;
}

/** A pattern of a server's may take for ever: then, as when it is no pattern, the server is to check it. */
function patternProblem(text: string, { pattern }: Schema): string | undefined {
  if (typeof pattern !== "string") return undefined;
  for (const flags of ["u", ""]) {
    try {
      const fits: unknown = runInNewContext(
        "new RegExp(pattern, flags).test(text)",
        { pattern, flags, text },
        { timeout: PATTERN_MS },
      );
      return fits === true ? undefined : `Does not fit the pattern ${pattern}`;
    } catch {
      // perhaps without the flag
    }
  }
  return undefined;
}

const FORMATS: Readonly<
  Record<string, { readonly fits: (text: string) => boolean; readonly example: string }>
> = {
  date: { fits: (text) => isDate(text), example: "a date such as 2026-01-31" },
  "date-time": { fits: isDateTime, example: "a time such as 2026-01-31T12:00:00Z" },
  time: { fits: (text) => /^\d\d:\d\d:\d\d/.test(text), example: "a time such as 12:00:00" },
  email: { fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text), example: "an address such as me@example.com" },
  uri: { fits: isUri, example: "an address such as https://example.com/" },
  uuid: { fits: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text), example: "a UUID" },
  ipv4: { fits: (text) => isIP(text) === 4, example: "an address such as 192.0.2.1" },
  ipv6: { fits: (text) => isIP(text) === 6, example: "an address such as 2001:db8::1" },
};

function formatProblem(text: string, format: unknown): string | undefined {
  const known = typeof format === "string" && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known === undefined || known.fits(text) ? undefined : `Wanted is ${known.example}`;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) && isDate(text.slice(0, 10))
  );
}

function isUri(text: string): boolean {
  return URL.canParse(text);
}

function checkedNumber(text: string, { kind, schema }: Field): Read {
  if (text === "") return problem("A number is wanted");
  if (!NUMBER.test(text)) return problem(`"${text}" is no number`);
  if (kind === "integer" && !isWhole(text)) return problem(`${text} is no whole number`);
  const message = boundsProblem(text, schema);
  return message === undefined ? json(text) : problem(`${text} ${message}`);
}

/** isWhole: without a fraction, as JSON Schema has it: 1.0 and 15e1 are whole. */
function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text) || Number.isInteger(Number(text));
}

function boundsProblem(text: string, schema: Schema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // Draft 4 has true beside the bound, later ones the bound itself.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  if (typeof above === "number" && compare(text, above) <= 0) return `must be more than ${above}`;
  if (typeof below === "number" && compare(text, below) >= 0) return `must be less than ${below}`;
  if (typeof minimum === "number" && compare(text, minimum) < 0) return `must be at least ${minimum}`;
  if (typeof maximum === "number" && compare(text, maximum) > 0) return `must be at most ${maximum}`;
  if (typeof multipleOf === "number" && multipleOf > 0 && !isMultiple(text, multipleOf)) {
    return `must be a multiple of ${multipleOf}`;
  }
  return undefined;
}

/** compare is exact for whole numbers of any length. */
function compare(text: string, bound: number): number {
  const exact = /^-?\d+$/.test(text) && Number.isInteger(bound);
  const [one, other] = exact ? [BigInt(text), BigInt(bound)] : [Number(text), bound];
  return one < other ? -1 : one > other ? 1 : 0;
}

function isMultiple(text: string, divisor: number): boolean {
  if (/^-?\d+$/.test(text) && Number.isInteger(divisor)) return BigInt(text) % BigInt(divisor) === 0n;
  const times = Number(text) / divisor;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

/** mixed: what reads as JSON of an allowed type is that; other text is a text, if one is allowed. */
function mixed(text: string, field: Field): Read {
  const parsed = parse(text);
  if (parsed !== undefined && allows(field, parsed.value)) {
    const message = typeof parsed.value === "number" ? boundsProblem(text, field.schema) : undefined;
    return message === undefined ? json(text) : problem(`${text} ${message}`);
  }
  if (field.types.size === 0 || field.types.has("string")) return checkedText(text, field.schema);
  return problem(`Wanted is ${field.type}`);
}

function list(text: string, field: Field): Read {
  if (text.startsWith("[")) return checkedJson(text, field);
  const words = text === "" ? [] : text.split(",").map((word) => word.trim());
  if (words.length > 1 && words.at(-1) === "") words.pop(); // a comma at the end
  const items: string[] = [];
  for (const [i, word] of words.entries()) {
    const item = field.item === undefined ? LEFT_OUT : read(field.item, word);
    if (item.kind === "problem") return problem(`Value ${i + 1}: ${item.message}`);
    if (item.kind === "json") items.push(item.json);
  }
  return joined(field, items);
}

function checkedJson(text: string, field: Field): Read {
  const parsed = parse(text);
  if (parsed === undefined) return problem("This is no JSON");
  if (!allows(field, parsed.value)) return problem(`Wanted is ${field.type}`);
  return json(text);
}

/** allows says whether a value has a type that fits. */
export function allows({ types, nullable }: Pick<Field, "types" | "nullable">, value: unknown): boolean {
  if (types.size === 0 || (value === null && nullable)) return true;
  if (value === null) return false;
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number")
    return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as "string");
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function json(text: string): Read {
  return { kind: "json", json: text };
}

function problem(message: string): Read {
  return { kind: "problem", message };
}
