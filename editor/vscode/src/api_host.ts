/** The API for other extensions, made of the session: see api.ts, which is its documentation. */
import type { Server, Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import type {
  McpCallOptions,
  McpCallOutcome,
  McpServer,
  McpSidecarApi,
  McpSidecarState,
  McpTool,
} from "./api.js";
import { frozen } from "./frozen.js";
import type { Session } from "./session.js";

export class ApiHost implements vscode.Disposable {
  readonly api: McpSidecarApi;
  readonly #session: Session;
  readonly #state = new vscode.EventEmitter<McpSidecarState>();
  readonly #tools = new vscode.EventEmitter<readonly McpTool[]>();
  readonly #servers = new vscode.EventEmitter<readonly McpServer[]>();
  readonly #unlisten: () => void;
  /** #told is what listeners know. */
  #told: { state: McpSidecarState; tools: readonly Tool[]; servers: readonly Server[] };

  constructor(session: Session) {
    this.#session = session;
    const { condition, tools, servers } = session.view;
    this.#told = { state: condition.kind, tools, servers };
    this.#unlisten = session.on("changed", () => this.#changed());
    this.api = Object.freeze({
      version: 1 as const,
      get state() {
        return session.view.condition.kind;
      },
      onDidChangeState: this.#state.event,
      get tools() {
        return frozen<readonly McpTool[]>(session.view.tools);
      },
      onDidChangeTools: this.#tools.event,
      get servers() {
        return frozen<readonly McpServer[]>(session.view.servers);
      },
      onDidChangeServers: this.#servers.event,
      ready: async () => void (await session.running()),
      call: (...args: Parameters<McpSidecarApi["call"]>) => this.#call(...args),
      search: (...args: Parameters<McpSidecarApi["search"]>) => this.#search(...args),
    });
  }

  dispose(): void {
    this.#unlisten();
    for (const emitter of [this.#state, this.#tools, this.#servers]) emitter.dispose();
  }

  #changed(): void {
    const { condition, tools, servers } = this.#session.view;
    const before = this.#told;
    this.#told = { state: condition.kind, tools, servers };
    if (condition.kind !== before.state) this.#state.fire(condition.kind);
    if (isNews(before.tools, tools)) this.#tools.fire(frozen(tools));
    if (isNews(before.servers, servers)) this.#servers.fire(frozen(servers));
  }

  async #call(
    tool: string | { readonly server: string; readonly tool: string },
    args: object | string = {},
    { token, onProgress }: McpCallOptions = {},
  ): Promise<McpCallOutcome> {
    const sidecar = await this.#session.running();
    const abort = new AbortController();
    const cancel = () => abort.abort(new vscode.CancellationError());
    if (token?.isCancellationRequested) cancel();
    const subscription = token?.onCancellationRequested(cancel);
    try {
      const outcome = await sidecar.call(tool, args, { signal: abort.signal, onProgress });
      return frozen<McpCallOutcome>(outcome);
    } finally {
      subscription?.dispose();
    }
  }

  async #search(query: string, { limit }: { readonly limit?: number } = {}): Promise<readonly McpTool[]> {
    const sidecar = await this.#session.running();
    const hits = await sidecar.search(query, limit === undefined ? {} : { limit });
    const tools = new Map(sidecar.tools.map((tool) => [tool.name, tool]));
    return frozen<readonly McpTool[]>(hits.flatMap(({ name }) => tools.get(name) ?? []));
  }
}

/** isNews: nothing after nothing is none, though it is another array. */
function isNews(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before !== now && before.length + now.length > 0;
}
