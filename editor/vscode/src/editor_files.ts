/**
 * Where this editor keeps the MCP servers that it runs itself: files that only an extension can find, since a
 * profile, a fork, or the editor's part on another machine has its own. Pure.
 */
import { basename, dirname, join } from "node:path";

/**
 * editorFiles are the mcp.json of the user's profile and that of the machine. `storage` is the directory that
 * the extension may store things in: …/User/globalStorage/NAME, or …/User/profiles/ID/globalStorage/NAME.
 */
export function editorFiles(storage: string): string[] {
  const profile = dirname(dirname(storage));
  const above = dirname(profile);
  const user = basename(above) === "profiles" ? dirname(above) : profile;
  return [join(profile, "mcp.json"), join(dirname(user), "Machine", "mcp.json")];
}
