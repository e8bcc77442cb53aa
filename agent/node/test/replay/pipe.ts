// The test's end of a transport: the sidecar is the test.

import { SidecarClosedError } from "../../src/errors.js";
import type { Transport, TransportListener } from "../../src/transport.js";

export class Pipe implements Transport {
  readonly peer = "the test";
  /** What the client has sent and no line has named yet, the oldest first. */
  readonly sent: string[] = [];
  /** Whether the client holds the program: an answer is awaited. */
  held = false;
  /** The end, when it has come. */
  ended: SidecarClosedError | undefined;
  /** Whether the client ended it by force. */
  forced = false;
  private listener: TransportListener | undefined;

  listen(listener: TransportListener): void {
    if (this.listener !== undefined) throw new Error("the client listens twice to one transport");
    this.listener = listener;
  }

  send(text: string): void {
    if (this.ended === undefined) this.sent.push(text);
  }

  hold(waiting: boolean): void {
    this.held = waiting;
  }

  close(): Promise<void> {
    if (this.ended === undefined) {
      this.forced = true;
      this.end(undefined, "SIGKILL");
    }
    return Promise.resolve();
  }

  /** Gives the client a message. All that it must do at once is done when this returns. */
  deliver(text: string): void {
    if (this.listener === undefined) throw new Error("the client does not listen to its transport");
    this.listener.message(text);
  }

  /** Ends the sidecar. */
  end(exitCode: number | undefined, signal?: string): void {
    this.ended = new SidecarClosedError(`the sidecar ended: ${exitCode ?? signal}`, { exitCode, signal });
    this.listener?.closed(this.ended);
  }
}
