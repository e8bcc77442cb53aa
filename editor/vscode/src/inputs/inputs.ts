/**
 * The values of ${input:…} in configuration files: asked from the user once, kept in the editor's secret storage,
 * and given from there at the next start.
 *
 * The sidecar asks one question at a time, and others wait behind it. So a question that nobody expects is
 * answered with nothing, and a notification tells of it: its button connects the server, by which the sidecar
 * asks again, and then the dialog is shown.
 */
import { hostname } from "node:os";
import type { HandlerContext, InputParams, Server } from "mcp-sidecar";
import * as vscode from "vscode";
import { guarded } from "../guarded.js";
import type { Services } from "../services.js";
import { inMessage, inPick } from "../text/places.js";
import { unmistakable } from "../text/visible.js";
import { askFor } from "./dialog.js";
import { Expectation, noticeOf, refused } from "./questions.js";
import { isAt, type Kept, type Place, Vault } from "./vault.js";

const ENTER = "Enter Value…";
const AGAIN = "Enter Again…";
const NOT_NOW = "Not Now";

export class Inputs implements vscode.Disposable {
  readonly #services: Services;
  readonly #restart: () => void;
  readonly #vault: Vault;
  readonly #subscriptions: vscode.Disposable[];
  readonly #expectation = new Expectation();
  /** The last dialog; the next waits for it. */
  #turn: Promise<unknown> = Promise.resolve();
  /** #given are the values that this window's sidecar has from the vault: they may be wrong by now. */
  #given: Place[] = [];
  /** #doubted are the servers that have failed as with a wrong value, and of which the user was told. */
  readonly #doubted = new Set<string>();

  /** `restart` starts the sidecar anew: it keeps values for as long as it runs. */
  constructor(services: Services, restart: () => void) {
    this.#services = services;
    this.#restart = restart;
    this.#vault = new Vault(services.context.secrets);
    this.#subscriptions = [
      vscode.commands.registerCommand("mcpSidecar.forgetInputs", () => this.#guarded(() => this.#forget())),
      { dispose: services.session.on("changed", ({ servers }) => this.#doubt(servers)) },
      { dispose: services.session.on("started", () => this.#anew()) },
    ];
  }

  /** expect says that the user has just asked for something that may need a value. */
  expect(): void {
    this.#expectation.act();
  }

  /** input answers input/request. */
  async input(question: InputParams, { signal }: HandlerContext): Promise<string | undefined> {
    const path = await this.#fileOf(question.server);
    if (path === undefined || path === "" || signal.aborted) return undefined;
    const place: Place = { machine: machine(), path, id: question.id };
    const kept = await this.#vault.value(place);
    if (kept !== undefined) {
      this.#given.push(place);
      return kept;
    }
    if (!this.#expectation.asks(JSON.stringify(place))) {
      void this.#guarded(() => this.#announce(question));
      return undefined;
    }
    const value = await this.#inTurn(() => askFor(question, path, signal));
    if (value === undefined || signal.aborted) return undefined;
    this.expect(); // of the next value of the same server
    await this.#vault.keep({ ...place, server: question.server }, value).catch((error: Error) => {
      this.#services.log.error(`the value of an input was not kept for the next time: ${error.message}`);
    });
    this.#given.push(place);
    return value;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** fileOf is the file that the server's entry is in: its ids are of that file. */
  async #fileOf(name: string): Promise<string | undefined> {
    try {
      const { servers } = await this.#services.session.running();
      return servers.find((server) => server.name === name)?.source.path;
    } catch {
      return undefined; // it is gone, and its question with it
    }
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #announce(question: InputParams): Promise<void> {
    const choice = await vscode.window.showWarningMessage(noticeOf(question), ENTER, NOT_NOW);
    if (choice === ENTER) await this.#connect(question.server);
  }

  /** connect has the sidecar ask again, now that the user expects it. */
  async #connect(server: string): Promise<void> {
    this.expect();
    const sidecar = await this.#services.session.running();
    await sidecar.connect(server);
  }

  /** anew is for another sidecar: it has no values yet, and has asked for none. */
  #anew(): void {
    this.#expectation.anew();
    this.#given = [];
    this.#doubted.clear();
  }

  /** doubt offers to give values anew where a server that has kept ones is refused. */
  #doubt(servers: readonly Server[]): void {
    for (const server of servers) {
      if (server.phase === "ready") this.#doubted.delete(server.name);
      const ofFile = this.#given.some(({ path }) => path === server.source.path);
      if (!ofFile || !refused(server) || this.#doubted.has(server.name)) continue;
      this.#doubted.add(server.name);
      void this.#guarded(() => this.#offerAnew(server));
    }
  }

  async #offerAnew({ name, source }: Server): Promise<void> {
    const sidecar = await this.#services.session.running();
    const { servers } = await sidecar.doctor({ server: name });
    const ids = servers.find(({ server }) => server.name === name)?.inputs ?? [];
    const places = this.#given.filter(({ path, id }) => path === source.path && ids.includes(id));
    if (places.length === 0) return;
    const text = `The MCP server “${inMessage(name)}” was refused. The values that are kept for it may be wrong: ${places.map(({ id }) => inMessage(id)).join(", ")}.`;
    if ((await vscode.window.showWarningMessage(text, AGAIN, NOT_NOW)) !== AGAIN) return;
    await this.#vault.forget(places);
    this.#askAnew();
  }

  /** forget lists what is kept, never values, and forgets what the user chooses. */
  async #forget(): Promise<void> {
    const kept = await this.#vault.list();
    if (kept.length === 0) {
      void vscode.window.showInformationMessage("No values of inputs are kept.");
      return;
    }
    const chosen = await vscode.window.showQuickPick(kept.map(itemOf), {
      title: "Forget Saved Input Values",
      placeHolder: "Choose what to forget: it is asked for again when it is needed",
      canPickMany: true,
      matchOnDetail: true,
    });
    if (chosen === undefined || chosen.length === 0) return;
    const places = chosen.map(({ place }) => place);
    await this.#vault.forget(places);
    if (places.some((place) => this.#given.some((given) => isAt(given, place)))) this.#askAnew();
  }

  /** askAnew has the sidecar forget its values, and ask for what is missing. The user expects it. */
  #askAnew(): void {
    this.expect();
    this.#restart();
  }

  /** guarded says what went wrong: nobody waits for what it does. */
  #guarded(action: () => Promise<void>): Promise<void> {
    const { log } = this.#services;
    return guarded(action, "", (message) => log.error(`inputs: ${message}`));
  }
}

/** machine tells apart those that one editor works on: it keeps the secrets of all. */
function machine(): string {
  return vscode.env.remoteName === undefined ? "" : hostname();
}

function itemOf(kept: Kept): vscode.QuickPickItem & { readonly place: Place } {
  return {
    place: kept,
    label: inPick(kept.id),
    description: `for ${inPick(kept.server)}`,
    detail: kept.machine === "" ? inPick(kept.path) : `${inPick(kept.path)} on ${unmistakable(kept.machine)}`,
  };
}
