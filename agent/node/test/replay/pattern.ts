// Patterns: whether a message is what a line asks for, and a message that a line asks for.
// conformance/README.md ("Patterns") says what they are.

import { type Json, objectText, readJson, sameScalar } from "./json.js";

/** The values that a dialogue has remembered, by name. */
export type Saved = Map<string, Json>;

/** An object in a pattern that stands for more than itself. */
interface Matcher {
  readonly word: string;
  readonly operand: Json;
  /** A value that would do, for whoever sends the message. */
  readonly like: Json | undefined;
}

const words = ["$like", "$save", "$ref", "$not", "$has", "$some", "$raw", "$exact", "$absent"];

function matcherOf(pattern: Json): Matcher | undefined {
  // "$/progress" and its like are methods, not words.
  const named = [...pattern.members.keys()].filter((name) => name.startsWith("$") && !name.startsWith("$/"));
  const word = named[0];
  if (word === undefined) return undefined;
  if (named.length > 1) throw new Error(`two matchers in one object: ${pattern.text}`);
  const unknown = [...pattern.members.keys()].find((name) => name !== "like" && !words.includes(name));
  if (unknown !== undefined) throw new Error(`matcher with an unknown field "${unknown}": ${pattern.text}`);
  const operand = pattern.members.get(word) as Json;
  const like = pattern.members.get("like");
  if ((word === "$save" || word === "$not") && like === undefined) {
    throw new Error(`a matcher that has no example in "like": ${pattern.text}`);
  }
  return { word, operand, like };
}

/**
 * Says why a message is not what the pattern asks for, beginning with the JSON pointer to the first
 * difference; undefined if it is. Remembers into saved.
 */
export function mismatch(pattern: Json, got: Json | undefined, saved: Saved, at = ""): string | undefined {
  const matcher = matcherOf(pattern);
  if (matcher !== undefined) return mismatchOf(matcher, got, saved, at);
  if (got === undefined) return `${at}: want ${pattern.text}, is missing`;
  if (pattern.kind !== got.kind) return differs(pattern, got, at);
  if (pattern.kind === "object") {
    // In order, so that a message is told to be another one (by its id) before its result is looked at.
    return first([...pattern.members].sort(byName), ([name, member]) =>
      mismatch(member, got.members.get(name), saved, `${at}/${name}`),
    );
  }
  if (pattern.kind === "array") return mismatchOfElements(pattern, got, saved, at);
  return sameScalar(pattern, got) ? undefined : differs(pattern, got, at);
}

function mismatchOfElements(pattern: Json, got: Json, saved: Saved, at: string): string | undefined {
  const [want, have] = [pattern.elements.length, got.elements.length];
  if (want !== have) return `${at}: want ${want} elements, got ${have}: ${shortened(got)}`;
  return first([...pattern.elements.entries()], ([i, element]) =>
    mismatch(element, got.elements[i], saved, `${at}/${i}`),
  );
}

function mismatchOf(matcher: Matcher, got: Json | undefined, saved: Saved, at: string): string | undefined {
  const { word, operand } = matcher;
  if (word === "$absent") return got && `${at}: want nothing there, got ${shortened(got)}`;
  if (got === undefined) return `${at}: is missing`;
  switch (word) {
    case "$like":
      return otherKind(operand, got, at);
    case "$save":
      saved.set(stringOf(operand), got);
      return otherKind(matcher.like as Json, got, at);
    case "$ref":
      return mismatch(remembered(operand, saved), got, saved, at);
    case "$not":
      if (mismatch(operand, got, new Map(saved), at) !== undefined) return undefined;
      return `${at}: is ${shortened(got)}, and must not be`;
    case "$has":
      if (got.kind === "string" && stringOf(got).includes(stringOf(operand))) return undefined;
      return `${at}: want a string with ${operand.text} in it, got ${shortened(got)}`;
    case "$some":
      return mismatchOfSome(operand, got, saved, at);
    case "$raw":
      if (stringOf(operand) === got.text) return undefined;
      return `${at}: want these bytes:\n\t${stringOf(operand)}\ngot\n\t${shortened(got)}`;
    default:
      return inexact(operand, got, at);
  }
}

/** Finds each wanted element in the array, in that order. */
function mismatchOfSome(wanted: Json, got: Json, saved: Saved, at: string): string | undefined {
  if (got.kind !== "array") return `${at}: want an array, got ${shortened(got)}`;
  let next = 0;
  for (const want of wanted.elements) {
    for (;;) {
      const candidate = got.elements[next++];
      if (candidate === undefined)
        return `${at}: want an element (in order) like ${want.text}, got ${shortened(got)}`;
      const attempt: Saved = new Map(saved);
      if (mismatch(want, candidate, attempt, at) === undefined) {
        for (const [name, value] of attempt) saved.set(name, value);
        break;
      }
    }
  }
  return undefined;
}

/** Compares whole values: no further members, but in any order. */
function inexact(want: Json, got: Json | undefined, at: string): string | undefined {
  if (got === undefined) return `${at}: want ${want.text}, is missing`;
  if (want.kind === "object" && got.kind === "object") {
    const further = [...got.members].find(([name]) => !want.members.has(name));
    if (further) return `${at}/${further[0]}: want nothing there, got ${shortened(further[1])}`;
    return first([...want.members], ([name, member]) =>
      inexact(member, got.members.get(name), `${at}/${name}`),
    );
  }
  if (want.kind === "array" && got.kind === "array") {
    if (want.elements.length !== got.elements.length) return differs(want, got, at);
    return first([...want.elements.entries()], ([i, element]) =>
      inexact(element, got.elements[i], `${at}/${i}`),
    );
  }
  return mismatch(want, got, new Map(), at);
}

/**
 * The text of a message that the pattern asks for, undefined for a member that must be absent. Remembers into
 * saved as mismatch does.
 */
export function example(pattern: Json, saved: Saved): string | undefined {
  const matcher = matcherOf(pattern);
  if (matcher !== undefined) return exampleOf(matcher, saved);
  if (pattern.kind === "array") return exampleOfElements(pattern, saved);
  if (pattern.kind !== "object") return pattern.text;
  const members: [string, string][] = [];
  for (const [name, member] of [...pattern.members].sort(byName)) {
    const value = example(member, saved);
    if (value !== undefined) members.push([name, value]);
  }
  return objectText(members);
}

function exampleOf(matcher: Matcher, saved: Saved): string | undefined {
  const { word, operand, like } = matcher;
  if (word === "$absent") return undefined;
  if (word === "$save") saved.set(stringOf(operand), like as Json);
  if (word === "$ref") return remembered(operand, saved).text;
  if (like !== undefined) return like.text;
  if (word === "$some") return exampleOfElements(operand, saved);
  return word === "$raw" ? stringOf(operand) : operand.text;
}

function exampleOfElements(pattern: Json, saved: Saved): string {
  return `[${pattern.elements.map((element) => example(element, saved) ?? "null").join(",")}]`;
}

function remembered(name: Json, saved: Saved): Json {
  const value = saved.get(stringOf(name));
  if (value === undefined) throw new Error(`$ref to ${name.text}, which nothing has saved`);
  return value;
}

function otherKind(like: Json, got: Json, at: string): string | undefined {
  return like.kind === got.kind
    ? undefined
    : `${at}: want something like ${like.text}, got ${shortened(got)}`;
}

function differs(want: Json, got: Json, at: string): string {
  return `${at}: want ${want.text}, got ${shortened(got)}`;
}

function stringOf(value: Json): string {
  return JSON.parse(value.text) as string;
}

function first<T>(values: T[], difference: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = difference(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function shortened(value: Json): string {
  const most = 2000;
  return value.text.length > most
    ? `${value.text.slice(0, most)}… (${value.text.length} characters)`
    : value.text;
}

/** The pattern that a line's text is. */
export function patternOf(text: string): Json {
  const pattern = readJson(text);
  if (pattern.kind !== "object") throw new Error(`not a JSON object: ${text}`);
  return pattern;
}
