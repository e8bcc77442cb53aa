/** The commands about servers: connect, disconnect, reload; the sidecar's restart; and what can be done now. */
import { SidecarClosedError } from "mcp-sidecar";
import * as vscode from "vscode";
import type { Lifecycle } from "../lifecycle.js";
import { type Choice, livePick } from "../live_pick.js";
import type { Services } from "../services.js";
import { nameOf } from "../switches.js";
import { line } from "../text/bounded.js";
import { iconless, linkless } from "../text/places.js";
import { type Action, actionsOf } from "./actions.js";
import type { Notices } from "./notices.js";
import { connectable, disconnectable } from "./phases.js";
import { serverFor } from "./pick.js";
import type { Toggle } from "./tree.js";

export class ServerCommands implements vscode.Disposable {
  readonly #services: Services;
  readonly #lifecycle: Lifecycle;
  readonly #notices: Notices;
  readonly #registered: vscode.Disposable;

  constructor(services: Services, lifecycle: Lifecycle, notices: Notices) {
    this.#services = services;
    this.#lifecycle = lifecycle;
    this.#notices = notices;
    const on = vscode.commands.registerCommand;
    this.#registered = vscode.Disposable.from(
      on("mcpSidecar.connect", (argument?: unknown) => this.connect(argument)),
      on("mcpSidecar.disconnect", (argument?: unknown) => this.disconnect(argument)),
      on("mcpSidecar.reload", () => this.reload()),
      on("mcpSidecar.restart", () => this.restart()),
      on("mcpSidecar.actions", () => this.actions()),
    );
  }

  dispose(): void {
    this.#registered.dispose();
  }

  async connect(argument: unknown): Promise<void> {
    const name = await serverFor(this.#services, argument, {
      title: "Connect an MCP Server",
      fits: (server) => connectable(server) || server.phase === "untrusted",
      none: "There is no MCP server that is not connected.",
    });
    if (name !== undefined) await this.#connect(name);
  }

  async #connect(name: string): Promise<void> {
    const { session, switches } = this.#services;
    const phase = session.view.servers.find((server) => server.name === name)?.phase;
    if (phase === "untrusted") {
      await vscode.commands.executeCommand("mcpSidecar.manageTrust", name);
      return;
    }
    if (switches.isOff(name)) await this.#turn([name], true);
    await this.#attempt(`connect "${name}"`, `Connecting "${name}"`, async () => {
      const server = await (await session.running()).connect(name);
      if (server.error !== undefined && server.status === "disconnected") this.#notices.report(server);
    });
  }

  /** disconnect keeps the server listed, so that it can be connected again. */
  async disconnect(argument: unknown): Promise<void> {
    const name = await serverFor(this.#services, argument, {
      title: "Disconnect an MCP Server",
      fits: disconnectable,
      none: "No MCP server is connected.",
    });
    if (name === undefined) return;
    await this.#attempt(`disconnect "${name}"`, `Disconnecting "${name}"`, async () => {
      await (await this.#services.session.running()).disconnect(name);
    });
  }

  async reload(): Promise<void> {
    await this.#attempt("reload the MCP servers", "Reloading MCP servers", async () => {
      await (await this.#services.session.running()).reload();
    });
  }

  /** restart waits for nothing: the status bar shows how it goes, and a notification that it failed. */
  restart(): void {
    this.#lifecycle.restart();
  }

  async actions(): Promise<void> {
    const { session, switches } = this.#services;
    const pick = vscode.window.createQuickPick<Choice>();
    pick.title = "MCP Sidecar";
    pick.placeholder = "What to do";
    const chosen = await livePick(session, pick, () => rows(actionsOf(session.view, switches.off)));
    if (chosen === undefined) return;
    const [command, ...given] = JSON.parse(chosen) as [string, ...string[]];
    await vscode.commands.executeCommand(command, ...given);
  }

  /** toggle does what checkboxes say. */
  async toggle(toggles: readonly Toggle[]): Promise<void> {
    const { session, switches } = this.#services;
    const switchOf = ({ node }: Toggle) =>
      node.kind === "server" ? nameOf(node.name) : nameOf(node.server, node.tool);
    const on = toggles.filter(({ on }) => on);
    // What the user has not switched off is off in its file: that is left as it is, and the server is connected.
    const once = on.filter(({ node }) => node.kind === "server" && !switches.isOff(node.name));
    await this.#turn(on.map(switchOf), true);
    await this.#turn(toggles.filter(({ on }) => !on).map(switchOf), false);
    const disabled = new Set(
      session.view.servers.filter(({ phase }) => phase === "disabled").map(({ name }) => name),
    );
    const names = once.map(switchOf).filter((name) => disabled.has(name));
    // Nobody waits for them: their rows show how it goes.
    for (const name of names) void this.#connect(name);
  }

  async #turn(names: readonly string[], on: boolean): Promise<void> {
    if (names.length === 0) return;
    await this.#services.switches.turn(names, on);
    this.#lifecycle.settingsChanged();
  }

  /** attempt does something that takes a while, and says why it did not work: `what` completes "Could not". */
  async #attempt(what: string, title: string, run: () => Promise<void>): Promise<void> {
    const location = vscode.ProgressLocation.Window;
    try {
      await vscode.window.withProgress({ location, title: `${iconless(line(title, 80))}…` }, run);
    } catch (error) {
      if (error instanceof SidecarClosedError) return; // its end is told by itself
      const why = error instanceof Error ? error.message : String(error);
      const message = `Could not ${line(what, 80)}: ${line(why, 400)}`;
      this.#services.log.error(message);
      const chosen = await vscode.window.showErrorMessage(linkless(message), "Show Log");
      if (chosen !== undefined) await vscode.commands.executeCommand("mcpSidecar.showLog");
    }
  }
}

/** rows has a line above each group. The name of a row is what it does. */
function rows(actions: readonly Action[]): Choice[] {
  return actions.flatMap((action, at): Choice[] => {
    const { group, title, description, icon, command, argument } = action;
    const head = { label: group, kind: vscode.QuickPickItemKind.Separator };
    const row: Choice = {
      name: JSON.stringify(argument === undefined ? [command] : [command, argument]),
      label: iconless(title),
      ...(description !== undefined && { description: iconless(description) }),
      iconPath: new vscode.ThemeIcon(icon),
    };
    return actions[at - 1]?.group === group ? [row] : [head, row];
  });
}
