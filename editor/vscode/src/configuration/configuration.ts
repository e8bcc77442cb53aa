/**
 * Opening configuration files at what is looked for in them, and adding a server to one. What is added is left for
 * the user to finish and to save, also in a file that is not there yet.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { readsProjectFiles } from "../editor_sources.js";
import { localFolders } from "../folders.js";
import { guarded } from "../guarded.js";
import { serverOf } from "../nodes.js";
import type { Services } from "../services.js";
import { inPick } from "../text/places.js";
import { addition } from "./entries.js";
import { type Listed, listed, projectFiles, userFile } from "./files.js";
import { show } from "./show.js";

export class Configuration implements vscode.Disposable {
  readonly #services: Services;
  readonly #commands: vscode.Disposable[];

  constructor(services: Services) {
    this.#services = services;
    const command = (name: string, run: (argument: unknown) => Promise<void>) =>
      vscode.commands.registerCommand(`mcpSidecar.${name}`, (argument: unknown) =>
        guarded(() => run(argument)),
      );
    this.#commands = [
      command("openConfig", (argument) => this.#open(serverOf(argument))),
      command("createProjectConfig", () => this.#addToProject()),
      command("createUserConfig", () => addTo(this.#userFile())),
    ];
  }

  dispose(): void {
    for (const command of this.#commands) command.dispose();
  }

  /** open shows the entry of a server, or a file that the user chooses. */
  async #open(name: string | undefined): Promise<void> {
    if (name === undefined) return this.#choose();
    const server = this.#services.session.view.servers.find((server) => server.name === name);
    if (server === undefined) throw new Error(`There is no MCP server “${name}” now.`);
    const { path, line, column } = server.source;
    if (path === "")
      await vscode.commands.executeCommand("workbench.action.openSettings", "mcpSidecar.servers");
    else await show(path, line, column);
  }

  async #choose(): Promise<void> {
    const sidecar = await this.#services.session.running();
    const creatable = [this.#userFile(), ...localFolders().flatMap(({ uri }) => projectFiles(uri.fsPath))];
    const files = sidecar.doctor().then((report) => listed(report.files, creatable).map(itemOf));
    const chosen = await vscode.window.showQuickPick(files, {
      title: "Configuration Files",
      placeHolder: "Choose a file to open",
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen === undefined) return;
    if (chosen.file.exists) await show(chosen.file.path);
    else await addTo(chosen.file.path);
  }

  async #addToProject(): Promise<void> {
    const folder = await pickFolder();
    if (folder === undefined) return;
    const [own, shared] = projectFiles(folder.uri.fsPath);
    await addTo(readsProjectFiles() || existsSync(own) ? own : shared);
  }

  #userFile(): string {
    const { env } = this.#services.wishes().program;
    return userFile(homedir(), { ...process.env, ...env });
  }
}

async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const all = localFolders();
  if (all.length === 0)
    throw new Error("No folder of this machine is open: there is no project to add a server to.");
  if (all.length === 1) return all[0];
  const items = all.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder }));
  const placeHolder = "Choose the folder whose servers these are";
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.folder;
}

function itemOf(file: Listed): vscode.QuickPickItem & { readonly file: Listed } {
  return {
    file,
    label: `$(${file.exists ? "file" : "new-file"}) ${inPick(vscode.workspace.asRelativePath(file.path))}`,
    description: `${file.provider} · ${file.level}`,
    detail: inPick(file.state),
  };
}

/** addTo opens a file with one entry more, and its name selected, to be typed over. */
async function addTo(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  // One that is not there yet is created when it is saved: until then nobody reads half an entry.
  const document = await vscode.workspace.openTextDocument(
    existsSync(path) ? uri : uri.with({ scheme: "untitled" }),
  );
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const { insertSpaces, tabSize } = editor.options;
  const added = addition(document.getText(), {
    unit: insertSpaces === false ? "\t" : " ".repeat(typeof tabSize === "number" ? tabSize : 2),
    eol: document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n",
  });
  if (added === undefined) {
    throw new Error(
      `Nothing was added to ${path}: it is not JSON with an object of servers. Correct it first.`,
    );
  }
  const done = await editor.edit((edit) => {
    for (const { offset, length, content } of added.edits) {
      edit.replace(
        new vscode.Range(document.positionAt(offset), document.positionAt(offset + length)),
        content,
      );
    }
  });
  if (!done) throw new Error(`Nothing was added to ${path}: it was changed at the same time. Try again.`);
  const { offset, length } = added.name;
  editor.selection = new vscode.Selection(document.positionAt(offset), document.positionAt(offset + length));
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
