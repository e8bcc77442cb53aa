/** Arguments as a JSON text in an editor of their own, with what calls the tool above them. */
import type { Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import { oneLine } from "../text/bounded.js";
import { type Problem, problemOf } from "./document.js";
import { formOf } from "./fields.js";

/** CALL is in package.json: a button in the editor's title. */
const CALL = "mcpSidecar.callWithDocument";
/** KEY: the editor in front has such a text. The button is theirs alone. */
const KEY = "mcpSidecar.argumentsInFront";

export class ArgumentsEditor implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #call: (tool: string, text: string) => void;
  readonly #find: (tool: string) => Tool | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  /** #tools are those that the open texts are for, by address. */
  readonly #tools = new Map<string, { readonly name: string; readonly label: string }>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(find: (tool: string) => Tool | undefined, call: (tool: string, text: string) => void) {
    this.#find = find;
    this.#call = call;
    this.#subscriptions = [
      this.#changed,
      vscode.languages.registerCodeLensProvider({ scheme: "untitled" }, this),
      vscode.commands.registerCommand(CALL, (uri?: vscode.Uri) => this.#go(uri)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.#look(editor)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.#tools.delete(uri.toString())) this.#tell();
      }),
    ];
  }

  get onDidChangeCodeLenses(): vscode.Event<void> {
    return this.#changed.event;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async open({ name, label }: Tool, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument({ language: "json", content: text });
    this.#tools.set(document.uri.toString(), { name, label: oneLine(label) });
    this.#tell();
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const line = Math.min(1, document.lineCount - 1);
    const end = document.lineAt(line).range.end;
    editor.selection = new vscode.Selection(end, end);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const tool = this.#tools.get(uri.toString());
    if (tool === undefined) return [];
    const command = { title: `$(play) Call ${tool.label}`, command: CALL, arguments: [uri] };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  #tell(): void {
    this.#look(vscode.window.activeTextEditor);
    this.#changed.fire();
  }

  #look(editor: vscode.TextEditor | undefined): void {
    const inFront = editor !== undefined && this.#tools.has(editor.document.uri.toString());
    void vscode.commands.executeCommand("setContext", KEY, inFront);
  }

  async #go(given?: vscode.Uri): Promise<void> {
    const uri = given ?? vscode.window.activeTextEditor?.document.uri;
    const known = uri && this.#tools.get(uri.toString());
    if (uri === undefined || known === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const text = document.getText();
    const tool = this.#find(known.name);
    const problem = problemOf(text, formOf(tool?.definition.inputSchema));
    if (problem !== undefined && !(await insists(document, problem))) return;
    this.#call(known.name, text);
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
