/** The command "Call a Tool…": picks the tool, asks for its arguments, calls it, and shows the result. */
import type { Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import { toolOf } from "../nodes.js";
import type { Services } from "../services.js";
import { oneLine } from "../text/bounded.js";
import { linkless } from "../text/places.js";
import { ArgumentsEditor } from "./arguments_editor.js";
import { ask, textOf } from "./ask.js";
import { beginning, membersOf } from "./document.js";
import { formOf } from "./fields.js";
import { Memory } from "./memory.js";
import { pickTool } from "./pick.js";
import { Results } from "./results.js";
import { run } from "./run.js";

export class Calls implements vscode.Disposable {
  readonly #services: Services;
  readonly #memory: Memory;
  readonly #results: Results;
  readonly #editor: ArgumentsEditor;
  readonly #subscriptions: vscode.Disposable[];

  constructor(services: Services) {
    this.#services = services;
    this.#memory = new Memory(services.context.workspaceState);
    this.#results = new Results(services.context, ({ name, arguments: args }) => {
      this.#try(name, () => this.#ask(name, membersOf(args)));
    });
    this.#editor = new ArgumentsEditor(
      (name) => this.#find(name),
      (name, text) => this.#try(name, () => this.#call(name, text)),
    );
    this.#subscriptions = [
      this.#results,
      this.#editor,
      vscode.commands.registerCommand("mcpSidecar.callTool", async (argument: unknown) => {
        const name = toolOf(argument) ?? (await pickTool(services));
        if (name !== undefined) await this.#try(name, () => this.#ask(name));
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #find(name: string): Tool | undefined {
    return this.#services.session.view.tools.find((tool) => tool.name === name);
  }

  /** the tool that is there now, or why it is not. */
  #tool(name: string): Tool {
    const tool = this.#find(name);
    if (tool === undefined)
      throw new Error("the session has no such tool any more. It may come back with its server.");
    return tool;
  }

  async #ask(name: string, offered?: ReadonlyMap<string, string>): Promise<void> {
    const tool = this.#tool(name);
    const schema = tool.definition.inputSchema;
    const form = formOf(schema);
    const last = offered ?? this.#memory.last(tool.label, form);
    const asked = await ask(oneLine(tool.label, 100), form, last);
    if (asked === undefined) return;
    if (asked.kind === "call") return this.#call(name, textOf(asked));
    // What was given once, and was not asked for this time, is a better beginning than an empty value.
    const given = new Map([...last, ...asked.given]);
    await this.#editor.open(tool, beginning(schema, form, given));
  }

  async #call(name: string, args: string): Promise<void> {
    const tool = this.#tool(name);
    if (!(await confirmed(tool, args))) return;
    const sidecar = await this.#services.session.running();
    await this.#memory.remember(tool.label, formOf(tool.definition.inputSchema), membersOf(args));
    const before = vscode.window.activeTextEditor?.document;
    const outcome = await run(sidecar, tool, args).catch((error: Error) => {
      throw new CallFailed(error.message, { cause: error });
    });
    if (outcome === undefined) return;
    const elsewhere = vscode.window.activeTextEditor?.document !== before;
    await this.#results.show({ name, arguments: args, outcome }, elsewhere);
  }

  /** try says what went wrong. A tool that fails is a result, and no error. */
  async #try(name: string, step: () => Promise<void>): Promise<void> {
    const { log } = this.#services;
    try {
      await step();
    } catch (error) {
      const label = oneLine(this.#find(name)?.label ?? name, 100);
      const why = (error as Error).message;
      const message =
        error instanceof CallFailed
          ? `the call of ${label} failed: ${why}`
          : `${label} was not called: ${why}`;
      log.error(message);
      const show = "Show Log";
      const answer = await vscode.window.showErrorMessage(linkless(oneLine(message, 1000)), show);
      if (answer === show) log.show();
    }
  }
}

/** CallFailed is for a call that was sent: it may have had its effect, whatever became of the answer. */
class CallFailed extends Error {}

/** confirmed asks about tools of which their server says that they destroy something. */
async function confirmed({ label, definition }: Tool, args: string): Promise<boolean> {
  const { annotations } = definition;
  if (annotations?.destructiveHint !== true || annotations.readOnlyHint === true) return true;
  const call = "Call";
  const answer = await vscode.window.showWarningMessage(
    `Call ${oneLine(label, 100)}?`,
    {
      modal: true,
      detail: `Its server says that it may delete or overwrite something.${args === "{}" ? "" : `\n\n${oneLine(args, 1000)}`}`,
    },
    call,
  );
  return answer === call;
}
