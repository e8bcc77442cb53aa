/**
 * The tool set that a host knows, and what each message of the sidecar makes of it: pure functions over
 * values that are never changed. The rule is that of rpc/PROTOCOL.md, "Keeping the tool set".
 */
import type { Tool } from "./mcp.js";
import type * as wire from "./protocol.gen.js";

/**
 * ToolSet is what a host knows at one instant. `tools` stays the same array as long as nothing in it changes.
 */
export interface ToolSet {
  readonly revision: number;
  readonly hash: string;
  readonly tools: readonly Tool[];
  readonly servers: readonly wire.Server[];
  readonly errors: readonly wire.Diagnostic[];
  readonly exaApiKeys: readonly string[];
}

/** ToolsChange is the difference between two tool sets, and the new one. */
export interface ToolsChange {
  /** tools is the whole new set, sorted by name. */
  readonly tools: readonly Tool[];
  readonly added: readonly Tool[];
  readonly updated: readonly Tool[];
  /** removed are names. */
  readonly removed: readonly string[];
  /** servers are the names of those whose tools changed. */
  readonly servers: readonly string[];
  /** reason is the sidecar's word, or "snapshot" when the change was learnt by asking for the whole set. */
  readonly reason: wire.ChangeReason | "snapshot";
  readonly revision: number;
  readonly hash: string;
}

/** NOTHING is what a host knows that was told nothing yet. */
export const NOTHING: ToolSet = Object.freeze({
  revision: 0,
  hash: "",
  tools: Object.freeze([]),
  servers: Object.freeze([]),
  errors: Object.freeze([]),
  exaApiKeys: Object.freeze([]),
});

/** Step is the set after a message, and what changed in its tools. */
export interface Step {
  readonly set: ToolSet;
  readonly change?: ToolsChange;
}

/** afterPush decides about one tools/changed: "gap" means that only a whole snapshot helps. */
export function afterPush(set: ToolSet, push: wire.ToolsChanged): Step | "gap" {
  if (push.revision <= set.revision) return { set };
  if (push.previousRevision !== set.revision) return "gap";
  const added = push.added as Tool[];
  const updated = push.updated as Tool[];
  const gone = new Set([...push.removed, ...[...added, ...updated].map((tool) => tool.name)]);
  const kept = set.tools.filter((tool) => !gone.has(tool.name));
  const tools = byName([...kept, ...added, ...updated]);
  const next = { ...set, revision: push.revision, hash: push.hash, tools };
  return { set: next, change: changeOf(next, added, updated, push.removed, push.servers, push.reason) };
}

/**
 * afterSnapshot takes a whole set, unless it is older than what is known. The first one of a session is not a
 * change.
 */
export function afterSnapshot(set: ToolSet, snapshot: wire.Snapshot, reason: ToolsChange["reason"]): Step {
  if (snapshot.revision < set.revision) return { set };
  const known = new Map(set.tools.map((tool) => [tool.name, tool]));
  const sameTools = snapshot.hash === set.hash; // but for their state
  const added: Tool[] = [];
  const updated: Tool[] = [];
  const tools = byName(snapshot.tools as Tool[]).map((tool) => {
    const before = known.get(tool.name);
    known.delete(tool.name);
    if (before === undefined) added.push(tool);
    else if (!sameTools && !equalButState(before, tool)) updated.push(tool);
    else return before.state === tool.state ? before : tool;
    return tool;
  });
  const removed = [...known.values()];
  const next: ToolSet = {
    revision: snapshot.revision,
    hash: snapshot.hash,
    tools: sameElements(tools, set.tools) ? set.tools : Object.freeze(tools),
    servers: byName(snapshot.servers),
    errors: Object.freeze([...snapshot.errors]),
    exaApiKeys: Object.freeze([...(snapshot.exaApiKeys ?? [])]),
  };
  if (set.revision === 0 || added.length + updated.length + removed.length === 0) return { set: next };
  const servers = new Set([...added, ...updated, ...removed].map((tool) => tool.server));
  const names = removed.map((tool) => tool.name);
  return { set: next, change: changeOf(next, added, updated, names, [...servers].sort(), reason) };
}

/** afterStatus takes the record of one server. Where its tools are from is told by nothing else. */
export function afterStatus(set: ToolSet, server: wire.Server): ToolSet {
  const others = set.servers.filter((other) => other.name !== server.name);
  const servers = byName(server.phase === "removed" ? others : [...others, server]);
  const { from } = server.tools;
  const state = Object.hasOwn(STATES, from) ? STATES[from] : undefined;
  const stale = (tool: Tool) => tool.server === server.name && state !== undefined && tool.state !== state;
  if (state === undefined || !set.tools.some(stale)) return { ...set, servers };
  const tools = set.tools.map((tool) => (stale(tool) ? { ...tool, state } : tool));
  return { ...set, servers, tools: Object.freeze(tools) };
}

/** afterDiagnostics takes the list of all errors. */
export function afterDiagnostics(set: ToolSet, errors: readonly wire.Diagnostic[]): ToolSet {
  return { ...set, errors: Object.freeze([...errors]) };
}

/**
 * STATES of a server's tools, by where they are from. Those of a server that lists none are on their way out.
 */
const STATES: { readonly [from: string]: wire.ToolState | undefined } = { live: "live", cache: "deferred" };

function changeOf(
  { tools, revision, hash }: ToolSet,
  added: readonly Tool[],
  updated: readonly Tool[],
  removed: readonly string[],
  servers: readonly string[],
  reason: ToolsChange["reason"],
): ToolsChange {
  const lists = {
    added: Object.freeze([...added]),
    updated: Object.freeze([...updated]),
    removed: Object.freeze([...removed]),
    servers: Object.freeze([...servers]),
  };
  return Object.freeze({ tools, ...lists, reason, revision, hash });
}

/** byName sorts as the sidecar does: by the code units of what is plain ASCII. */
function byName<T extends { name: string }>(items: readonly T[]): readonly T[] {
  return Object.freeze([...items].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)));
}

function sameElements<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((element, i) => element === b[i]);
}

/** equalButState compares as the sidecar does: one byte that differs in a definition is a difference. */
function equalButState(a: Tool, b: Tool): boolean {
  return JSON.stringify({ ...a, state: "" }) === JSON.stringify({ ...b, state: "" });
}
