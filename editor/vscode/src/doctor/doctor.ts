/**
 * mcpSidecar.doctor: the report about the session, in a read-only document. It is made anew whenever it is asked
 * for, and says what is known also when no sidecar runs.
 *
 * The document is Markdown that is read as it stands: a preview opens no file, and the report is about places in
 * files. (A preview of it is a click away.)
 */
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Services } from "../services.js";
import { reasonOf } from "../view.js";
import { linksIn } from "./links.js";
import { type Facts, type Reader, reportOf, reportOfNothing } from "./report.js";

const SCHEME = "mcp-sidecar-report";
const NAME = "MCP Sidecar Report.md";
const DOCUMENT = vscode.Uri.from({ scheme: SCHEME, path: `/${NAME}` });
/** How long a report waits for a sidecar that starts: that it does not get on is worth a report. */
const PATIENCE_MS = 5000;

/** Recent are the last entries of the log. */
interface Recent {
  readonly recent: readonly string[];
}

export class Doctor implements vscode.Disposable {
  readonly #services: Services;
  readonly #log: Recent;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #disposables: vscode.Disposable[];
  #text = "";
  /** Counts the reports: of two that are made at once the later one stays. */
  #made = 0;

  constructor(services: Services, log: Recent) {
    this.#services = services;
    this.#log = log;
    const { registerCommand } = vscode.commands;
    this.#disposables = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: () => this.#text,
      }),
      vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, { provideDocumentLinks }),
      registerCommand("mcpSidecar.doctor", () => this.#show()),
      registerCommand("mcpSidecar.refreshReport", () => this.#refresh()),
      registerCommand("mcpSidecar.copyReport", () => this.#copy()),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #show(): Promise<void> {
    await this.#refresh();
    await vscode.window.showTextDocument(DOCUMENT, { preview: false });
  }

  async #refresh(): Promise<void> {
    const number = ++this.#made;
    const text = await this.#make("user");
    if (number !== this.#made) return;
    this.#text = text;
    this.#changed.fire(DOCUMENT);
  }

  async #copy(): Promise<void> {
    await vscode.env.clipboard.writeText(await this.#make("others"));
    void vscode.window.showInformationMessage(
      "The report was copied. It has no values of entries, but names and paths: read it before you send it.",
    );
  }

  #make(reader: Reader): Thenable<string> {
    const options = { location: vscode.ProgressLocation.Window, title: "MCP: making the report" };
    return vscode.window.withProgress(options, () => this.#textFor(reader));
  }

  async #textFor(reader: Reader): Promise<string> {
    const { session } = this.#services;
    let failure = "";
    try {
      const sidecar = await session.running(PATIENCE_MS);
      const report = await sidecar.doctor();
      const { condition } = session.view;
      if (condition.kind === "running") return reportOf(report, condition, this.#facts(), reader);
    } catch (error) {
      failure = (error as Error).message;
    }
    const { condition } = session.view;
    const reason = condition.kind === "running" ? failure : reasonOf(condition);
    return reportOfNothing(reason, reader === "user" ? this.#log.recent : [], this.#facts());
  }

  #facts(): Facts {
    const { version } = this.#services.context.extension.packageJSON as { version: string };
    return {
      extension: version,
      editor: `${vscode.env.appName} ${vscode.version}`,
      platform: `${process.platform} ${process.arch}`,
      home: homedir(),
      time: new Date().toISOString(),
    };
  }
}

function provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
  return linksIn(document.getText(), homedir()).map(({ start, end, path, line }) => {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    const fragment = line === undefined ? "" : `L${line}`;
    return new vscode.DocumentLink(range, vscode.Uri.file(path).with({ fragment }));
  });
}
