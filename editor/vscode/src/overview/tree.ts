/**
 * The view "Servers": servers and their tools, as rows. It shows the session's last view and keeps nothing
 * but which rows are open, and the rows themselves, which the editor knows by identity.
 */
import { homedir } from "node:os";
import type { Server } from "mcp-sidecar";
import * as vscode from "vscode";
import { editorSources } from "../editor_sources.js";
import { editorsOwn } from "../editors_own.js";
import { idOf, type Node, type ServerNode, type ToolNode } from "../nodes.js";
import type { Services } from "../services.js";
import { line } from "../text/bounded.js";
import { counted, type Surroundings } from "../text/words.js";
import { empty, type View } from "../view.js";
import { changedServers } from "./changes.js";
import { type Entry, entriesOf } from "./entries.js";
import { look } from "./phases.js";
import { Retries } from "./retries.js";
import { type Known, serverItem, serverTooltip } from "./server_item.js";
import { toolItem, toolTooltip } from "./tool_item.js";

const VIEW = "mcpSidecar.servers";

/** Toggle is a checkbox that the user has clicked. */
export interface Toggle {
  readonly node: Node;
  readonly on: boolean;
}

export class ServersTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #services: Services;
  readonly #changed = new vscode.EventEmitter<Node[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #tree: vscode.TreeView<Node>;
  readonly #ends: vscode.Disposable[];
  /** #rows are the nodes that the editor was given, by id. */
  readonly #rows = new Map<string, Node>();
  /** #open has the names of the servers whose row is open, also while they are away. */
  readonly #open = new Set<string>();
  readonly #retries = new Retries();
  /** #shown is what the rows were made of. */
  #shown: View = empty({ kind: "starting" });
  #shownOff: readonly string[] = [];
  /** #listed has the entries of #shown by server, as far as they were asked for: each row of a tool asks. */
  readonly #listed = new Map<string, readonly Entry[]>();
  #due: NodeJS.Immediate | undefined;
  /** #clock is there while a row counts the seconds to the next attempt. */
  #clock: NodeJS.Timeout | undefined;

  constructor(services: Services, toggled: (toggles: readonly Toggle[]) => Promise<void>) {
    this.#services = services;
    this.#tree = vscode.window.createTreeView<Node>(VIEW, {
      treeDataProvider: this,
      manageCheckboxStateManually: true,
      showCollapseAll: true,
    });
    const unlisten = services.session.on("changed", () => this.refresh());
    this.#ends = [
      this.#tree,
      this.#changed,
      { dispose: unlisten },
      this.#tree.onDidExpandElement(({ element }) => this.#keepOpen(element, true)),
      this.#tree.onDidCollapseElement(({ element }) => this.#keepOpen(element, false)),
      this.#tree.onDidChangeVisibility(() => this.#tick()),
      this.#tree.onDidChangeCheckboxState(async ({ items }) => {
        const { Checked } = vscode.TreeItemCheckboxState;
        await toggled(items.map(([node, state]) => ({ node, on: state === Checked })));
        // The boxes show what is so, also where the click has changed nothing.
        this.#changed.fire(items.map(([node]) => node));
      }),
    ];
    this.refresh();
  }

  dispose(): void {
    clearImmediate(this.#due);
    clearInterval(this.#clock);
    vscode.Disposable.from(...this.#ends).dispose();
  }

  /** refresh shows the last view, once for all changes of one turn of the event loop. */
  refresh(): void {
    this.#due ??= setImmediate(() => {
      this.#due = undefined;
      this.#show();
    });
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === "server" ? this.#serverRow(node) : this.#toolRow(node);
  }

  getChildren(parent?: Node): Node[] {
    if (parent === undefined) {
      return this.#shown.servers.map(({ name }) => this.#row<ServerNode>({ kind: "server", name }));
    }
    if (parent.kind === "tool") return [];
    return this.#entries(parent.name).map(({ own, tool }) =>
      this.#row<ToolNode>({ kind: "tool", server: parent.name, name: tool?.name ?? "", tool: own }),
    );
  }

  getParent(node: Node): Node | undefined {
    return node.kind === "tool" ? this.#row<ServerNode>({ kind: "server", name: node.server }) : undefined;
  }

  /** resolveTreeItem is asked when the pointer rests on a row. */
  resolveTreeItem(item: vscode.TreeItem, node: Node): vscode.TreeItem {
    item.tooltip = new vscode.MarkdownString(this.#tooltip(node));
    return item;
  }

  #tooltip(node: Node): string {
    if (node.kind === "tool") return toolTooltip(node.server, this.#entry(node));
    const server = this.#server(node.name);
    return server === undefined
      ? ""
      : serverTooltip(server, { ...this.#known(server), editors: this.#editors(server) }, surroundings());
  }

  #show(): void {
    const view = this.#services.session.view;
    const { off } = this.#services.switches;
    const before = { view: this.#shown, off: this.#shownOff };
    this.#shown = view;
    this.#shownOff = off;
    this.#listed.clear();
    this.#retries.see(view.servers);
    const names = changedServers(before, { view, off });
    if (names === undefined) this.#forget();
    this.#changed.fire(names?.map((name) => this.#row({ kind: "server", name })));
    this.#tree.message = messageOf(view);
    this.#tree.badge = badgeOf(view);
    this.#tick();
  }

  /** tick counts the seconds to the next attempts, while somebody sees them. */
  #tick(): void {
    const wanted = this.#tree.visible && this.#waiting().length > 0;
    if (!wanted) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      return;
    }
    this.#clock ??= setInterval(() => this.#changed.fire(this.#waiting()), 1000);
  }

  #waiting(): Node[] {
    return this.#shown.servers
      .filter(({ phase }) => phase === "backoff")
      .map(({ name }) => this.#row({ kind: "server", name }));
  }

  #serverRow(node: ServerNode): vscode.TreeItem {
    const server = this.#server(node.name);
    if (server === undefined) return new vscode.TreeItem(line(node.name, 80));
    const shown = serverItem(server, this.#known(server));
    const row = new vscode.TreeItem(shown.label, this.#collapsible(server));
    row.id = idOf(node);
    row.description = shown.description;
    row.iconPath = icon(shown.look.icon, shown.look.color);
    row.contextValue = shown.context;
    row.checkboxState = checkbox(shown.checked, "server");
    row.accessibilityInformation = { label: `${shown.label}, ${shown.look.word}, ${shown.description}` };
    return row;
  }

  #toolRow(node: ToolNode): vscode.TreeItem {
    const shown = toolItem(this.#entry(node));
    const row = new vscode.TreeItem(shown.label, vscode.TreeItemCollapsibleState.None);
    row.id = idOf(node);
    row.description = shown.description;
    row.iconPath = icon(shown.icon, shown.color);
    row.contextValue = shown.context;
    row.checkboxState = checkbox(shown.checked, "tool");
    return row;
  }

  #collapsible(server: Server): vscode.TreeItemCollapsibleState {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    if (this.#entries(server.name).length === 0) return None;
    return this.#open.has(server.name) ? Expanded : Collapsed;
  }

  #keepOpen(node: Node, open: boolean): void {
    if (node.kind !== "server") return;
    if (open) this.#open.add(node.name);
    else this.#open.delete(node.name);
  }

  #server(name: string): Server | undefined {
    return this.#shown.servers.find((server) => server.name === name);
  }

  /** editors: the agent is not offered the server, since it has it from the editor. */
  #editors(server: Server): boolean {
    const { excludeEditorServers } = this.#services.wishes().agent;
    return excludeEditorServers && editorsOwn([server], editorSources()).length > 0;
  }

  #known(server: Server): Known {
    return {
      off: this.#shownOff.includes(server.name),
      errors: this.#shown.errors,
      retryMs: this.#retries.msUntil(server),
    };
  }

  #entries(name: string): readonly Entry[] {
    const known = this.#listed.get(name);
    if (known !== undefined) return known;
    const server = this.#server(name);
    const entries = server === undefined ? [] : entriesOf(server, this.#shown, this.#shownOff);
    this.#listed.set(name, entries);
    return entries;
  }

  #entry({ server, tool }: ToolNode): Entry {
    return this.#entries(server).find(({ own }) => own === tool) ?? { own: tool };
  }

  /** row is the node that the editor knows for this id, if what it says is still so. */
  #row<N extends Node>(node: N): N {
    const id = idOf(node);
    const known = this.#rows.get(id);
    if (known !== undefined && known.name === node.name) return known as N;
    this.#rows.set(id, node);
    return node;
  }

  /** forget drops the rows of servers that are gone. */
  #forget(): void {
    const names = new Set(this.#shown.servers.map(({ name }) => name));
    for (const [id, node] of this.#rows) {
      if (!names.has(node.kind === "server" ? node.name : node.server)) this.#rows.delete(id);
    }
  }
}

/**
 * What stands above the rows, when there is something to say of all. Nothing where there is something to do:
 * VS Code shows the buttons of an empty view (viewsWelcome) only without it.
 */
function messageOf({ condition }: View): string {
  return condition.kind === "starting" ? "The sidecar starts…" : "";
}

/** The badge counts servers that wait for a person. */
function badgeOf({ servers }: View): vscode.ViewBadge | undefined {
  const asking = servers.filter((server) => look(server, false).kind === "ask").length;
  if (asking === 0) return undefined;
  const verb = asking === 1 ? "waits" : "wait";
  return { value: asking, tooltip: `${counted(asking, "MCP server")} ${verb} for you` };
}

function icon(id: string, color?: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
}

function checkbox(on: boolean, what: string): NonNullable<vscode.TreeItem["checkboxState"]> {
  const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
  return {
    state: on ? Checked : Unchecked,
    tooltip: on ? `Switch this ${what} off in this workspace` : `Switch this ${what} on`,
  };
}

function surroundings(): Surroundings {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return { roots: folders.map(({ uri }) => uri.fsPath), home: homedir() };
}
