/** Arguments as a JSON text in an editor of their own, with what calls the tool above them. */
import type { Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import { oneLine } from "../text/bounded.js";
import { ArgumentsFiles, SELECTOR, toolOf } from "./arguments_files.js";
import { type Problem, problemOf } from "./document.js";
import { formOf } from "./fields.js";
import { safe } from "./media.js";

/** CALL is in package.json: a button in the editor's title. */
const CALL = "mcpSidecar.callWithDocument";

export class ArgumentsEditor implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #call: (tool: string, text: string) => void;
  readonly #find: (tool: string) => Tool | undefined;
  readonly #files = new ArgumentsFiles();
  readonly #subscriptions: vscode.Disposable[];

  constructor(find: (tool: string) => Tool | undefined, call: (tool: string, text: string) => void) {
    this.#find = find;
    this.#call = call;
    this.#subscriptions = [
      this.#files,
      vscode.languages.registerCodeLensProvider(SELECTOR, this),
      vscode.commands.registerCommand(CALL, (uri?: vscode.Uri) => this.#go(uri)),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async open({ name, server, definition }: Tool, text: string): Promise<void> {
    const uri = this.#files.create(name, safe(server), safe(definition.name), text);
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    const line = Math.min(1, editor.document.lineCount - 1);
    const end = editor.document.lineAt(line).range.end;
    editor.selection = new vscode.Selection(end, end);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const name = toolOf(uri);
    if (name === undefined) return [];
    const title = `$(play) Call ${oneLine(this.#find(name)?.label ?? name)}`;
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command: CALL, arguments: [uri] })];
  }

  async #go(given?: vscode.Uri): Promise<void> {
    const uri = given ?? vscode.window.activeTextEditor?.document.uri;
    const name = uri && toolOf(uri);
    if (uri === undefined || name === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const problem = problemOf(document.getText(), formOf(this.#find(name)?.definition.inputSchema));
    if (problem !== undefined && !(await insists(document, problem))) return;
    await document.save();
    this.#call(name, document.getText());
  }
}

/** insists: a server may know better than its schema says, but no server takes what is no JSON object. */
async function insists(document: vscode.TextDocument, { message, offset }: Problem): Promise<boolean> {
  if (offset !== undefined) {
    const place = document.positionAt(offset);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(new vscode.Range(place, place));
  }
  const anyway = "Call Anyway";
  const actions = /^The argument /.test(message) ? [anyway] : [];
  return (await vscode.window.showWarningMessage(message, ...actions)) === anyway;
}
