/**
 * The one tool mcp_sidecar_call, by which an agent finds and calls all others: for where it cannot have the tools
 * themselves. The editor asks the user before it is run.
 */
import type { Sidecar, Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import type { Services } from "../services.js";
import { callToolOffered } from "./access.js";
import { type CallInput, listing, question, resultText, TOOLS } from "./call_text.js";
import { chosen } from "./chosen.js";
import { canOffer } from "./provider.js";

const NAME = "mcp_sidecar_call";
/** KEY is in the `when` of the tool in package.json. */
const KEY = "mcpSidecar.callTool";
/** How many tools are searched for: those of servers that are not offered are left out of them. */
const HITS = 200;

/** Arguments of at most so many characters are one line of the question. */
const LINE = 60;

type Input = CallInput | undefined;

export class CallTool implements vscode.Disposable, vscode.LanguageModelTool<Input> {
  readonly #services: Services;
  readonly #subscriptions: vscode.Disposable[] = [];

  constructor(services: Services) {
    this.#services = services;
    if (typeof (vscode.lm as Partial<typeof vscode.lm> | undefined)?.registerTool !== "function") return;
    this.#decide();
    this.#subscriptions.push(
      vscode.lm.registerTool(NAME, this),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#decide()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (["mcpSidecar.agent", "chat.mcp"].some((name) => change.affectsConfiguration(name)))
          this.#decide();
      }),
    );
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<Input>): vscode.PreparedToolInvocation {
    const name = input?.tool;
    if (typeof name !== "string" || name === "") return { invocationMessage: "Looking for MCP tools" };
    const tool = this.#services.session.view.tools.find((one) => one.name === name);
    const args = input?.arguments ?? {};
    const short = JSON.stringify(args);
    const { title, message } = question(
      tool,
      name,
      short.length <= LINE ? short : JSON.stringify(args, null, 2),
    );
    return {
      invocationMessage: title,
      confirmationMessages: { title, message: new vscode.MarkdownString(message) },
    };
  }

  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<Input>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    try {
      return said(await this.#answer(input ?? {}, abort.signal));
    } catch (error) {
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      // For the model to read: it has the near names, and what the user would have to do.
      return said((error as Error).message);
    } finally {
      cancelled.dispose();
    }
  }

  async #answer(input: CallInput, signal: AbortSignal): Promise<string> {
    const sidecar = await this.#services.session.running();
    const { agent } = this.#services.wishes();
    const offered = sidecar.tools.filter(({ server }) => chosen(server, agent));
    const { tool, query } = input;
    if (typeof tool !== "string" || tool === "") {
      return find(sidecar, offered, typeof query === "string" ? query.trim() : "", signal);
    }
    const known = sidecar.tools.find(({ name }) => name === tool);
    if (known !== undefined && !offered.includes(known))
      throw new Error(`the user does not offer the tools of the server ${known.server} to agents`);
    const args = input.arguments ?? {};
    if (typeof args !== "object" && typeof args !== "string")
      throw new Error("`arguments` must be an object");
    return resultText(await sidecar.call(tool, args, { signal }));
  }

  #decide(): void {
    const configuration = vscode.workspace.getConfiguration("chat.mcp");
    const offered = callToolOffered({
      agent: this.#services.wishes().agent,
      trusted: vscode.workspace.isTrusted,
      direct: canOffer(),
      mcp: { access: configuration.get("access"), enabled: configuration.get("enabled") },
    });
    void vscode.commands.executeCommand("setContext", KEY, offered);
  }
}

async function find(
  sidecar: Sidecar,
  tools: readonly Tool[],
  query: string,
  signal: AbortSignal,
): Promise<string> {
  if (query === "") return listing(tools.slice(0, TOOLS), Math.max(0, tools.length - TOOLS), query);
  const hits = await sidecar.search(query, { limit: HITS, signal });
  const found = hits.flatMap(({ name }) => tools.find((tool) => tool.name === name) ?? []);
  return listing(found.slice(0, TOOLS), 0, query);
}

function said(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}
