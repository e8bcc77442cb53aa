/**
 * Notifications: a server that does not work, the end of the sidecar, and settings that it refuses. news.ts decides
 * what is told of the first two.
 */
import type { Server } from "mcp-sidecar";
import * as vscode from "vscode";
import type { Services } from "../services.js";
import { line } from "../text/bounded.js";
import { linkless } from "../text/places.js";
import { ended, endOf, messageOf, newsOf, reasonOfEnd } from "./news.js";

/** Servers that fail within this time are told together. In milliseconds. */
const MOMENT = 750;

interface Button {
  readonly title: string;
  readonly command: string;
  readonly argument?: string;
}

const SETTINGS: Button = {
  title: "Open Settings",
  command: "workbench.action.openSettings",
  argument: "mcpSidecar",
};
const SHOW_LOG: Button = { title: "Show Log", command: "mcpSidecar.showLog" };

export class Notices implements vscode.Disposable {
  readonly #ends: (() => void)[];
  #told: ReadonlySet<string> = new Set();
  /** When the end of a sidecar was told last. */
  #endToldAt: number | undefined;
  /** #waiting are servers to be told of, by name: the last record of each. */
  readonly #waiting = new Map<string, Server>();
  /** #timer is there while some wait. */
  #timer: NodeJS.Timeout | undefined;

  constructor({ session }: Services) {
    this.#ends = [
      session.on("changed", ({ condition, servers }) => {
        // Nobody's servers are gone for good while the sidecar is.
        if (condition.kind === "running") this.#look(servers);
      }),
      session.on("ended", ({ error, again }) => this.#ended(error, again)),
      session.on("refused", ({ message }) => {
        const text = linkless(`The settings of MCP Sidecar were not taken: ${line(message, 400)}`);
        void ask(vscode.window.showErrorMessage, text, [SETTINGS, SHOW_LOG]);
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
  }

  /** report tells of a server that was just asked to connect, told before or not. */
  report(server: Server): void {
    this.#told = new Set([...this.#told, server.name]);
    this.#add(server);
  }

  #look(servers: readonly Server[]): void {
    const { told, fresh } = newsOf(this.#told, servers);
    this.#told = told;
    for (const { name } of [...this.#waiting.values()]) {
      if (!told.has(name)) this.#waiting.delete(name); // it works meanwhile
    }
    for (const server of fresh) this.#add(server);
  }

  #add(server: Server): void {
    this.#waiting.set(server.name, server);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const servers = [...this.#waiting.values()];
      this.#waiting.clear();
      if (servers.length > 0) void this.#tell(servers);
    }, MOMENT);
  }

  async #tell(servers: readonly Server[]): Promise<void> {
    const { length, 0: first } = servers;
    const buttons: Button[] =
      length === 1 && first !== undefined
        ? [
            { title: "Show Log", command: "mcpSidecar.showServerLog", argument: first.name },
            ...(first.source.path === ""
              ? []
              : [{ title: "Open Configuration", command: "mcpSidecar.openConfig", argument: first.name }]),
          ]
        : [{ title: "Show Servers", command: "mcpSidecar.servers.focus" }, SHOW_LOG];
    await ask(vscode.window.showWarningMessage, messageOf(servers), buttons);
  }

  #ended(error: Error, again: boolean): void {
    const { tell, toldAt } = endOf(again, this.#endToldAt, Date.now());
    this.#endToldAt = toldAt;
    if (tell === undefined) return;
    const why = reasonOfEnd(error);
    if (tell === "again") {
      const message = `The MCP sidecar is started again: ${ended(why)}`;
      void ask(vscode.window.showWarningMessage, message, [SHOW_LOG]);
    } else {
      const buttons = [SHOW_LOG, { title: "Restart", command: "mcpSidecar.restart" }];
      void ask(vscode.window.showErrorMessage, `The MCP sidecar does not run: ${why}`, buttons);
    }
  }
}

type Show = (message: string, ...items: Button[]) => Thenable<Button | undefined>;

async function ask(show: Show, message: string, buttons: readonly Button[]): Promise<void> {
  const chosen = await show(message, ...buttons);
  if (chosen === undefined) return;
  await vscode.commands.executeCommand(
    chosen.command,
    ...(chosen.argument === undefined ? [] : [chosen.argument]),
  );
}
