/**
 * When the user is asked about the servers that a project's files name, and what becomes of the answer.
 *
 * The sidecar asks one question at a time, and would keep what other servers need to know behind one that nobody
 * looks at. So its question is answered at once with nothing, and a notification says who waits. What the user
 * decides, then or later, becomes a request for the entry as it was shown: one that has changed meanwhile is
 * refused by the sidecar.
 */
import { type ApproveParams, type Decision, ErrorCode, type ProjectServer, ResponseError } from "mcp-sidecar";
import * as vscode from "vscode";
import { show } from "../configuration/show.js";
import { guarded } from "../guarded.js";
import { serverOf } from "../nodes.js";
import type { Services } from "../services.js";
import { ends } from "../text/bounded.js";
import { inMessage, inPick } from "../text/places.js";
import { commandOf, detailOf, keyOf, noticeOf, titleOf, wordOf } from "./details.js";

const ALLOW = "Allow";
const DENY = "Deny";
const FORGET = "Forget the Decision";
const SHOW_FILE = "Show File";
const REVIEW = "Review…";
const NOT_NOW = "Not Now";

type Verdict = "allow" | "deny" | "revoke";

export class Trust implements vscode.Disposable {
  readonly #services: Services;
  readonly #decided: () => void;
  readonly #command: vscode.Disposable;
  /** #announced are the entries of which a notification told: a sidecar that is started again asks again. */
  readonly #announced = new Set<string>();

  /** `decided` is told when the user has allowed a server: what that one asks for next is expected. */
  constructor(services: Services, decided: () => void) {
    this.#services = services;
    this.#decided = decided;
    this.#command = vscode.commands.registerCommand("mcpSidecar.manageTrust", (argument: unknown) =>
      this.#guarded(() => this.#manage(serverOf(argument))),
    );
  }

  /** approve answers trust/approve: with nothing, at once. */
  approve({ servers }: ApproveParams): undefined {
    const news = servers.filter((server) => !this.#announced.has(keyOf(server)));
    for (const server of news) this.#announced.add(keyOf(server));
    if (news.length > 0) void this.#guarded(() => this.#announce(servers));
  }

  dispose(): void {
    this.#command.dispose();
  }

  /** announce tells who waits, in a notification. */
  async #announce(servers: readonly ProjectServer[]): Promise<void> {
    const [server] = servers;
    if (server === undefined) return;
    const { text, decidable } = noticeOf(servers);
    const buttons = decidable ? [ALLOW, DENY, SHOW_FILE] : [REVIEW, NOT_NOW];
    switch (await vscode.window.showWarningMessage(text, ...buttons)) {
      case ALLOW:
        return this.#decide(server, "allow");
      case DENY:
        return this.#decide(server, "deny");
      case SHOW_FILE:
        await showFile(server);
        return this.#announce([server]);
      case REVIEW:
        return this.#review();
    }
  }

  /** review goes through the servers that wait now, one by one. */
  async #review(): Promise<void> {
    const waiting = (await this.#list()).filter(({ decision }) => decision === undefined);
    if (waiting.length === 0) {
      void vscode.window.showInformationMessage("No MCP server of this project waits to be allowed.");
    }
    for (const [index, server] of waiting.entries()) {
      const count = waiting.length > 1 ? ` (${index + 1} of ${waiting.length})` : "";
      const verdict = await ask(server, count);
      if (verdict === undefined) return;
      if (verdict === "file") {
        // The dialog would lie over the file: a notification asks about it and the others.
        await showFile(server);
        return this.#announce(waiting.slice(index));
      }
      await this.#decide(server, verdict);
    }
  }

  /** manage shows what was decided, and changes it: of all servers, or of those that have a name. */
  async #manage(name: string | undefined): Promise<void> {
    if (!vscode.workspace.isTrusted) return sayRestricted();
    for (;;) {
      const all = await this.#list();
      const servers = name === undefined ? all : all.filter((server) => server.name === name);
      const [first] = servers;
      if (first === undefined) {
        const what =
          name === undefined ? "no MCP servers" : `no MCP server “${ends(inMessage(name), 60).text}”`;
        void vscode.window.showInformationMessage(
          `The files of this project name ${what}: there is nothing to decide.`,
        );
        return;
      }
      const single = name !== undefined && servers.length === 1;
      const server = single ? first : await pick(servers);
      if (server === undefined) return;
      const verdict = await ask(server, "");
      if (verdict === "file") return showFile(server);
      if (verdict !== undefined) await this.#decide(server, verdict);
      if (single) return;
    }
  }

  async #list(): Promise<readonly ProjectServer[]> {
    const sidecar = await this.#services.session.running();
    return (await sidecar.request("trust/list", {})).servers;
  }

  /** decide makes a request of a decision about an entry as it was shown. */
  async #decide(server: ProjectServer, verdict: Verdict): Promise<void> {
    const { name, hash } = server;
    if (verdict === "allow") this.#decided();
    try {
      const sidecar = await this.#services.session.running();
      await sidecar.request(`trust/${verdict}`, { server: name, hash });
    } catch (error) {
      if (!isGone(error)) throw error;
      const text = `The MCP server “${ends(inMessage(name), 60).text}” has changed since it was shown: nothing was decided.`;
      void vscode.window.showWarningMessage(text, REVIEW).then((choice) => {
        if (choice === REVIEW) void this.#guarded(() => this.#review());
      });
    }
  }

  /** guarded says what went wrong: nobody waits for what it does. */
  #guarded(action: () => Promise<void>): Promise<void> {
    const { log } = this.#services;
    const lead = "Nothing was decided about the project's MCP servers: ";
    return guarded(action, lead, (message) => log.error(`trust: ${message}`));
  }
}

/** isGone: there is no such entry any more, or it is another one now. */
function isGone(error: unknown): boolean {
  if (!(error instanceof ResponseError)) return false;
  return error.code === ErrorCode.InvalidParams || error.code === ErrorCode.UnknownServer;
}

async function showFile({ path, line, column }: ProjectServer): Promise<void> {
  await show(path, line, column);
}

/** ask is the dialog about one server: with what can be changed about it. */
async function ask(server: ProjectServer, count: string): Promise<Verdict | "file" | undefined> {
  const { decision } = server;
  const { text, whole } = detailOf(server);
  const answers = new Map<string, Verdict | "file">();
  // Enter takes the first.
  if (!whole) answers.set(SHOW_FILE, "file");
  if (decision !== "allow") answers.set(ALLOW, "allow");
  if (decision !== "deny") answers.set(DENY, "deny");
  if (decision === "allow" || decision === "deny") answers.set(FORGET, "revoke");
  answers.set(SHOW_FILE, "file");
  const choice = await vscode.window.showWarningMessage(
    `${titleOf(server)}${count}`,
    { modal: true, detail: text },
    ...answers.keys(),
  );
  return choice === undefined ? undefined : answers.get(choice);
}

interface Item extends vscode.QuickPickItem {
  readonly server: ProjectServer;
}

const ICONS: { readonly [D in Decision]: string } = {
  allow: "pass",
  deny: "circle-slash",
  later: "question",
};
const FILE_BUTTON = { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: SHOW_FILE };

/** pick asks for one of the servers. Its button shows the file instead. */
function pick(servers: readonly ProjectServer[]): Promise<ProjectServer | undefined> {
  const list = vscode.window.createQuickPick<Item>();
  list.title = "Servers That the Project's Files Name";
  list.placeholder = "Choose a server to allow it, to deny it, or to forget what was decided";
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = servers.map((server) => ({
    server,
    label: `$(${ICONS[server.decision ?? "later"]}) ${ends(inPick(server.name), 100).text}`,
    description: `${wordOf(server.decision)} · ${inPick(vscode.workspace.asRelativePath(server.path))}`,
    detail: ends(inPick(commandOf(server)), 300).text,
    buttons: [FILE_BUTTON],
  }));
  return new Promise((resolve) => {
    list.onDidTriggerItemButton(({ item }) => {
      resolve(undefined);
      list.hide();
      void showFile(item.server);
    });
    list.onDidAccept(() => {
      resolve(list.selectedItems[0]?.server);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

/** sayRestricted says why there is nothing to decide. */
async function sayRestricted(): Promise<void> {
  const manage = "Manage Workspace Trust";
  const choice = await vscode.window.showInformationMessage(
    "The workspace is restricted: no MCP server runs in it. You are asked about its servers when you trust the workspace.",
    manage,
  );
  if (choice === manage) await vscode.commands.executeCommand("workbench.trust.manage");
}
