/**
 * Gives the editor's agent the session's tools, as an MCP server that VS Code starts. See offer.ts for what it is.
 *
 * The endpoint lets in whoever has it. VS Code stores what `provideMcpServerDefinitions` gives, and tells it to
 * other extensions; so the endpoint is added in `resolveMcpServerDefinition`, whose answer goes to the start of
 * the process alone, and in its environment.
 */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { editorSources } from "../editor_sources.js";
import { type EditorSources, editorsOwn } from "../editors_own.js";
import type { Services } from "../services.js";
import { type AgentWishes, same } from "../settings.js";
import { LABEL, type Offer, offerOf } from "./offer.js";

const ID = "mcpSidecar.agent";
/** The settings that the offer depends upon. */
const CONCERNING = ["mcpSidecar.agent", "mcpSidecar.excludeEditorServers", "chat.mcp"];
/** How long a turn of the agent waits for a sidecar that starts. It starts in far less, or not at all. */
const PATIENCE_MS = 5000;

export class AgentProvider implements vscode.Disposable {
  readonly #services: Services;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: { dispose(): unknown }[] = [this.#changed];
  /** #session is another one for each sidecar. */
  #session: string = randomUUID();
  #running = false;
  /** #offered is what VS Code knows, or will when it asks. */
  #offered: Offer | undefined;
  /** Settings are read when they change: servers tell of themselves many times a second. */
  #agent: AgentWishes;
  #sources: EditorSources = editorSources();

  constructor(services: Services) {
    this.#services = services;
    this.#agent = services.wishes().agent;
    // Editors that come from VS Code may be without it, whatever version they say they are.
    if (!canOffer()) return;
    const { session } = services;
    this.#look();
    this.#subscriptions.push(
      { dispose: session.on("changed", () => this.#look()) },
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (CONCERNING.some((name) => change.affectsConfiguration(name))) this.#read();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#read()),
      vscode.lm.registerMcpServerDefinitionProvider(ID, {
        onDidChangeMcpServerDefinitions: this.#changed.event,
        provideMcpServerDefinitions: () => this.#provide(),
        resolveMcpServerDefinition: (definition) => this.#resolve(definition),
      }),
    );
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #read(): void {
    this.#agent = this.#services.wishes().agent;
    this.#sources = editorSources();
    this.#look();
  }

  /**
   * look tells VS Code if the offer is another one. A sidecar that starts again has not taken back what was
   * offered: a call of the agent's waits for it.
   */
  #look(): void {
    const { kind } = this.#services.session.view.condition;
    if (kind === "running" && !this.#running) this.#session = randomUUID();
    this.#running = kind === "running";
    if (kind === "starting") return;
    const offer = this.#offer();
    if (same(offer, this.#offered)) return;
    this.#offered = offer;
    this.#changed.fire();
  }

  #offer(): Offer | undefined {
    const { session, context } = this.#services;
    const agent = this.#agent;
    return offerOf({
      trusted: vscode.workspace.isTrusted,
      agent,
      had: agent.excludeEditorServers ? editorsOwn(session.view.servers, this.#sources) : [],
      condition: session.view.condition,
      session: this.#session,
      extension: String(context.extension.packageJSON.version),
    });
  }

  /** provide waits for a sidecar that starts, so that the first turn of a window has the tools. */
  async #provide(): Promise<vscode.McpStdioServerDefinition[]> {
    const { session } = this.#services;
    if (this.#offered === undefined) await session.running(PATIENCE_MS).catch(() => {});
    const offer = this.#offered;
    if (offer === undefined) return [];
    return [new vscode.McpStdioServerDefinition(LABEL, offer.command, [...offer.args], {}, offer.version)];
  }

  async #resolve(definition: vscode.McpServerDefinition): Promise<vscode.McpStdioServerDefinition> {
    const { session, log } = this.#services;
    if (!(definition instanceof vscode.McpStdioServerDefinition))
      throw new Error("this is no server of MCP Sidecar");
    try {
      const sidecar = await session.running();
      const env = { MCP_SIDECAR_ENDPOINT: await sidecar.share() };
      const { label, command, args, version } = definition;
      return new vscode.McpStdioServerDefinition(label, command, args, env, version);
    } catch (error) {
      log.warn(`the agent cannot have the tools: ${(error as Error).message}`);
      throw error;
    }
  }
}

/**
 * canOffer says whether this editor takes MCP servers from extensions, and whether the sidecar can share its
 * session, which it cannot on Windows yet.
 */
export function canOffer(): boolean {
  const register = (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerMcpServerDefinitionProvider;
  return typeof register === "function" && process.platform !== "win32";
}
