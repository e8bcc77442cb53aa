/**
 * The names of output channels. VS Code makes a file of each, in whose name some characters are left out: two
 * servers must not get the same file, and the document of a channel is known by it. Pure.
 */
import { line } from "../text/bounded.js";
import { logged } from "./logged.js";

/** How long a name is at most: a file's has bounds. */
const LONGEST = 80;

const LEFT_OUT = /[\\/:*?"<>|]/g;

/**
 * channelName is that of a server's channel. `taken` are those that there are. VS Code itself has "MCP: …", for the
 * servers that it runs, which may have the same names.
 */
export function channelName(server: string, taken: readonly string[]): string {
  const name = `MCP Sidecar: ${line(logged(server), LONGEST)}`;
  const files = new Set(taken.map(fileOf));
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name} (${number})`;
    if (!files.has(fileOf(numbered))) return numbered;
  }
}

/** isDocumentOf says whether a document with this path (of scheme "output") is that of a channel. */
export function isDocumentOf(channel: string, path: string): boolean {
  const file = path.replace(/\.log$/, "").replace(LEFT_OUT, "");
  return file.endsWith(channel.replace(LEFT_OUT, ""));
}

/** Some file systems do not tell letters by their case. */
function fileOf(name: string): string {
  return name.replace(LEFT_OUT, "").toLowerCase();
}
