/** A Transport whose other end is the test: it reads what the client sent, and says what the sidecar says. */
import { SidecarClosedError } from "../src/errors.js";
import type { Transport, TransportListener } from "../src/transport.js";

/** A message as the client sent it. */
export interface Sent {
  id?: number;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every kind
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  result?: any;
  error?: { code: number; message: string };
}

export class MemoryTransport implements Transport {
  readonly peer = "the test";
  /** texts are what was sent, byte for byte. */
  readonly texts: string[] = [];
  /** holds are all the words of `hold`. */
  readonly holds: boolean[] = [];
  #listener: TransportListener | undefined;
  closes = 0;

  listen(listener: TransportListener): void {
    this.#listener = listener;
  }

  send(text: string): void {
    this.texts.push(text);
  }

  hold(waiting: boolean): void {
    this.holds.push(waiting);
  }

  async close(): Promise<void> {
    if (this.closes++ === 0) this.die("closed");
  }

  /** sent are the messages with this method. */
  sent(method: string): Sent[] {
    return this.texts.map((text) => JSON.parse(text) as Sent).filter((message) => message.method === method);
  }

  /** last is the last message that was sent. */
  get last(): Sent {
    return JSON.parse(this.texts.at(-1) ?? "{}") as Sent;
  }

  /** say has these messages come in one chunk: nothing of the program runs in between. */
  say(...messages: object[]): void {
    for (const message of messages) {
      this.#listener?.message(JSON.stringify({ jsonrpc: "2.0", ...message }));
    }
  }

  /** text has something come that may be no message. */
  text(text: string): void {
    this.#listener?.message(text);
  }

  /** die ends the transport. */
  die(why: string): void {
    this.#listener?.closed(new SidecarClosedError(why));
  }
}
