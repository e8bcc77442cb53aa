/** The logs of servers that somebody has asked for: mcpSidecar.showServerLog. Each lasts as long as its server. */
import { within } from "mcp-sidecar/within";
import * as vscode from "vscode";
import { serverFor } from "../overview/pick.js";
import type { Services } from "../services.js";
import { inMessage } from "../text/places.js";
import type { View } from "../view.js";
import { channelName, isDocumentOf } from "./channel_name.js";
import { ServerLog } from "./server_log.js";

/** How long a log that is shown waits for the sidecar's answer. */
const PATIENCE_MS = 1000;

export class ServerLogs implements vscode.Disposable {
  readonly #services: Services;
  readonly #logs = new Map<string, ServerLog>();
  readonly #disposables: vscode.Disposable[];

  constructor(services: Services) {
    this.#services = services;
    const unlisten = services.session.on("changed", (view) => this.#changed(view));
    this.#disposables = [
      { dispose: unlisten },
      vscode.commands.registerCommand("mcpSidecar.showServerLog", (argument: unknown) =>
        this.#show(argument),
      ),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#look()),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    for (const log of this.#logs.values()) log.dispose();
    this.#logs.clear();
  }

  async #show(argument: unknown): Promise<void> {
    const { session } = this.#services;
    const name = await serverFor(this.#services, argument, {
      title: "Show Log",
      fits: () => true,
      none: "There is no MCP server in this window.",
    });
    if (name === undefined) return;
    const server = session.view.servers.find((server) => server.name === name);
    if (server === undefined) {
      void vscode.window.showErrorMessage(`There is no MCP server “${inMessage(name)}” in this window.`);
      return;
    }
    let log = this.#logs.get(name);
    if (log === undefined) {
      const taken = [...this.#logs.values()].map(({ channel }) => channel.name);
      log = new ServerLog(name, channelName(name, taken), session);
      this.#logs.set(name, log);
    }
    // VS Code reads the file of a channel and notes its state at the same time: what is written just then is not
    // shown before the next line is. So what there is comes first.
    await within(log.ask(), PATIENCE_MS);
    if (this.#logs.get(name) === log) log.channel.show(true);
  }

  #changed({ condition, servers }: View): void {
    // While nothing runs nothing is known of the servers: they are expected back.
    if (condition.kind !== "running") return;
    for (const [name, log] of this.#logs) {
      const server = servers.find((server) => server.name === name);
      if (server !== undefined) log.changed(server);
      else {
        this.#logs.delete(name);
        log.dispose();
      }
    }
  }

  #look(): void {
    for (const log of this.#logs.values()) log.visible = isVisible(log.channel);
  }
}

/** isVisible looks for the editor in which the output view shows the channel. */
function isVisible(channel: vscode.OutputChannel): boolean {
  return vscode.window.visibleTextEditors.some(
    ({ document: { uri } }) => uri.scheme === "output" && isDocumentOf(channel.name, uri.path),
  );
}
