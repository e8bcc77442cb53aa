// Adds the members that the protocol requires and a pattern leaves out. conformance/README.md ("What the
// sidecar says") has the rules.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./folder.js";
import { type Json, objectText, readJson } from "./json.js";

/** What the host has now, by the rule of PROTOCOL.md: what it was told last, if it was told in order. */
export interface Told {
  readonly revision: number;
  readonly hash: string;
  readonly tools: readonly Named[];
  readonly servers: readonly Named[];
  readonly errors: readonly unknown[];
}

interface Named {
  readonly name: string;
}

/** The part of JSON Schema that rpc/schema.json uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

interface Method {
  readonly kind: "request" | "notification";
  readonly params: Schema;
  readonly result?: Schema;
}

const protocol = JSON.parse(readFileSync(join(repository, "rpc", "schema.json"), "utf8")) as {
  methods: Record<string, Method>;
  $defs: Record<string, Schema>;
};

/** Completes the params of what the sidecar says. Those of an unknown method are left as they are. */
export function completeParams(method: string, params: Json, told: Told): string {
  const schema = protocol.methods[method]?.params;
  if (schema === undefined) return params.text;
  // The record of a status is a server's own; without its name it would be about nobody.
  if (method === "mcp/status" && !params.members.has("name"))
    throw new Error("a status must name its server");
  return complete(schema, params, told);
}

/** Completes the result of what the host asked. */
export function completeResult(method: string, result: Json, told: Told): string {
  const schema = protocol.methods[method]?.result;
  if (schema === undefined) return result.text;
  // A SnapshotAnswer is a Snapshot unless it says that nothing changed.
  const whole = method === "tools/snapshot" && !result.members.has("unchanged");
  return complete(whole ? { $ref: "#/$defs/Snapshot" } : schema, result, told);
}

function complete(schema: Schema, value: Json, told: Told): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice("#/$defs/".length);
    const definition = protocol.$defs[name];
    if (definition === undefined) throw new Error(`rpc/schema.json has no ${name}`);
    return completeNamed(name, definition, value, told);
  }
  if (value.kind === "object") return completeObject(schema, value, told, () => undefined);
  if (value.kind === "array" && schema.items !== undefined) {
    const { items } = schema;
    return `[${value.elements.map((element) => complete(items, element, told)).join(",")}]`;
  }
  return value.text;
}

function completeNamed(name: string, schema: Schema, value: Json, told: Told): string {
  if (value.kind !== "object") return complete(schema, value, told);
  const rule = leftOut[name];
  const chosen = rule === undefined ? {} : rule(value, told);
  return completeObject(schema, value, told, (member) => chosen[member]);
}

/** Members stand in the order of the schema, as the sidecar writes them; those it does not know come last. */
function completeObject(
  schema: Schema,
  value: Json,
  told: Told,
  chosen: (member: string) => string | undefined,
): string {
  const members: [string, string][] = [];
  const properties = schema.properties ?? {};
  for (const [name, inner] of Object.entries(properties)) {
    const given = value.members.get(name);
    if (given !== undefined) members.push([name, complete(inner, given, told)]);
    else if (schema.required?.includes(name)) members.push([name, chosen(name) ?? smallest(inner, told)]);
  }
  const others = [...value.members].filter(([name]) => !Object.hasOwn(properties, name));
  // Where the schema allows any JSON, the text is kept byte for byte.
  if (members.length === 0 && schema.additionalProperties === undefined) return value.text;
  const inner = schema.additionalProperties ?? {};
  return objectText([
    ...members,
    ...others.map(([name, member]) => [name, complete(inner, member, told)] as const),
  ]);
}

function smallest(schema: Schema, told: Told): string {
  const named = schema.$ref && protocol.$defs[schema.$ref.slice("#/$defs/".length)];
  const { type, enum: words } = named || schema;
  switch (type) {
    case "string":
      return JSON.stringify(words?.[0] ?? "");
    case "integer":
    case "number":
      return "0";
    case "boolean":
      return "false";
    case "array":
      return "[]";
    default:
      // Any JSON is an object, too.
      return complete(schema, readJson("{}"), told);
  }
}

/** What the types whose members mean more than their type says choose for a member. */
const leftOut: Record<string, (value: Json, told: Told) => Record<string, string>> = {
  InitializeResult: () => ({ protocolVersion: "1" }),
  Snapshot: snapshotRule,
  ToolsChanged: pushRule,
  Tool: toolRule,
  Server: (value, told) => asTold(value, told.servers),
};

function snapshotRule(value: Json, told: Told): Record<string, string> {
  const tools = value.members.get("tools")?.elements.map(nameOf);
  value.members.get("servers")?.elements.map(nameOf);
  const same = tools === undefined || sameNames(tools, told.tools);
  const next = same && told.revision > 0 ? told.revision : told.revision + 1;
  const revision = Number(value.members.get("revision")?.text ?? next);
  return {
    revision: String(revision),
    hash: JSON.stringify(revision === told.revision ? told.hash : String(revision)),
    tools: JSON.stringify(told.tools),
    servers: JSON.stringify(told.servers),
    errors: JSON.stringify(told.errors),
  };
}

function pushRule(value: Json, told: Told): Record<string, string> {
  const previous = Number(value.members.get("previousRevision")?.text ?? told.revision);
  const revision = value.members.get("revision")?.text ?? String(previous + 1);
  return { previousRevision: String(previous), revision, hash: JSON.stringify(revision) };
}

function toolRule(value: Json, told: Told): Record<string, string> {
  const server = /^mcp_([^_]*)_/.exec(nameOf(value))?.[1];
  return {
    ...(server === undefined ? {} : { server: JSON.stringify(server) }),
    ...asTold(value, told.tools),
  };
}

/** The members of what the host has under that name. */
function asTold(value: Json, told: readonly Named[]): Record<string, string> {
  const name = value.members.get("name");
  const known = name && told.find((other) => JSON.stringify(other.name) === name.text);
  return Object.fromEntries(
    Object.entries(known ?? {}).map(([member, has]) => [member, JSON.stringify(has)]),
  );
}

function nameOf(value: Json): string {
  const name = value.members.get("name");
  if (name?.kind !== "string")
    throw new Error(`a tool or server of the host's set must be named: ${value.text}`);
  return JSON.parse(name.text) as string;
}

function sameNames(names: readonly string[], told: readonly Named[]): boolean {
  return names.length === told.length && names.every((name) => told.some((tool) => tool.name === name));
}
