/** What a command may be given: nothing, a server's name, or a node of the view. Pure. */

/** serverIn is the name of the server that a command is about, if it was given one. */
export function serverIn(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  if (typeof argument !== "object" || argument === null) return undefined;
  const { kind, name, server } = argument as { kind?: unknown; name?: unknown; server?: unknown };
  const given = kind === "server" ? name : kind === "tool" ? server : undefined;
  return typeof given === "string" ? given : undefined;
}
