/**
 * The output channel "MCP Sidecar": what happens to the session, the sidecar's own log at its levels, and, if
 * mcpSidecar.trace.server says so, every message. The channel's level and the setting hold at once, without a
 * restart.
 */
import * as vscode from "vscode";
import type { Services } from "../services.js";
import type { Condition } from "../view.js";
import { type Entry, write } from "./entry.js";
import { indented } from "./logged.js";
import { entryOfLine, entryOfMessage, logsToFile } from "./program_line.js";
import { entryOfChange, entryOfEnd } from "./session_entries.js";
import { type Detail, Tracer } from "./trace.js";

/** How many entries are kept for the report about a sidecar that does not run. */
const KEPT = 50;

export class SidecarLog implements vscode.Disposable {
  readonly #services: Services;
  readonly #disposables: vscode.Disposable[];
  readonly #tracer = new Tracer();
  #detail: Detail;
  /** #toFile: the sidecar's log is not on stderr. */
  #toFile: boolean;
  #condition: Condition | undefined;
  #recent: readonly string[] = [];

  constructor(services: Services) {
    this.#services = services;
    const { session, log } = services;
    this.#detail = detail();
    this.#toFile = this.#logsToFile();
    const unlisten = [
      session.on("changed", ({ condition }) => this.#changed(condition)),
      session.on("ended", ({ error, again }) => {
        this.#tracer.forget();
        this.#write(entryOfEnd(error, again));
      }),
      session.on("refused", ({ message }) => {
        this.#write({ level: "error", text: `the settings were not taken: ${indented(message)}` });
      }),
      session.on("stderr", (line) => {
        if (line.trim() !== "") this.#write(entryOfLine(line));
      }),
      session.on("log", (message) => {
        if (this.#toFile) this.#write(entryOfMessage(message));
      }),
      session.on("message", ({ text, direction }) => {
        if (this.#detail !== "off") log.info(this.#tracer.line(text, direction, this.#detail));
      }),
    ];
    this.#disposables = [
      ...unlisten.map((dispose) => ({ dispose })),
      vscode.commands.registerCommand("mcpSidecar.showLog", () => log.show(true)),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("mcpSidecar.trace.server")) this.#detailChanged();
        if (change.affectsConfiguration("mcpSidecar.args")) this.#toFile = this.#logsToFile();
      }),
    ];
  }

  /** recent are the last entries, the oldest first, without the trace. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #changed(condition: Condition): void {
    const entry = entryOfChange(this.#condition, condition);
    this.#condition = condition;
    if (entry !== undefined) this.#write(entry);
  }

  #detailChanged(): void {
    this.#detail = detail();
    if (this.#detail === "off") this.#tracer.forget();
  }

  #logsToFile(): boolean {
    return logsToFile(this.#services.wishes().program.args);
  }

  #write(entry: Entry): void {
    write(this.#services.log, entry);
    this.#recent = [...this.#recent.slice(1 - KEPT), `[${entry.level}] ${entry.text}`];
  }
}

function detail(): Detail {
  return vscode.workspace.getConfiguration("mcpSidecar").get<Detail>("trace.server") ?? "off";
}
