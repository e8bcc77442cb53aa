/** Which rows another view changes. Pure. */
import type { Tool } from "mcp-sidecar";
import type { View } from "../view.js";

/** Shown is what rows are made of. */
export interface Shown {
  readonly view: View;
  readonly off: readonly string[];
}

/**
 * changedServers are the names of servers whose rows, or whose tools' rows, are others now. Undefined: the
 * list itself is another one. That is no way to say "all": while the editor asks for the list anew, it knows no
 * row, and what the user does to one is lost. Records and tools are values: the same object says the same.
 */
export function changedServers(before: Shown, after: Shown): string[] | undefined {
  const names = after.view.servers.map(({ name }) => name);
  const sameNames =
    before.view.servers.length === names.length &&
    names.every((name, at) => before.view.servers[at]?.name === name);
  if (!sameNames || before.view.condition.kind !== after.view.condition.kind) return undefined;
  if (before.view.errors !== after.view.errors) return names;
  const retooled = retooledServers(before.view.tools, after.view.tools);
  return after.view.servers
    .filter(
      (server, at) =>
        before.view.servers[at] !== server ||
        retooled.has(server.name) ||
        !sameList(offOf(server.name, before.off), offOf(server.name, after.off)),
    )
    .map(({ name }) => name);
}

/** retooledServers are those whose tools are others. Most views have the tools of the one before: the same array. */
function retooledServers(before: readonly Tool[], after: readonly Tool[]): Set<string> {
  if (before === after) return new Set();
  const [old, now] = [byServer(before), byServer(after)];
  const names = [...old.keys(), ...now.keys()];
  return new Set(names.filter((name) => !sameList(old.get(name) ?? [], now.get(name) ?? [])));
}

function byServer(tools: readonly Tool[]): Map<string, Tool[]> {
  const all = new Map<string, Tool[]>();
  for (const tool of tools) {
    const those = all.get(tool.server);
    if (those === undefined) all.set(tool.server, [tool]);
    else those.push(tool);
  }
  return all;
}

function offOf(server: string, off: readonly string[]): string[] {
  return off.filter((name) => name === server || name.startsWith(`${server}/`));
}

function sameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
