/**
 * What the rows of the view are, and what commands in their menus get. Pure. A command is called with a node
 * from a menu, with a name by another command or a key, and with nothing from the palette.
 */

export interface ServerNode {
  readonly kind: "server";
  readonly name: string;
}

export interface ToolNode {
  readonly kind: "tool";
  readonly server: string;
  /** name is what a model calls it by. One that is switched off has none, and "" here. */
  readonly name: string;
  /** tool is the server's own name of it. */
  readonly tool: string;
}

export type Node = ServerNode | ToolNode;

/** serverOf is the name of the server that a command is about, if it was told. */
export function serverOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const node = nodeOf(argument);
  return node?.kind === "server" ? node.name : node?.server;
}

/** toolOf is the exposed name of the tool that a command is about, if it was told. */
export function toolOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const node = nodeOf(argument);
  return node?.kind === "tool" && node.name !== "" ? node.name : undefined;
}

function nodeOf(argument: unknown): Node | undefined {
  if (typeof argument !== "object" || argument === null) return undefined;
  const { kind, name, server, tool } = argument as Record<string, unknown>;
  if (typeof name !== "string") return undefined;
  if (kind === "server") return { kind, name };
  if (kind !== "tool" || typeof server !== "string" || typeof tool !== "string") return undefined;
  return { kind, server, name, tool };
}

/** idOf tells nodes apart, and stays the same as long as the node is about the same thing. */
export function idOf(node: Node): string {
  return JSON.stringify(node.kind === "server" ? [node.name] : [node.server, node.tool]);
}
