/**
 * The squiggles in configuration files: a function of the last view. Files are read, since the sidecar counts
 * bytes where the editor counts characters, so that showing takes time: of two that overlap, the newer counts.
 */
import * as vscode from "vscode";
import type { Services } from "../services.js";
import { linesOf, placeIn } from "./place.js";
import { type Squiggle, squigglesOf } from "./squiggles.js";

const SOURCE = "mcp-sidecar";
const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
} as const;

export class Diagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection(SOURCE);
  readonly #services: Services;
  readonly #subscriptions: vscode.Disposable[];
  /** #shown is what the squiggles were made of: views change often, what is wrong in files seldom. */
  #shown = "";
  /** #newest counts the showings. */
  #newest = 0;

  constructor(services: Services) {
    this.#services = services;
    const unlisten = services.session.on("changed", () => void this.#show());
    this.#subscriptions = [
      { dispose: unlisten },
      this.#collection,
      // Squiggles are of the text on the disk: they take their places when it is opened or saved.
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.#again(uri)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#again(uri)),
      vscode.languages.registerCodeActionsProvider(
        { scheme: "file" },
        { provideCodeActions: actions },
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
      ),
    ];
    void this.#show();
  }

  dispose(): void {
    this.#newest++; // what is being read for a showing comes too late
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #again(uri: vscode.Uri): void {
    if (this.#collection.has(uri)) void this.#show(true);
  }

  async #show(anyway = false): Promise<void> {
    const files = squigglesOf(this.#services.session.view);
    const shown = JSON.stringify([...files]);
    if (shown === this.#shown && !anyway) return;
    this.#shown = shown;
    const turn = ++this.#newest;
    const entries = await Promise.all(
      [...files].map(async ([path, squiggles]): Promise<[vscode.Uri, vscode.Diagnostic[]]> => {
        const lines = await linesAt(path);
        return [vscode.Uri.file(path), squiggles.map((squiggle) => diagnosticOf(squiggle, lines))];
      }),
    );
    if (turn !== this.#newest) return;
    this.#collection.clear();
    this.#collection.set(entries);
  }
}

/** linesAt are those of the open document, or of the file; none of one that cannot be read, as a directory. */
async function linesAt(path: string): Promise<string[]> {
  const uri = vscode.Uri.file(path);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open !== undefined) return linesOf(open.getText());
  try {
    return linesOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    return [];
  }
}

function diagnosticOf({ message, severity, line, column }: Squiggle, lines: string[]): vscode.Diagnostic {
  const { start, end } = placeIn(lines, line, column);
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const diagnostic = new vscode.Diagnostic(range, message, SEVERITIES[severity]);
  diagnostic.source = SOURCE;
  return diagnostic;
}

/** actions leads from a squiggle to the report, which has the likely fix. */
function actions(
  _document: vscode.TextDocument,
  _range: vscode.Range,
  { diagnostics }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const ours = diagnostics.filter(({ source }) => source === SOURCE);
  if (ours.length === 0) return [];
  const action = new vscode.CodeAction("Show the Report of MCP Sidecar", vscode.CodeActionKind.QuickFix);
  action.command = { command: "mcpSidecar.doctor", title: action.title };
  action.diagnostics = ours;
  return [action];
}
