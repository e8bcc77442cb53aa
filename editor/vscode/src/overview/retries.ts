/**
 * When servers are tried again. A record says how long it was until then when it was sent; this remembers
 * when it came.
 */
import type { Server } from "mcp-sidecar";

export class Retries {
  /** #due has the times of the next attempts, by the record that told them. */
  readonly #due = new WeakMap<Server, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** see is told every set of records as soon as it is there. */
  see(servers: readonly Server[]): void {
    for (const server of servers) {
      if (server.nextRetryMs === undefined || this.#due.has(server)) continue;
      this.#due.set(server, this.#now() + server.nextRetryMs);
    }
  }

  msUntil(server: Server): number | undefined {
    const due = this.#due.get(server);
    return due === undefined ? undefined : Math.max(0, due - this.#now());
  }
}
