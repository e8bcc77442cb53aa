/**
 * When the window's sidecar starts, is told of changes, and stops: as the workspace is trusted, as the settings
 * and the switches say, with the folders of the window.
 */
import { homedir } from "node:os";
import type { Handlers, WorkspaceFolder } from "mcp-sidecar";
import * as vscode from "vscode";
import { findBinary } from "./binary.js";
import { editorFiles } from "./editor_files.js";
import { environment } from "./environment.js";
import { localFolders } from "./folders.js";
import { logArguments } from "./log/program_line.js";
import type { Services } from "./services.js";
import type { Launch } from "./session.js";
import { changeBetween, type Wishes, wishesOf } from "./settings.js";
import type { Switches } from "./switches.js";

/** currentWishes reads the settings as they are now. */
export function currentWishes(context: vscode.ExtensionContext, switches: Switches): Wishes {
  const configuration = vscode.workspace.getConfiguration("mcpSidecar");
  return wishesOf((name) => configuration.get(name), {
    off: switches.off,
    folder: folders().length > 0,
    editorFiles: editorFiles(context.globalStorageUri.fsPath),
  });
}

/** folders are those of the window, as the sidecar is told of them. */
function folders(): WorkspaceFolder[] {
  return localFolders().map(({ uri, name }) => ({ uri: vscode.Uri.file(uri.fsPath).toString(), name }));
}

export class Lifecycle implements vscode.Disposable {
  readonly #services: Services;
  readonly #handlers: Handlers;
  readonly #subscriptions: vscode.Disposable[];
  /** #known is what the sidecar was started with, or told since. */
  #known: Wishes;
  /** #root is the directory that it was started in, which it keeps: that of the first folder. */
  #root: string | undefined;

  constructor(services: Services, handlers: Handlers) {
    this.#services = services;
    this.#handlers = handlers;
    this.#known = services.wishes();
    this.#subscriptions = [
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("mcpSidecar")) this.settingsChanged();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#foldersChanged()),
    ];
  }

  /** restart starts the sidecar anew, if it may run. Nobody waits: what comes of it is seen in the view. */
  restart(): void {
    const { session } = this.#services;
    this.#known = this.#services.wishes();
    this.#root = folders()[0]?.uri;
    if (!vscode.workspace.isTrusted) void session.stop("restricted");
    else if (!this.#known.enabled) void session.stop("disabled");
    else void session.start(this.#launch(this.#known));
  }

  /** settingsChanged is for changes of the settings and of the switches. */
  settingsChanged(): void {
    const after = this.#services.wishes();
    const change = changeBetween(this.#known, after);
    if (change === "nothing") return;
    // What does not run may do so with other settings: they may be why.
    const failed = this.#services.session.view.condition.kind === "failed";
    if (change === "restart" || failed) {
      this.restart();
      return;
    }
    this.#known = after;
    this.#services.session.configure({ settings: after.settings });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #foldersChanged(): void {
    const workspaceFolders = folders();
    // Another directory, or whether there is a project at all, is more than another list of folders.
    if (workspaceFolders[0]?.uri !== this.#root) this.restart();
    else if (workspaceFolders.length > 0) this.#services.session.configure({ workspaceFolders });
  }

  #launch({ program, settings }: Wishes): Launch {
    const { context } = this.#services;
    const roots = folders();
    const first = roots[0];
    return {
      binary: () => findBinary(program.path, context.extensionPath),
      args: logArguments(program.args),
      env: environment(process.env, program.env),
      client: { name: "vscode", version: vscode.version },
      cwd: first === undefined ? homedir() : vscode.Uri.parse(first.uri).fsPath,
      ...(first !== undefined && { workspaceFolders: roots }),
      settings,
      handlers: this.#handlers,
    };
  }
}
