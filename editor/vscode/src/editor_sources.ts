/** What this VS Code takes servers from by itself, beside the files of its own: see editors_own.ts. */
import * as vscode from "vscode";
import type { EditorSources } from "./editors_own.js";

export function editorSources(): EditorSources {
  const roots = readsProjectFiles() ? (vscode.workspace.workspaceFolders ?? []) : [];
  return {
    folders: roots.map(({ uri }) => uri.fsPath),
    discovery: vscode.workspace.getConfiguration("chat.mcp").get("discovery.enabled"),
  };
}

/** readsProjectFiles: it runs what the .mcp.json of a folder names. A version that does has a setting about it. */
export function readsProjectFiles(): boolean {
  const mcp = vscode.workspace.getConfiguration("chat.mcp");
  return mcp.inspect("workspaceRootConfig.enabled")?.defaultValue !== undefined;
}
