/**
 * The Session is this window's sidecar: one process, from the trusted start of the window to its end, started
 * again (not for ever) when it ends by itself. It is the one owner of the process and its client; everybody
 * else sees its View.
 *
 *   off ──start──▶ starting ──answered──▶ running ──ended──▶ starting (again) or failed
 *    ▲                └───────refused──▶ failed ──start──▶ starting
 *    └── stop, from anywhere
 *
 * A *stint* is one promise that keeps a sidecar running, through its restarts: `#stint` is there from `start`
 * until its process is gone. `start` and `stop` take turns, so that there are never two processes.
 */
import { setTimeout as pause } from "node:timers/promises";
import {
  BinaryNotFoundError,
  type ConfigureParams,
  ErrorCode,
  ProtocolVersionError,
  ResponseError,
  Sidecar,
  SidecarClosedError,
  type SidecarEvents,
  type SpawnOptions,
} from "mcp-sidecar";
import { Emitter } from "mcp-sidecar/emitter";
import { decide } from "./restarts.js";
import { empty, type OffReason, reasonOf, type View } from "./view.js";

/** Launch is what a sidecar is started with. */
export type Launch = Omit<SpawnOptions, "listeners" | "signal" | "stderr" | "trace" | "binary"> & {
  /** binary finds the program, anew at each start: it may have been installed meanwhile. */
  readonly binary: () => string;
};

export interface SessionEvents {
  /** The view is another one. */
  changed: View;
  /** A sidecar runs, and has told its first set of tools. */
  started: Sidecar;
  /** It ended by itself. `again`: it is started again. */
  ended: { readonly error: Error; readonly again: boolean };
  /** A change of the settings, or of the folders, was not taken by the sidecar that runs. */
  refused: Error;
  /** Something for the log, which a sidecar's stderr has as well. */
  log: SidecarEvents["log"];
  /** A line that the sidecar wrote to stderr. */
  stderr: string;
  /** A message passes, with all that it has: see Trace of the Node client. */
  message: { readonly text: string; readonly direction: "sent" | "received" };
}

/** How much longer than its servers a sidecar may take to end when the window closes. */
const SLACK_MS = 1500;

interface Stint {
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

export class Session {
  readonly #emitter = new Emitter<SessionEvents>();
  #view: View = empty({ kind: "off", why: "restricted" });
  #stint: Stint | undefined;
  /** #sidecar is there while the condition is "running". */
  #sidecar: Sidecar | undefined;
  /** #launch is there with a stint: what its next process is started with. */
  #launch: Launch | undefined;
  /** When sidecars ended by themselves lately. */
  #ends: readonly number[] = [];
  /** The last start or stop; the next waits for it. */
  #turn: Promise<void> = Promise.resolve();

  get view(): View {
    return this.#view;
  }

  /** sidecar is there while one runs. */
  get sidecar(): Sidecar | undefined {
    return this.#sidecar;
  }

  on<E extends keyof SessionEvents>(event: E, listener: (event: SessionEvents[E]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  /** start starts a sidecar in place of the one that runs, if one does. It does not wait for it. */
  start(launch: Launch): Promise<void> {
    return this.#next(async () => {
      await this.#end();
      this.#ends = [];
      this.#launch = launch;
      const stop = new AbortController();
      this.#stint = { stop, over: this.#keep(stop.signal) };
    });
  }

  /** stop resolves when the sidecar and its servers are gone. */
  stop(why: OffReason): Promise<void> {
    const hurry = why === "closing" ? this.#hurry() : undefined;
    return this.#next(async () => {
      await this.#end();
      clearTimeout(hurry);
      this.#show(empty({ kind: "off", why }));
    });
  }

  /**
   * hurry is for the end of the window, which leaves a few seconds: less than the client gives a sidecar that
   * answers nothing. One that hangs would live on with all its servers, since it does not see that its input
   * is closed either.
   */
  #hurry(): NodeJS.Timeout {
    const shutdownMs = this.#launch?.settings?.timeouts?.shutdownMs ?? 2000;
    return setTimeout(() => {
      const pid = this.#sidecar?.pid;
      if (pid !== undefined) killNow(pid);
    }, shutdownMs + SLACK_MS).unref();
  }

  /**
   * running resolves with the sidecar that runs, waiting for one that starts, or is about to: no longer than
   * `patienceMs`, if that is given, since a program that is none may start for ever.
   */
  async running(patienceMs?: number): Promise<Sidecar> {
    await this.#turn;
    return new Promise((resolve, reject) => {
      const look = (late: boolean) => {
        const { condition } = this.#view;
        if (this.#sidecar !== undefined) resolve(this.#sidecar);
        else if (condition.kind === "starting" && !late) return;
        else reject(new Error(reasonOf(condition)));
        clearTimeout(timer);
        unlisten();
      };
      const unlisten = this.on("changed", () => look(false));
      const timer = patienceMs === undefined ? undefined : setTimeout(() => look(true), patienceMs);
      look(false);
    });
  }

  /**
   * configure changes members of the settings, or the folders: for the sidecar that runs, and for those that
   * come after it.
   */
  configure(change: ConfigureParams): void {
    if (this.#launch === undefined) return;
    const settings = { ...this.#launch.settings, ...change.settings };
    this.#launch = { ...this.#launch, ...change, ...(change.settings !== undefined && { settings }) };
    if (this.#sidecar !== undefined) this.#tell(this.#sidecar, change);
  }

  #tell(sidecar: Sidecar, change: ConfigureParams): void {
    sidecar.configure(change).catch((error: Error) => {
      // One that has ended refuses nothing: the next is started with the change.
      if (!(error instanceof SidecarClosedError)) this.#emitter.emit("refused", error);
    });
  }

  #next(step: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(step);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #end(): Promise<void> {
    this.#stint?.stop.abort();
    await this.#stint?.over;
    this.#stint = undefined;
    this.#launch = undefined;
  }

  /** keep is a stint: it ends when it is stopped, or when there is no use in another start. */
  async #keep(signal: AbortSignal): Promise<void> {
    while (this.#launch !== undefined) {
      this.#show(empty({ kind: "starting" }));
      const error = await this.#run(this.#launch, signal);
      if (signal.aborted) return;
      const { delayMs, ends } = decide(this.#ends, Date.now());
      this.#ends = ends;
      const again = delayMs !== undefined && !hopeless(error);
      this.#show(empty(again ? { kind: "starting" } : { kind: "failed", message: error.message }));
      this.#emitter.emit("ended", { error, again });
      if (!again) return;
      await pause(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  /** run starts one process, and resolves when it is over, with why. */
  async #run(launch: Launch, signal: AbortSignal): Promise<Error> {
    let sidecar: Sidecar;
    let tellEnd: (error: SidecarClosedError) => void = () => {};
    const ended = new Promise<Error>((resolve) => {
      tellEnd = resolve;
    });
    const refresh = () => this.#refresh();
    try {
      sidecar = await Sidecar.spawn({
        ...launch,
        binary: launch.binary(),
        signal,
        stderr: (line) => this.#emitter.emit("stderr", line),
        trace: (text, direction) => this.#emitter.emit("message", { text, direction }),
        listeners: {
          toolsChanged: refresh,
          status: refresh,
          diagnostics: refresh,
          log: (message) => this.#emitter.emit("log", message),
          closed: (error) => tellEnd(error),
        },
      });
    } catch (error) {
      return error as Error;
    }
    const close = () => void sidecar.close();
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted)
      close(); // in the last moment of the start
    else if (sidecar.closed === undefined) {
      this.#sidecar = sidecar;
      this.#refresh();
      this.#emitter.emit("started", sidecar);
      this.#catchUp(sidecar, launch);
    }
    const error = await ended;
    signal.removeEventListener("abort", close);
    this.#sidecar = undefined;
    await sidecar.close(); // its process is gone when this resolves
    return error;
  }

  /** catchUp tells a sidecar what was changed while it started. */
  #catchUp(sidecar: Sidecar, launched: Launch): void {
    const { settings, workspaceFolders } = this.#launch ?? launched;
    const late: ConfigureParams = {
      ...(settings !== undefined && settings !== launched.settings && { settings }),
      ...(workspaceFolders !== undefined &&
        workspaceFolders !== launched.workspaceFolders && { workspaceFolders }),
    };
    if (Object.keys(late).length > 0) this.#tell(sidecar, late);
  }

  /** refresh shows what the sidecar knows now. */
  #refresh(): void {
    const sidecar = this.#sidecar;
    if (sidecar === undefined) return;
    const { servers, tools, errors, binary, pid } = sidecar;
    const version = sidecar.info?.version ?? "";
    this.#show({ condition: { kind: "running", binary, pid, version }, servers, tools, errors });
  }

  #show(view: View): void {
    this.#view = view;
    this.#emitter.emit("changed", view);
  }
}

/** killNow ends a process that has not been seen to end. */
function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

/** hopeless: another start would fail in the same way. */
function hopeless(error: Error): boolean {
  // Settings that are refused once are refused again.
  if (error instanceof ResponseError) return error.code === ErrorCode.InvalidParams;
  return error instanceof BinaryNotFoundError || error instanceof ProtocolVersionError;
}
