/**
 * mcpSidecar.doctor: the report about the session, in a read-only document that is shown as a Markdown preview.
 * It is made anew whenever it is asked for, and says what is known also when no sidecar runs.
 */
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Services } from "../services.js";
import { reasonOf } from "../session.js";
import { type Facts, type Reader, reportOf, reportOfNothing } from "./report.js";

const SCHEME = "mcp-sidecar-report";
const NAME = "MCP Sidecar Report.md";
const DOCUMENT = vscode.Uri.from({ scheme: SCHEME, path: `/${NAME}` });
/** Whether the tab in front is the report: menus ask for it, which see no document behind a preview. */
const CONTEXT_KEY = "mcpSidecar.reportInFront";

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
      vscode.window.tabGroups.onDidChangeTabs(() => this.#look()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#look()),
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
    try {
      await vscode.commands.executeCommand("markdown.showPreview", DOCUMENT);
    } catch {
      // Markdown is switched off in this editor: it is readable as text.
      await vscode.window.showTextDocument(DOCUMENT, { preview: false });
    }
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
    try {
      const sidecar = await session.running();
      const report = await sidecar.doctor();
      const { condition } = session.view;
      if (condition.kind === "running") return reportOf(report, condition, this.#facts(), reader);
    } catch (error) {
      const { condition } = session.view;
      const reason = condition.kind === "running" ? (error as Error).message : reasonOf(condition);
      return reportOfNothing(reason, reader === "user" ? this.#log.recent : [], this.#facts());
    }
    return reportOfNothing(reasonOf(session.view.condition), this.#log.recent, this.#facts());
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

  /** look finds out whether the report is in front. A preview is known by its label, which has the document's name. */
  #look(): void {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const preview =
      tab?.input instanceof vscode.TabInputWebview && tab.input.viewType.endsWith("markdown.preview");
    const inFront = preview && tab.label.includes(NAME);
    void vscode.commands.executeCommand("setContext", CONTEXT_KEY, inFront);
  }
}
