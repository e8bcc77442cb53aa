/**
 * A Connection is one end of a JSON-RPC 2.0 conversation over a Transport: it numbers requests, finds the
 * answers' owners, cancels, and serves what the other end asks. It knows no method but `$/cancelRequest`.
 *
 * Two promises make up for what promises alone cannot give. Hooks run while a message is being read, in the
 * order of the wire: what the next message builds upon is done by then. And an abandoned request stays known
 * until it is answered: nobody waits for it any more, but what its answer tells about the state of things
 * still counts.
 */
import { checkSignal, onAbort } from "./abort.js";
import { ResponseError, SidecarClosedError } from "./errors.js";
import { ErrorCode } from "./protocol.gen.js";
import type { Transport, TransportListener } from "./transport.js";

/** What a connection's owner does with what comes in. */
export interface ConnectionHooks {
  /** answered: a request of ours has this result. Its promise resolves afterwards. */
  answered(method: string, result: unknown): void;
  notified(method: string, params: unknown): void;
  /** asked: a request of the other end. What it rejects with is the answer: see Refusal. */
  asked(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** closed comes once, when the transport is over or the other end made no sense, and not after `end`. */
  closed(reason: SidecarClosedError): void;
}

/** A Refusal answers a request with an error of this code. Any other error is answered as an internal one. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Sending {
  signal?: AbortSignal | undefined;
  /** background: nobody's program is kept alive for this answer. */
  background?: boolean | undefined;
  /** settled runs while the answer is read, be it a result or an error. */
  settled?: (() => void) | undefined;
}

/** A request of ours that is not answered yet. */
interface Pending extends Sending {
  readonly method: string;
  /** size of the message in characters */
  readonly size: number;
  readonly resolve: (result: unknown) => void;
  /** reject also ends the waiting: a second call does nothing. */
  readonly reject: (reason: unknown) => void;
}

type Id = number | string;

interface Message {
  id?: Id | null;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message?: string; data?: unknown } | null;
}

export class Connection implements TransportListener {
  readonly #transport: Transport;
  readonly #hooks: ConnectionHooks;
  readonly #pending = new Map<number, Pending>();
  readonly #serving = new Map<Id, AbortController>();
  #lastId = 0;
  /** How many answers the program waits for. */
  #held = 0;
  #ended: SidecarClosedError | undefined;
  /** over resolves when the transport is. */
  readonly over: Promise<void>;
  #isOver: () => void = () => {};

  constructor(transport: Transport, hooks: ConnectionHooks) {
    this.#transport = transport;
    this.#hooks = hooks;
    this.over = new Promise((resolve) => {
      this.#isOver = resolve;
    });
  }

  /** listen begins to read. What comes may find its owner complete: the hooks do not run before. */
  listen(): void {
    this.#transport.listen(this);
  }

  /** ended is why no request is sent any more. */
  get ended(): SidecarClosedError | undefined {
    return this.#ended;
  }

  /** request sends params, which are JSON text, and gives the result. */
  request(method: string, params: string, sending: Sending = {}): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const { signal } = sending;
      checkSignal(signal);
      if (signal?.aborted === true) reject(signal.reason);
      else this.#send(method, params, sending, resolve, reject);
    });
  }

  /** notify sends params, which are JSON text. */
  notify(method: string, params: string): void {
    this.#transport.send(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`);
  }

  /** end fails everything that is in flight, and everything to come. The transport is left open. */
  end(reason: SidecarClosedError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    for (const controller of this.#serving.values()) controller.abort(reason);
  }

  /** conclude ends the connection with one last request. It resolves when that is answered, or cannot be. */
  conclude(reason: SidecarClosedError, method: string): Promise<void> {
    return new Promise((resolve) => {
      this.end(reason);
      this.#send(
        method,
        "{}",
        { settled: resolve },
        () => resolve(),
        () => resolve(),
      );
    });
  }

  /** message implements TransportListener. Nothing that comes can make it throw. */
  message(text: string): void {
    try {
      this.#dispatch(JSON.parse(text) as Message);
    } catch (error) {
      const what = text.length > 200 ? `${text.slice(0, 200)}…` : text;
      this.fail(`sent a message that makes no sense (${(error as Error).message}): ${what}`, error);
    }
  }

  /** closed implements TransportListener. */
  closed(reason: SidecarClosedError): void {
    const news = this.#ended === undefined;
    this.end(reason);
    this.#forget();
    this.#isOver();
    if (news) this.#hooks.closed(reason);
  }

  /** fail ends a conversation in which the other end does what it must not. */
  fail(what: string, cause?: unknown): void {
    if (this.#ended !== undefined) return;
    const reason = new SidecarClosedError(`${this.#transport.peer ?? "the sidecar"} ${what}`, {}, { cause });
    this.end(reason);
    this.#hooks.closed(reason);
    void this.#transport.close();
  }

  #send(
    method: string,
    params: string,
    sending: Sending,
    resolve: (result: unknown) => void,
    reject: (reason: unknown) => void,
  ): void {
    const id = ++this.#lastId;
    const { signal } = sending;
    // Throws if that is longer than strings can be. Nothing must be held by then.
    const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
    const abandon = () => {
      pending.reject(signal?.reason);
      this.notify("$/cancelRequest", `{"id":${id}}`);
    };
    const unlisten = signal && onAbort(signal, abandon);
    const release = sending.background === true ? () => {} : this.#hold();
    const done = () => {
      release();
      unlisten?.();
    };
    const pending: Pending = {
      ...sending,
      method,
      size: text.length,
      resolve: (result) => {
        done();
        resolve(result);
      },
      reject: (reason) => {
        done();
        reject(reason);
      },
    };
    this.#pending.set(id, pending);
    this.#transport.send(text);
  }

  /** hold keeps the program alive until what it returns is called. */
  #hold(): () => void {
    let holds = true;
    if (this.#held++ === 0) this.#transport.hold(true);
    return () => {
      if (holds && --this.#held === 0) this.#transport.hold(false);
      holds = false;
    };
  }

  #dispatch(message: Message): void {
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id !== undefined && id !== null) void this.#serve(id, method, params);
      else if (method === "$/cancelRequest") this.#withdraw(params);
      else this.#hooks.notified(method, params);
    } else if (typeof id === "number") {
      this.#settle(id, message);
    } else if (id === null && message.error) {
      this.#settle(this.#largest(), message);
    }
  }

  /** settle gives the answer to its owner. Nobody owns one that comes twice. */
  #settle(id: number, { error, result }: Message): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.settled?.();
    // Still pending in the meantime: when the answer makes no sense, the request fails with the others.
    const refusal = error ? new ResponseError(pending.method, error) : undefined;
    if (refusal === undefined) this.#hooks.answered(pending.method, result);
    this.#pending.delete(id);
    if (refusal !== undefined) pending.reject(refusal);
    else pending.resolve(result);
  }

  /**
   * largest is the request that an error without an id is about. Only a message that is too large to be read
   * gets such an answer, and then it is larger than every one that was read.
   */
  #largest(): number {
    let [largest, size] = [0, 0];
    for (const [id, pending] of this.#pending) {
      if (pending.size > size) [largest, size] = [id, pending.size];
    }
    return largest;
  }

  async #serve(id: Id, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#serving.set(id, controller);
    let answer: string;
    try {
      const result = await this.#hooks.asked(method, params, controller.signal);
      answer = `"result":${JSON.stringify(result ?? null)}`;
    } catch (error) {
      const code = error instanceof Refusal ? error.code : ErrorCode.InternalError;
      answer = `"error":${JSON.stringify({ code, message: textOf(error) })}`;
    }
    this.#serving.delete(id);
    this.#transport.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer}}`);
  }

  #withdraw(params: unknown): void {
    const { id } = (params ?? {}) as { id?: Id };
    if (id !== undefined) this.#serving.get(id)?.abort();
  }

  /** forget is for what no answer will come to: the last request, too. */
  #forget(): void {
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}

/** textOf is what somebody threw, which may be anything: also what has no text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "the host failed";
  }
}
