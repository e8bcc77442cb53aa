/** The tools of a server as its user thinks of them: those it has, and those that are switched off. Pure. */
import type { Server, Tool } from "mcp-sidecar";
import type { View } from "../view.js";

/** Entry is one tool of a server. */
export interface Entry {
  /** own is the server's own name of it. */
  readonly own: string;
  /** tool is there while it is listed: not for one that is switched off. */
  readonly tool?: Tool;
}

/** ownName is the server's own name of a tool. */
export function ownName(tool: Tool): string {
  return tool.label.slice(tool.server.length + 1);
}

/**
 * entriesOf are the tools of a server by their own names. What the user has switched off (`off`, as Switches
 * have it) is here at once, and also while the server is not connected.
 */
export function entriesOf(server: Server, { tools }: Pick<View, "tools">, off: readonly string[]): Entry[] {
  const entries = new Map<string, Entry>();
  const prefix = `${server.name}/`;
  const offHere = off.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  for (const own of [...(server.tools.off ?? []), ...offHere]) entries.set(own, { own });
  for (const tool of tools) {
    if (tool.server !== server.name) continue;
    const own = ownName(tool);
    if (!entries.has(own)) entries.set(own, { own, tool });
  }
  return [...entries.values()].sort((a, b) => (a.own < b.own ? -1 : 1));
}
