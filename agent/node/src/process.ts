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
import { undisturbed } from "./emitter.js";
import { endingError, startError } from "./ending.js";
import type { SidecarClosedError } from "./errors.js";
import { foreign, HEAD } from "./executable.js";
import { FrameReader, frame } from "./framing.js";
import { LineTail } from "./tail.js";
import type { Transport, TransportListener } from "./transport.js";

export interface ProcessOptions {
  readonly binary: string;
  readonly args?: readonly string[] | undefined;
  /** env is added to this program's environment; undefined takes a variable out. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  /** stderr gets what the process writes there, line by line. */
  readonly stderr?: ((line: string) => void) | undefined;
}

/** How long a program may say nothing at all. A sidecar that connects servers tells of it at once. */
const SILENCE_MS = 30_000;
/** How long a process may live on that has closed one of its pipes. */
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
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #reader = new FrameReader();
  readonly #stderr: LineTail;
  #listener: TransportListener | undefined;
  #spoke = false;
  /** outstayed is which pipe the process had closed when it was ended for not ending. */
  #outstayed: "input" | "output" | undefined;
  /** The listener was told of the end. */
  #told = false;
  #silence: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  /** gone resolves when the process is, and the listener knows. */
  readonly #gone: Promise<void>;
  #isGone: () => void = () => {};

  /** Throws a SidecarClosedError if the system refuses at once; other refusals come to the listener. */
  constructor(options: ProcessOptions) {
    const { binary, args = [], env, stderr } = options;
    this.peer = binary;
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
    if (this.#usable && this.#child.stdin.writable) this.#child.stdin.write(frame(text));
  }

  hold(waiting: boolean): void {
    if (!this.#usable) return;
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin as Socket, stdout as Socket, stderr as Socket]) {
      if (waiting) handle.ref();
      else handle.unref();
    }
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
    child.stdout.on("end", () => this.#expectEnd("output"));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#stderr.write(text));
    child.stdin.on("error", () => this.#expectEnd("input"));
    for (const output of [child.stdout, child.stderr]) output.on("error", () => {}); // the exit follows
    this.#silence = setTimeout(() => this.#giveUp(`said nothing for ${SILENCE_MS / 1000} s`), SILENCE_MS);
    this.#silence.unref();
    this.hold(false);
  }

  async #close(): Promise<void> {
    if (this.pid === undefined) return this.#gone;
    this.#child.stdin.end();
    this.#child.kill("SIGTERM");
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS);
    const giveUp = setTimeout(() => this.#isGone(), 2 * GRACE_MS);
    await this.#gone;
    clearTimeout(kill);
    clearTimeout(giveUp);
  }

  #read(chunk: Buffer): void {
    if (this.#told) return;
    try {
      for (const text of this.#reader.read(chunk)) {
        this.#spoke = true;
        clearTimeout(this.#silence);
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

  /** expectEnd is for a process that has closed a pipe: it is ending, or is of no use any more. */
  #expectEnd(closed: "input" | "output"): void {
    this.#linger ??= setTimeout(() => {
      this.#outstayed = closed;
      this.#child.kill("SIGKILL");
    }, LINGER_MS).unref();
  }

  #error(fault?: string): SidecarClosedError {
    this.#stderr.end();
    return endingError({
      binary: this.peer,
      pid: this.pid ?? 0,
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
    clearTimeout(this.#silence);
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
