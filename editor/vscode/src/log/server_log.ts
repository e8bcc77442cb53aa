/**
 * The log of one server in an output channel of its own. The sidecar does not push it: it is asked for what is
 * new when somebody looks, with every status of the server, and once a second while the channel can be seen.
 */
import type { Server, Sidecar } from "mcp-sidecar";
import * as vscode from "vscode";
import type { Session } from "../session.js";
import { type Entry, write } from "./entry.js";
import { type Known, NOTHING, newsIn } from "./server_lines.js";

/** How many lines are asked for at once. */
const LINES = 2000;
const PERIOD_MS = 1000;

export class ServerLog implements vscode.Disposable {
  readonly #name: string;
  readonly #session: Session;
  readonly channel: vscode.LogOutputChannel;
  /** #sidecar is the one that #known is about. */
  #sidecar: Sidecar | undefined;
  #known: Known = NOTHING;
  /** #server is the record that was seen last. */
  #server: Server | undefined;
  /** #asking is the request that is awaited. */
  #asking: Promise<void> | undefined;
  /** Something happened while an answer was awaited. */
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(name: string, channel: string, session: Session) {
    this.#name = name;
    this.#session = session;
    this.channel = vscode.window.createOutputChannel(channel, { log: true });
  }

  /** changed is for every new view. It asks if there is another status, or another sidecar. */
  changed(server: Server | undefined): void {
    if (server === this.#server) return;
    this.#server = server;
    void this.ask();
  }

  /** visible says whether the channel can be seen. */
  set visible(visible: boolean) {
    if (visible === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = visible ? setInterval(() => void this.ask(), PERIOD_MS) : undefined;
    if (visible) void this.ask();
  }

  /** ask writes what is new. One request is under way at a time: while it is, that is awaited. */
  ask(): Promise<void> {
    this.#again = this.#asking !== undefined;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
      if (this.#again) void this.ask();
    });
    return this.#asking;
  }

  dispose(): void {
    this.#disposed = true;
    clearInterval(this.#timer);
    this.channel.dispose();
  }

  async #ask(): Promise<void> {
    const sidecar = this.#session.sidecar;
    if (sidecar === undefined || this.#disposed) return;
    if (sidecar !== this.#sidecar) {
      if (this.#sidecar !== undefined) this.#write({ level: "info", text: "the sidecar was started anew" });
      this.#sidecar = sidecar;
      this.#known = NOTHING;
    }
    try {
      const result = await sidecar.logs(this.#name, { after: this.#known.after, lines: LINES });
      const { known, entries } = newsIn(this.#known, result);
      this.#known = known;
      for (const entry of entries) this.#write(entry);
    } catch {
      // The sidecar has ended, or the server is gone: its next status, or the next sidecar, says so.
    }
  }

  #write(entry: Entry): void {
    if (!this.#disposed) write(this.channel, entry);
  }
}
