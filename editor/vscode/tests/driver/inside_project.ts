/** The folder of the window, for tests inside the extension host, with a hub that sees its servers. */
import { join } from "node:path";
import * as vscode from "vscode";
import { Hub } from "../../../../agent/node/test/hub.js";
import { Project } from "./world.js";

export async function insideProject(): Promise<Project> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined) throw new Error("the window has no folder");
  const socket = join(folder, "../inside");
  return new Project(folder, socket, await Hub.listen(socket));
}
