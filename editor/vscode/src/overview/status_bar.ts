/** The item in the status bar, and the context key that says the same to menus: views of the last status. */
import * as vscode from "vscode";
import type { Services } from "../services.js";
import { statusOf } from "./status.js";

export class StatusBar implements vscode.Disposable {
  readonly #services: Services;
  readonly #item: vscode.StatusBarItem;
  readonly #unlisten: () => void;
  #due: NodeJS.Immediate | undefined;
  #condition = "";

  constructor(services: Services) {
    this.#services = services;
    this.#item = vscode.window.createStatusBarItem("mcpSidecar.status", vscode.StatusBarAlignment.Left, 10);
    this.#item.name = "MCP Sidecar";
    this.#unlisten = services.session.on("changed", () => this.refresh());
    this.#show();
    this.#item.show();
  }

  /** refresh shows the last view, once for all changes of one turn of the event loop. */
  refresh(): void {
    this.#due ??= setImmediate(() => {
      this.#due = undefined;
      this.#show();
    });
  }

  dispose(): void {
    clearImmediate(this.#due);
    this.#unlisten();
    this.#item.dispose();
  }

  #show(): void {
    const { session, switches } = this.#services;
    const status = statusOf(session.view, switches.off);
    this.#item.text = status.text;
    this.#item.tooltip = new vscode.MarkdownString(status.tooltip);
    this.#item.command = status.command;
    this.#item.accessibilityInformation = { label: status.spoken };
    this.#item.backgroundColor =
      status.background === undefined ? undefined : new vscode.ThemeColor(status.background);
    const { kind } = session.view.condition;
    if (kind === this.#condition) return;
    this.#condition = kind;
    void vscode.commands.executeCommand("setContext", "mcpSidecar.condition", kind);
  }
}
