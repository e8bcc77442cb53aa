/** Shows results in editors: a document that cannot be changed, and what is no text beside it. */
import type { CallOutcome } from "mcp-sidecar";
import * as vscode from "vscode";
import { Files } from "./files.js";
import { safe } from "./media.js";
import { type Attachment, type ResultText, resultText } from "./result_text.js";

const SCHEME = "mcp-sidecar-result";
const ACT = "mcpSidecar.result.act";
/** How many images are opened unasked. */
const OPENED = 3;

/** Called is a call that was answered. */
export interface Called {
  /** name is that of the tool in the session. */
  readonly name: string;
  readonly arguments: string;
  readonly outcome: CallOutcome;
}

interface Shown extends Called {
  readonly document: ResultText;
}

type Act =
  | { readonly kind: "again" }
  | { readonly kind: "save" }
  | { readonly kind: "open"; readonly index: number }
  | { readonly kind: "saveAttachment"; readonly index: number };

export class Results
  implements vscode.Disposable, vscode.TextDocumentContentProvider, vscode.CodeLensProvider
{
  readonly #files: Files;
  readonly #again: (called: Called) => void;
  /** #shown are those whose document is open. */
  readonly #shown = new Map<string, Shown>();
  readonly #subscriptions: vscode.Disposable[];
  #count = 0;

  constructor(context: vscode.ExtensionContext, again: (called: Called) => void) {
    this.#files = new Files(context);
    this.#again = again;
    this.#subscriptions = [
      this.#files,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      vscode.commands.registerCommand(ACT, (uri: string, act: Act) => this.#act(uri, act)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        // Where the user chooses another language, a document is closed and opened in one.
        const gone = vscode.workspace.textDocuments.every((one) => one.uri.toString() !== uri.toString());
        if (uri.scheme === SCHEME && gone) this.#shown.delete(uri.toString());
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** show does not take the focus from a user who is elsewhere meanwhile. */
  async show(called: Called, elsewhere: boolean): Promise<void> {
    const document = resultText(called.outcome, called.arguments);
    const { server, tool } = called.outcome.details;
    const ending = document.language === "markdown" ? "md" : "txt";
    this.#count++;
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${safe(server)}/${safe(tool)}-${this.#count}.${ending}`,
    });
    this.#shown.set(uri.toString(), { ...called, document });
    const place = elsewhere ? { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true } : {};
    await vscode.window.showTextDocument(uri, { ...place, preview: false });
    for (const image of document.attachments.filter((one) => one.image).slice(0, OPENED)) {
      await this.#open(image, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#shown.get(uri.toString())?.document.text ?? "This result is gone: call the tool again.\n";
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.#shown.get(uri.toString());
    if (shown === undefined) return [];
    const lens = (line: number, title: string, act: Act) =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
        title,
        command: ACT,
        arguments: [uri.toString(), act],
      });
    return [
      lens(0, "$(debug-restart) Call Again…", { kind: "again" }),
      lens(0, "$(save-as) Save Result…", { kind: "save" }),
      ...shown.document.attachments.flatMap(({ line, image }, index) => [
        ...(image ? [lens(line, "$(file-media) Open", { kind: "open", index })] : []),
        lens(line, "$(save-as) Save…", { kind: "saveAttachment", index }),
      ]),
    ];
  }

  async #act(uri: string, act: Act): Promise<void> {
    const shown = this.#shown.get(uri);
    if (shown === undefined) return;
    if (act.kind === "again") return this.#again(shown);
    if (act.kind === "save") {
      const { tool } = shown.outcome.details;
      return save(`${safe(tool)}.json`, Buffer.from(JSON.stringify(shown.outcome.result, null, 2)));
    }
    const attachment = shown.document.attachments[act.index];
    if (attachment === undefined) return;
    if (act.kind === "open") return this.#open(attachment, { preview: false });
    return save(attachment.name, Buffer.from(attachment.base64, "base64"));
  }

  async #open({ name, base64 }: Attachment, options: vscode.TextDocumentShowOptions): Promise<void> {
    await vscode.commands.executeCommand("vscode.open", await this.#files.write(name, base64), options);
  }
}

async function save(name: string, bytes: Uint8Array): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder === undefined ? undefined : vscode.Uri.joinPath(folder, name);
  const uri = await vscode.window.showSaveDialog({ ...(defaultUri !== undefined && { defaultUri }) });
  if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, bytes);
}
