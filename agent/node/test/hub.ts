/**
 * The test's end of the socket over which fake servers report what happens to them, and wait while they are
 * held: the protocol of conformance/control. A connection lives exactly as long as its process, so that its
 * end shows the process's own, also when that was killed.
 */
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** How long something that is sure to come is waited for. It bounds a failing test, and nothing else. */
const PATIENCE = 30_000;

/** A line on the socket. Of a fake: hello, event or hold. Of the hub: ok. */
interface Line {
  hello?: string;
  pid?: number;
  event?: string;
  hold?: string;
  seq?: number;
}

export class Hub {
  readonly #server: Server;
  readonly #events: string[] = [];
  /** How many of an event were awaited already. */
  readonly #awaited = new Map<string, number>();
  readonly #living = new Map<Socket, number>();
  readonly #held = new Map<string, (() => void)[]>();
  readonly #spawns = new Map<string, number>();
  #waiting: { is: () => boolean; resolve: () => void }[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(path: string): Promise<Hub> {
    const hub: Hub = new Hub(createServer((socket) => hub.#serve(socket)));
    await new Promise<void>((resolve) => hub.#server.listen(path, resolve));
    return hub;
  }

  /** close hangs up on every fake, which ends it. */
  close(): void {
    this.#server.close();
    for (const socket of this.#living.keys()) socket.destroy();
  }

  /**
   * saw waits until an event has happened once more than it was awaited before: `saw("a got tools/call
   * echo")`.
   */
  async saw(event: string): Promise<void> {
    const awaited = (this.#awaited.get(event) ?? 0) + 1;
    this.#awaited.set(event, awaited);
    await this.#until(`${event}, ${awaited} times by now`, () => this.count(event) >= awaited);
  }

  /** count is how often it has happened so far. Its first words are enough. */
  count(event: string): number {
    return this.#events.filter((seen) => seen === event || seen.startsWith(`${event} `)).length;
  }

  /** empty waits until no process of a fake is left. */
  async empty(): Promise<void> {
    await this.#until("all fakes to end", () => this.#living.size === 0);
  }

  /** pids are the processes of fakes that live. */
  get pids(): number[] {
    return [...this.#living.values()];
  }

  /** trace is everything that happened so far, for the message of a failure. */
  get trace(): string {
    return this.#events.length === 0 ? "  nothing" : this.#events.map((event) => `  ${event}`).join("\n");
  }

  /** release lets the oldest hold of that name go. It must be there: see `saw("a holding …")`. */
  release(fake: string, hold: string): void {
    const go = this.#held.get(`${fake} ${hold}`)?.shift();
    if (go === undefined) throw new Error(`${fake} does not hold ${hold}`);
    go();
  }

  #until(what: string, is: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const vain = () => reject(new Error(`waited in vain: ${what}; what happened:\n${this.trace}`));
      const timer = setTimeout(vain, PATIENCE);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push({ is, resolve: done });
      this.#look();
    });
  }

  #look(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ is }) => !is());
    for (const one of waiting) if (!this.#waiting.includes(one)) one.resolve();
  }

  #add(event: string): void {
    this.#events.push(event);
    this.#look();
  }

  #serve(socket: Socket): void {
    let name = "";
    socket.on("error", () => {}); // it was killed: "close" follows
    socket.on("close", () => {
      this.#living.delete(socket);
      this.#add(`${name} gone`);
    });
    const lines = createInterface({ input: socket });
    lines.on("error", () => {}); // that of the socket again
    lines.on("line", (text) => {
      const line = JSON.parse(text) as Line;
      if (line.hello !== undefined) {
        name = line.hello;
        this.#living.set(socket, line.pid ?? 0);
        const spawn = (this.#spawns.get(name) ?? 0) + 1;
        this.#spawns.set(name, spawn);
        socket.write(`${JSON.stringify({ ok: true, spawn })}\n`);
        this.#add(`${name} started`);
      } else {
        this.#take(name, line, () => socket.write(`${JSON.stringify({ ok: true, seq: line.seq })}\n`));
      }
    });
  }

  #take(name: string, { event, hold }: Line, go: () => void): void {
    if (hold === undefined) {
      go();
      this.#add(`${name} ${event}`);
      return;
    }
    const key = `${name} ${hold}`;
    this.#held.set(key, [...(this.#held.get(key) ?? []), go]);
    this.#add(`${name} holding ${hold}`);
  }
}
