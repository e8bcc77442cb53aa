/**
 * The cases that the clients of all languages share (agent/cases, where the README says what is in them).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Json = Record<string, unknown>;

/** A SchemaCase is a tool's schema, and what becomes of it. */
export interface SchemaCase {
  readonly name: string;
  readonly given: unknown;
  readonly openai: Json;
  readonly anthropic: Json;
}

/** A ResultCase is a tool's result, and what is shown of it. */
export interface ResultCase {
  readonly name: string;
  readonly given: object;
  readonly parts: readonly Shown[];
  readonly failed?: true;
}

/** Shown is a text, an image (its type, base64) or a PDF (its name, base64). */
export type Shown = string | { image: string; data: string } | { pdf: string; data: string };

/** SOURCE is agent/node. */
const SOURCE = process.env.MCP_SIDECAR_TEST_SOURCE ?? ".";

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(SOURCE, "../cases", name), "utf8"));
}

/** SCHEMAS have what is "unchanged" or "as openai" filled in. */
export const SCHEMAS: readonly SchemaCase[] = (read("schemas.json") as Record<string, unknown>[]).map(
  ({ name, given, ...shown }) => {
    const openai = shown.openai === "unchanged" ? given : shown.openai;
    const anthropic = { unchanged: given, "as openai": openai }[String(shown.anthropic)] ?? shown.anthropic;
    return { name, given, openai, anthropic } as SchemaCase;
  },
);

export const RESULTS = read("results.json") as readonly ResultCase[];
