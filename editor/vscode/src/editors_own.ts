/**
 * Which servers VS Code's agent has without this extension, though their files are other tools': VS Code runs what
 * the file .mcp.json of a folder names (since one of its later versions, 1.139 at the latest), and what it was told
 * to discover. They are in the view, since other programs' agents have them from the sidecar; but the editor's
 * agent would have their tools twice. Pure.
 */
import { join } from "node:path";
import type { Server } from "mcp-sidecar";

/** EditorSources are where VS Code takes servers from, beside the files of its own. */
export interface EditorSources {
  /** folders whose .mcp.json it reads. */
  readonly folders: readonly string[];
  /** discovery is the setting chat.mcp.discovery.enabled, which in older versions is one word for all. */
  readonly discovery: unknown;
}

/** The tools that it can discover the servers of, by our names of them and the level of the file. */
const DISCOVERED: { readonly [provider: string]: { readonly [level: string]: string } } = {
  "claude-desktop": { user: "claude-desktop" },
  windsurf: { user: "windsurf" },
  // The user's servers that are left of VS Code's provider: see discovery.own of the protocol.
  vscode: { user: "copilot" },
  cursor: { user: "cursor-global", project: "cursor-workspace" },
};

/** editorsOwn are the names of those servers. */
export function editorsOwn(servers: readonly Server[], { folders, discovery }: EditorSources): string[] {
  const files = new Set(folders.map((folder) => join(folder, ".mcp.json")));
  const runs = ({ provider, level, path }: Server["source"]) =>
    files.has(path) || discovered(DISCOVERED[provider]?.[level], discovery);
  return servers.filter(({ source }) => runs(source)).map(({ name }) => name);
}

function discovered(source: string | undefined, setting: unknown): boolean {
  if (source === undefined) return false;
  if (typeof setting !== "object" || setting === null) return setting === true;
  return (setting as Record<string, unknown>)[source] === true;
}
