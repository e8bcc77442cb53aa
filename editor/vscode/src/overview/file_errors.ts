/** Files of servers that are wrong as a whole, so that no server in the view can tell of it. Pure. */
import { basename, dirname, isAbsolute } from "node:path";
import { line } from "../text/bounded.js";
import type { View } from "../view.js";

/** fileErrors are sentences, one for each file: what it is, and the first thing that is wrong with it. */
export function fileErrors({ errors }: Pick<View, "errors">): string[] {
  const files = new Map<string, string>();
  for (const { path, server, severity, error } of errors) {
    if (severity !== "error" || server !== undefined || !isAbsolute(path) || files.has(path)) continue;
    // Most are called mcp.json: the directory tells them apart.
    files.set(path, line(`${basename(dirname(path))}/${basename(path)}: ${error}`, 160));
  }
  return [...files.values()];
}
