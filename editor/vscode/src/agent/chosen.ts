/** Which servers the user offers to agents: the settings mcpSidecar.agent.only and except. Pure. */
import type { AgentWishes } from "../settings.js";

/** chosen says whether a server is offered, as the flags of `mcp-sidecar mcp` have it. */
export function chosen(server: string, { only, except }: Pick<AgentWishes, "only" | "except">): boolean {
  const fits = (glob: string) => matches(glob, server);
  return (only.length === 0 || only.some(fits)) && !except.some(fits);
}

/** The parts of a glob: an escaped character, a class, and whatever else is one character. */
const PART = /\\(?<escaped>.)|\[(?<not>\^?)(?<members>(?:\\.|[^\]\\])+)\]|(?<other>.)/gsu;

/** matches has the syntax of the sidecar's globs. One that is not well formed matches only itself. */
function matches(glob: string, name: string): boolean {
  if (glob === name) return true;
  let source = "";
  for (const { groups = {} } of glob.matchAll(PART)) {
    const { escaped, not = "", members, other } = groups;
    if (members !== undefined) source += `[${not}${members.replace(/\\(.)|[[&|~^]/gsu, quoted)}]`;
    else if (escaped !== undefined) source += quoted(escaped);
    else if (other === "*") source += ".*";
    else if (other === "?") source += ".";
    else if (other === "[" || other === "\\") return false;
    else source += quoted(other ?? "");
  }
  try {
    return new RegExp(`^${source}$`, "su").test(name);
  } catch {
    return false;
  }
}

/** quoted is a character that stands for itself, which may have been escaped before. */
function quoted(text: string): string {
  const character = text.length > 1 && text.startsWith("\\") ? text.slice(1) : text;
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
