/** The folders of the window that lie on the disk of the machine that the sidecar runs on. */
import * as vscode from "vscode";

export function localFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
}
