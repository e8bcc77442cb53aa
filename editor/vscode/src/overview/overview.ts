/** What the user sees of servers: the view, the status bar, the notices, and the commands about them. */
import * as vscode from "vscode";
import type { Lifecycle } from "../lifecycle.js";
import type { Services } from "../services.js";
import { ServerCommands } from "./commands.js";
import { Notices } from "./notices.js";
import { StatusBar } from "./status_bar.js";
import { ServersTree } from "./tree.js";

export class Overview implements vscode.Disposable {
  readonly #parts: vscode.Disposable;

  constructor(services: Services, lifecycle: Lifecycle) {
    const notices = new Notices(services);
    const commands = new ServerCommands(services, lifecycle, notices);
    const status = new StatusBar(services);
    const tree = new ServersTree(services, async (toggles) => {
      await commands.toggle(toggles);
      // Seen at once, before the sidecar has said so.
      tree.refresh();
      status.refresh();
    });
    this.#parts = vscode.Disposable.from(tree, status, commands, notices);
  }

  dispose(): void {
    this.#parts.dispose();
  }
}
