/**
 * A ProcessTransport is a sidecar as a child process: frames on its stdin and stdout, and the last lines of
 * its stderr for the error that its death is.
 *
 * The child and its pipes keep this program alive only while an answer is awaited. A program that just ends
 * closes the child's stdin by that, which ends the sidecar. On POSIX the child leads a session of its own, so
 * that Ctrl-C on the terminal is this program's to answer: it would be the end of the sidecar otherwise.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import type { Socket } from "node:net";
import { countdown } from "./countdown.js";
import { undisturbed } from "./emitter.js";
import { endingError, type Outstayed, startError } from "./ending.js";
import type { SidecarClosedError } from "./errors.js";
import { foreign, HEAD } from "./executable.js";
import { FrameReader, header } from "./framing.js";
import { LineTail } from "./tail.js";
import type { Transport, TransportListener } from "./transport.js";

export interface ProcessOptions {
  readonly binary: string;
  readonly args?: readonly string[] | undefined;
  /** guest: it is the way to the session of another program, and ends with that. */
  readonly guest?: boolean | undefined;
  /** env is added to this program's environment; undefined takes a variable out. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  /** stderr gets what the process writes there, line by line. */
  readonly stderr?: ((line: string) => void) | undefined;
}

/** How long a program may say nothing at all. A sidecar that connects servers tells of it at once. */
const SILENCE_MS = 30_000;
/** How long a process may read nothing of what it was sent while nothing is awaited from it. */
const UNREAD_MS = 5000;
/** How long a process may live on whose pipe is closed. */
const LINGER_MS = 1000;
/** How long a process has between SIGTERM and SIGKILL, and after that. */
const GRACE_MS = 3000;
/**
 * In so many turns of the event loop everything that a dead process has left in its pipes is read. (On Linux
 * Node tells of an exit after what came with it. Elsewhere the order is not known.)
 */
const LAST_TURNS = 2;

export class ProcessTransport implements Transport {
  readonly peer: string;
  readonly #guest: boolean;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #reader = new FrameReader();
  readonly #stderr: LineTail;
  #listener: TransportListener | undefined;
  #spoke = false;
  /** outstayed is why the process was ended. */
  #outstayed: Outstayed | undefined;
  /** The listener was told of the end. */
  #told = false;
  #held = false;
  #endSilence = () => {};
  #endUnread = () => {};
  #linger: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  /** gone resolves when the process is, and the listener knows. */
  readonly #gone: Promise<void>;
  #isGone: () => void = () => {};

  /** Throws a SidecarClosedError if the system refuses at once; other refusals come to the listener. */
  constructor(options: ProcessOptions) {
    const { binary, args = [], guest = false, env, stderr } = options;
    this.peer = binary;
    this.#guest = guest;
    this.#stderr = new LineTail(stderr && ((line) => undisturbed(() => stderr(line))));
    this.#gone = new Promise((resolve) => {
      this.#isGone = resolve;
    });
    try {
      this.#child = spawn(binary, args, {
        env: { ...process.env, ...env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
      });
    } catch (error) {
      throw startError(binary, error as NodeJS.ErrnoException, foreignness(binary));
    }
    this.#watch();
  }

  /** pid is undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
  }

  send(text: string): void {
    const { stdin } = this.#child;
    if (!this.#usable || !stdin.writable) return;
    stdin.cork(); // both are one write
    stdin.write(header(text));
    stdin.write(text, () => this.#boundUnread());
    stdin.uncork();
    this.#boundUnread();
  }

  hold(waiting: boolean): void {
    if (!this.#usable) return;
    const { stdin, stdout, stderr } = this.#child;
    const pipes = [stdin as Socket, stdout as Socket, stderr as Socket].filter((pipe) => !pipe.destroyed);
    for (const handle of [this.#child, ...pipes]) {
      if (waiting) handle.ref();
      else handle.unref();
    }
    this.#held = waiting;
    this.#boundUnread();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** usable: it was started, and its end has not been told. */
  get #usable(): boolean {
    return this.pid !== undefined && !this.#told;
  }

  #watch(): void {
    const child = this.#child;
    // An error with a process is about a signal that could not be sent, which changes nothing.
    child.on("error", (error) => {
      if (this.pid === undefined) this.#end(startError(this.peer, error, foreignness(this.peer)));
    });
    if (child.pid === undefined) return; // "error" comes; there may be no pipes
    child.on("exit", () => this.#drain(LAST_TURNS));
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stdout.on("end", () => this.#expectEnd("closed its output"));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#stderr.write(text));
    child.stdin.on("error", () => this.#expectEnd("closed its input"));
    for (const output of [child.stdout, child.stderr]) output.on("error", () => {}); // the exit follows
    this.#endSilence = countdown(SILENCE_MS, () => this.#giveUp(`said nothing for ${SILENCE_MS / 1000} s`));
    this.hold(false);
  }

  /**
   * boundUnread is for what the process does not read, a stopped one for example. As long as that is to be
   * written it keeps the program alive, which only an awaited answer may.
   */
  #boundUnread(): void {
    const { stdin } = this.#child;
    this.#endUnread();
    if (this.#held || stdin.destroyed || stdin.writableLength === 0) return;
    this.#endUnread = countdown(UNREAD_MS, () => {
      stdin.destroy();
      this.#expectEnd("did not read what it was sent");
    });
  }

  async #close(): Promise<void> {
    if (this.pid === undefined || this.#exited) return this.#gone;
    this.#child.stdin.end();
    this.#kill("SIGTERM");
    const kill = setTimeout(() => this.#kill("SIGKILL"), GRACE_MS);
    const giveUp = setTimeout(() => this.#isGone(), 2 * GRACE_MS);
    await this.#gone;
    clearTimeout(giveUp);
    // What a shell has started outlives the shell, and has the same time to end.
    if (!this.#kill(0)) clearTimeout(kill);
  }

  get #exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /**
   * kill sends a signal to the process and to what it has started in its group, which it leads on POSIX. It
   * says whether there is anybody. Not to be called for the first time after the exit: the number of the
   * group is that of another when nobody is left in it.
   */
  #kill(signal: NodeJS.Signals | 0): boolean {
    if (process.platform === "win32") return this.#child.kill(signal);
    try {
      return process.kill(-(this.pid ?? 0), signal);
    } catch {
      return false;
    }
  }

  #read(chunk: Buffer): void {
    if (this.#told) return;
    try {
      for (const text of this.#reader.read(chunk)) {
        this.#spoke = true;
        this.#endSilence();
        this.#listener?.message(text);
        if (this.#told) return;
      }
    } catch (error) {
      this.#giveUp((error as Error).message); // there is no way to find the next message
    }
  }

  /** giveUp ends a process that is of no use any more. */
  #giveUp(fault: string): void {
    this.#end(this.#error(fault));
    void this.close();
  }

  /**
   * drain waits, after the exit, until what the process has written is read: its last answers, why it ended.
   * It does not wait for the end of the pipes, which somebody else may hold open.
   */
  #drain(turns: number): void {
    if (turns === 0) {
      this.#end(this.#error());
      this.#isGone();
      return;
    }
    setImmediate(() => this.#drain(turns - 1));
  }

  /** expectEnd is for a process whose pipe is closed: it is ending, or is of no use any more. */
  #expectEnd(why: Outstayed): void {
    this.#linger ??= setTimeout(() => {
      if (this.#exited) return;
      this.#outstayed = why;
      this.#kill("SIGKILL");
    }, LINGER_MS).unref();
  }

  #error(fault?: string): SidecarClosedError {
    this.#stderr.end();
    return endingError({
      binary: this.peer,
      pid: this.pid ?? 0,
      guest: this.#guest,
      exitCode: this.#child.exitCode ?? undefined,
      signal: this.#child.signalCode ?? undefined,
      spoke: this.#spoke,
      unread: this.#reader.unread,
      fault,
      outstayed: this.#outstayed,
      foreign: this.#spoke ? undefined : foreignness(this.peer),
      stderr: this.#stderr.lines,
    });
  }

  #end(reason: SidecarClosedError): void {
    this.#endSilence();
    this.#endUnread();
    clearTimeout(this.#linger);
    if (this.pid === undefined) this.#isGone();
    if (this.#told) return;
    this.#told = true;
    if (this.pid !== undefined) {
      const { stdin, stdout, stderr } = this.#child;
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    }
    this.#listener?.closed(reason);
  }
}

/** foreignness looks into a program that failed. One that cannot be read keeps its secret. */
function foreignness(binary: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(binary, "r");
    const head = Buffer.alloc(HEAD);
    readSync(file, head);
    return foreign(head, process);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
