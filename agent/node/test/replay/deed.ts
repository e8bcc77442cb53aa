// Makes a client do what a line after ">" says: by the method it has for that, or by `request` where the
// line's params are not such that its users could have said it.

import type { SidecarClient } from "../../src/client.js";
import type { CallOptions } from "../../src/options.js";
import type * as wire from "../../src/protocol.gen.js";
import { client as namedClient } from "./folder.js";
import type { Json, Kind } from "./json.js";

/** What a deed needs besides its params. */
export interface Doing {
  readonly signal: AbortSignal;
  /** Hears the progress of a call whose line has a token. */
  readonly onProgress: (value: unknown) => void;
}

/** What was done. */
export interface Done {
  readonly outcome: Promise<unknown>;
  /** What the client makes of the wire's result. */
  readonly natural: (result: unknown) => unknown;
  /** Whether it was a method of its own, and not `request`. */
  readonly typed: boolean;
}

type Params = Record<string, unknown>;

/** The members that a client's own method takes, by method. "!" marks those it cannot do without. */
const shapes: Record<string, Record<string, Kind>> = {
  "runtime/initialize": {
    "protocolVersion!": "number",
    "client!": "object",
    "cwd!": "string",
    workspaceFolders: "array",
    capabilities: "object",
    settings: "object",
  },
  "runtime/configure": { settings: "object", workspaceFolders: "array" },
  "mcp/reload": { mode: "string" },
  "tools/call": {
    name: "string",
    server: "string",
    tool: "string",
    arguments: "object",
    timeoutMs: "number",
    progressToken: "string",
    maxBytes: "number",
  },
  "tools/search": { "query!": "string", limit: "number" },
  "mcp/connect": { "server!": "string", restart: "boolean" },
  "mcp/disconnect": { "server!": "string" },
  "mcp/wait": { servers: "array", timeoutMs: "number" },
  "mcp/logs": { "server!": "string", lines: "number", after: "number" },
  "mcp/doctor": { server: "string" },
  "runtime/share": {},
};

/** What a client gives of the wire's result, where that is a member. */
const MEMBERS: Record<string, string> = {
  "tools/search": "tools",
  "mcp/reload": "snapshot",
  "runtime/configure": "snapshot",
  "runtime/share": "endpoint",
};

/** Does it. What the client throws instead of rejecting is an error of the test's. */
export function perform(
  client: SidecarClient,
  method: string,
  params: Json | undefined,
  doing: Doing,
  opened: boolean,
): Done {
  const given: Params = params === undefined ? {} : JSON.parse(params.text);
  const whole = (result: unknown) => result;
  // Nobody opens a session twice.
  if (!fits(method, params, given) || (opened && method === "runtime/initialize")) {
    const untyped = client as unknown as Record<"request", (...args: unknown[]) => Promise<unknown>>;
    return {
      outcome: untyped.request(method, given, { signal: doing.signal }),
      natural: whole,
      typed: false,
    };
  }
  const outcome = own(client, method, params, given, doing);
  const member = MEMBERS[method];
  const natural = member === undefined ? whole : (result: unknown) => (result as Params)[member];
  return { outcome, natural, typed: true };
}

function fits(method: string, params: Json | undefined, given: Params): boolean {
  const shape = Object.hasOwn(shapes, method) ? shapes[method] : undefined;
  if (shape === undefined || (params !== undefined && params.kind !== "object")) return false;
  const members = params?.members ?? new Map<string, Json>();
  const taken = [...members].every(([name, { kind }]) => shape[name] === kind || shape[`${name}!`] === kind);
  const enough = Object.keys(shape).every((name) => !name.endsWith("!") || members.has(name.slice(0, -1)));
  if (!taken || !enough) return false;
  switch (method) {
    case "runtime/initialize":
      return given.protocolVersion === 1 && JSON.stringify(given.client) === JSON.stringify(namedClient);
    case "tools/call":
      return members.has("name")
        ? !members.has("server") && !members.has("tool")
        : members.size > 1 && pair(members);
    default:
      return true;
  }
}

function pair(members: ReadonlyMap<string, Json>): boolean {
  return members.has("server") && members.has("tool");
}

function own(
  client: SidecarClient,
  method: string,
  params: Json | undefined,
  given: Params,
  { signal, onProgress }: Doing,
): Promise<unknown> {
  const { server, query, ...rest } = given as { server: string; query: string };
  const options = { ...rest, signal };
  switch (method) {
    case "runtime/initialize": {
      const { cwd, workspaceFolders, settings } = given as unknown as wire.InitializeParams;
      return client.initialize({ cwd, workspaceFolders, settings }, { signal });
    }
    case "runtime/configure":
      return client.configure(given, { signal });
    case "mcp/reload":
      return client.reload(given.mode as wire.ReloadMode | undefined, { signal });
    case "tools/call": {
      const { name, server, tool, timeoutMs, maxBytes, progressToken } = given as unknown as wire.CallParams;
      const target = name ?? { server: server as string, tool: tool as string };
      const call: CallOptions = { signal, timeoutMs, maxBytes };
      if (progressToken !== undefined) call.onProgress = onProgress;
      return client.call(target, argumentsOf(params?.members.get("arguments")), call);
    }
    case "tools/search":
      return client.search(query, options);
    case "mcp/connect":
      return client.connect(server, options);
    case "mcp/disconnect":
      return client.disconnect(server, options);
    case "mcp/wait":
      return client.wait(options);
    case "mcp/doctor":
      return client.doctor({ server, signal });
    case "runtime/share":
      return client.share({ signal });
    default:
      return client.logs(server, options);
  }
}

/** Arguments are text where JavaScript would write them otherwise, as those of a model are. */
function argumentsOf(given: Json | undefined): object | string | undefined {
  if (given === undefined) return undefined;
  const value = JSON.parse(given.text) as object;
  return JSON.stringify(value) === given.text ? value : given.text;
}
