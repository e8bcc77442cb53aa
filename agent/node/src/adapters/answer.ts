/**
 * A call as a model makes it: what the model did wrong comes back as a failed result, in words that help it
 * to do better, and so does what the sidecar refuses. What is not the model's affair is thrown: the sidecar
 * is gone (SidecarClosedError), or whoever gave the signal wants no answer any more (its reason).
 */
import type { ToolSource } from "../client.js";
import { ResponseError } from "../errors.js";
import type { CallOutcome, CallToolResult } from "../mcp.js";
import type { CallOptions } from "../options.js";
import { ErrorCode } from "../protocol.gen.js";
import { isObject } from "./schema-tree.js";

/** An Answer is a result for a model. `details` are left out when no call came of it. */
export interface Answer extends Omit<CallOutcome, "details"> {
  details?: CallOutcome["details"];
}

/**
 * REFUSALS are errors that say something about this call, and that the model can do something about.
 * InvalidParams is none: once the arguments are an object, what is wrong are the options of the program.
 */
const REFUSALS: ReadonlySet<number> = new Set([
  ErrorCode.UnknownTool,
  ErrorCode.UnknownServer,
  ErrorCode.AmbiguousTool,
  ErrorCode.Untrusted,
  ErrorCode.AuthNeeded,
  ErrorCode.Overloaded,
  ErrorCode.ServerFailed,
  ErrorCode.InvalidRequest,
  ErrorCode.InternalError,
]);

/** answer calls a tool with what a model gave as its arguments: an object, or JSON text. */
export async function answer(
  source: ToolSource,
  name: string,
  given: unknown,
  options?: CallOptions,
): Promise<Answer> {
  const read = readArguments(name, given);
  if ("mistake" in read) return failure(read.mistake);
  if (name === "") return failure("A call needs the name of a tool. Use the tools that are offered now.");
  try {
    return await source.call(name, read.args, options);
  } catch (error) {
    if (!(error instanceof ResponseError) || !REFUSALS.has(error.code)) throw error;
    return failure(error.code === ErrorCode.UnknownTool ? unknownTool(name, error.data) : error.message);
  }
}

/** together runs all calls at the same time. If one throws, none goes on. */
export async function together<T>(
  calls: readonly T[],
  options: CallOptions | undefined,
  run: (call: T, options: CallOptions) => Promise<Answer>,
): Promise<Answer[]> {
  const abort = new AbortController();
  const given = options?.signal;
  const passOn = () => abort.abort(given?.reason);
  if (given?.aborted) passOn();
  given?.addEventListener("abort", passOn);
  try {
    return await Promise.all(calls.map((call) => run(call, { ...options, signal: abort.signal })));
  } catch (error) {
    abort.abort(error);
    throw error;
  } finally {
    given?.removeEventListener("abort", passOn);
  }
}

/** failure is the result that a model gets when it has to do something else. */
export function failure(text: string): { result: CallToolResult } {
  return { result: { content: [{ type: "text", text }], isError: true } };
}

/**
 * readArguments: JSON text is passed on as it is, so that its numbers and the order of its keys reach the
 * server.
 */
function readArguments(name: string, given: unknown): { args: object | string } | { mistake: string } {
  if (given === undefined || given === null || given === "") return { args: {} };
  if (typeof given !== "string") {
    return isObject(given) ? { args: given } : { mistake: noObject(name, `they are ${kind(given)}`) };
  }
  if (given.trim() === "") return { args: {} };
  try {
    const value: unknown = JSON.parse(given);
    return isObject(value) ? { args: given } : { mistake: noObject(name, `they are ${kind(value)}`) };
  } catch (error) {
    return { mistake: noObject(name, error instanceof Error ? error.message : String(error)) };
  }
}

function noObject(name: string, why: string): string {
  return (
    `The arguments of ${name} are no JSON object: ${why}. The tool was not called. ` +
    "Call it again with an object that fits its schema."
  );
}

function kind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function unknownTool(name: string, data: unknown): string {
  const { suggestions, reason } = isObject(data) ? data : {};
  const why = typeof reason === "string" ? ` now: ${reason}` : ", or not any more";
  const some = Array.isArray(suggestions) && suggestions.length > 0;
  const near = some ? ` Near names are ${suggestions.join(", ")}.` : "";
  return `There is no tool ${name}${why}.${near} Use the tools that are offered now.`;
}
