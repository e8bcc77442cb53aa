// One connection of a dialogue: the client under test, the sidecar that the test is, and what must hold
// between the two after every step.

import { deepStrictEqual, equal, fail, ok } from "node:assert/strict";
import { type ClientOptions, SidecarClient, type SidecarEvents } from "../../src/client.js";
import { ProtocolVersionError, ResponseError, SidecarClosedError } from "../../src/errors.js";
import type { ClientInfo } from "../../src/protocol.gen.js";
import type { Transport } from "../../src/transport.js";
import { type Done, perform } from "./deed.js";
import { type Declared, Desk } from "./desk.js";
import { type Json, objectText, readJson } from "./json.js";
import { Mirror, type Told } from "./mirror.js";
import { Pipe } from "./pipe.js";

/** A request of the client's that the sidecar has not answered. */
export interface Open extends Done {
  readonly method: string;
  /** The id that the client used, as JSON text, and the length of its message, once it was seen. */
  id: string;
  size: number;
  readonly abort: AbortController;
  /** How it ended for whoever asked. */
  end: { readonly value: unknown } | { readonly error: unknown } | undefined;
  abandoned: boolean;
}

/** The error of an answer. */
interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A client that needs more turns of the event loop than this for something waits for something else. */
const patience = 100;

export class Session {
  readonly mirror = new Mirror();
  readonly pipe = new Pipe();
  readonly desk: Desk;
  readonly open = new Set<Open>();
  private readonly client: SidecarClient;
  /** What the client must have told its program, and what it has. */
  private readonly expected: Told[] = [];
  private readonly heard: Told[] = [];
  private readonly closings: unknown[] = [];
  private closing: Promise<void> | undefined;
  /** The tools as they were seen last, and a copy: what a program holds must not change under it. */
  private seen: { readonly tools: unknown; readonly copy: unknown } = { tools: [], copy: [] };

  constructor(named: ClientInfo, declared: Declared, through: (transport: Transport) => Transport) {
    this.desk = new Desk(declared);
    const { approve, input, openUrl, ...capabilities } = declared; // these three have no more to say
    const options: ClientOptions = {
      client: named,
      handlers: this.desk.handlers,
      listeners: this.listeners(),
      capabilities,
    };
    this.client = new SidecarClient(through(this.pipe), options);
  }

  private listeners(): NonNullable<ClientOptions["listeners"]> {
    const passing = <K extends keyof SidecarEvents>(event: K) => ({
      [event]: (payload: SidecarEvents[K]) => this.heard.push({ event, payload }),
    });
    return {
      ...passing("toolsChanged"),
      ...passing("status"),
      ...passing("diagnostics"),
      ...passing("log"),
      ...passing("resourcesChanged"),
      ...passing("resourceUpdated"),
      ...passing("promptsChanged"),
      ...passing("elicitationComplete"),
      closed: (reason) => this.closings.push(reason),
    };
  }

  /** Makes the client ask. */
  ask(method: string, params: Json | undefined): Open {
    const abort = new AbortController();
    const onProgress = (payload: unknown) => this.heard.push({ event: "progress", payload });
    const done = perform(
      this.client,
      method,
      params,
      { signal: abort.signal, onProgress },
      this.mirror.info !== undefined,
    );
    const open: Open = { ...done, method, id: "", size: 0, abort, end: undefined, abandoned: false };
    open.outcome.then(
      (value) => {
        open.end = { value };
      },
      (error: unknown) => {
        open.end = { error };
      },
    );
    this.open.add(open);
    return open;
  }

  /** Makes the client abandon a request. It must have rejected by the time that it has said so. */
  async abandon(open: Open): Promise<void> {
    const reason = new Error("the test changed its mind");
    open.abort.abort(reason);
    open.abandoned = true;
    await this.until(() => open.end !== undefined, `${open.method} was abandoned and still waits`);
    deepStrictEqual(
      open.end,
      { error: reason },
      "an abandoned request rejects with the reason of its signal",
    );
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  /** Makes the client shut the sidecar down. Whoever waits for an answer must be told at once. */
  async close(): Promise<void> {
    this.closing = this.client.close();
    await this.closedAll();
  }

  /** The oldest message that the client has sent and no line has named. */
  async next(): Promise<Json> {
    await this.until(() => this.pipe.sent.length > 0, "the client has sent nothing");
    const message = readJson(this.pipe.sent.shift() as string);
    if (this.isClosing && this.desk.leftOpen(message)) return this.next();
    equal(message.members.get("jsonrpc")?.text, '"2.0"', `not JSON-RPC 2.0: ${message.text}`);
    return message;
  }

  nothingUnnamed(): void {
    const [first] = this.pipe.sent;
    ok(first === undefined, `the client has sent what no line names: ${first}`);
  }

  /** Sends a notification of the sidecar's, and says by which events the client must tell it. */
  async notify(method: string, params: string): Promise<void> {
    const told = this.mirror.notified({ method, params: JSON.parse(params) as unknown });
    await this.deliver({ method: JSON.stringify(method), params }, told);
  }

  /** Sends the progress of a call that the client gave a token for. One that has ended hears of none. */
  async progress(token: string, value: string, call: Open): Promise<void> {
    const params = objectText([
      ["token", token],
      ["value", value],
    ]);
    const told = call.end === undefined ? [{ event: "progress", payload: JSON.parse(value) as unknown }] : [];
    await this.deliver({ method: '"$/progress"', params }, told);
  }

  /** Sends a request of the sidecar's. */
  async request(id: string, method: string, params: string): Promise<void> {
    this.desk.asked(id, method, JSON.parse(params));
    await this.deliver({ id, method: JSON.stringify(method), params }, []);
    await this.until(() => this.desk.heard(id), `the handler of ${method} was not asked`);
    this.desk.check(id);
  }

  /** Answers a request of the client's. */
  async answer(open: Open, member: "result" | "error", text: string): Promise<void> {
    const value = JSON.parse(text) as unknown;
    const told = member === "result" ? this.mirror.answered(open.method, value) : [];
    this.open.delete(open);
    await this.deliver({ id: open.id, [member]: text }, told);
    // Of an abandoned request, what its answer says of the tools counts, and nobody hears of the rest.
    if (open.abandoned) return;
    await this.until(() => open.end !== undefined, `${open.method} was answered and still waits`);
    if (member === "error") refused(open, value as WireError);
    else deepStrictEqual(open.end, { value: open.natural(value) });
  }

  /**
   * Answers with an error that has no id, because the request was too large to be read: it is the largest
   * that is open. Gives that request.
   */
  async answerNobody(text: string): Promise<Open | undefined> {
    const [largest] = [...this.open].sort((a, b) => b.size - a.size);
    if (largest !== undefined) this.open.delete(largest);
    await this.deliver({ id: "null", error: text }, []);
    if (largest === undefined || largest.abandoned) return largest;
    await this.until(() => largest.end !== undefined, `${largest.method} was too large and still waits`);
    refused(largest, JSON.parse(text) as WireError);
    return largest;
  }

  /** Answers what the client asked of its own accord. */
  async answerOwn(id: string, method: string, member: "result" | "error", text: string): Promise<void> {
    const told = member === "result" ? this.mirror.answered(method, JSON.parse(text)) : [];
    this.mirror.gap = false;
    await this.deliver({ id, [member]: text }, told);
  }

  /** Sends any message. What must hold at once is looked at before the event loop turns. */
  async deliver(members: Record<string, string>, told: readonly Told[]): Promise<void> {
    this.expected.push(...told);
    this.pipe.deliver(objectText([["jsonrpc", '"2.0"'], ...Object.entries(members)]));
    this.compareSet();
    await this.until(() => this.heard.length >= this.expected.length, "an event was not told");
  }

  /** Looks at everything that a client shows. */
  async check(): Promise<void> {
    await turn();
    this.compareSet();
    deepStrictEqual(this.heard, this.expected);
    this.desk.nothingUnasked();
    this.heard.length = 0;
    this.expected.length = 0;
    deepStrictEqual(this.seen.tools, this.seen.copy, "an array of tools that was given out has changed");
    this.seen = { tools: this.client.tools, copy: structuredClone(this.client.tools) };
    if (this.closing !== undefined) return;
    equal(this.client.closed, undefined);
    deepStrictEqual(this.closings, [], "closed was told while the sidecar runs");
    const waiting = [...this.open].filter((open) => !open.abandoned);
    for (const open of waiting) equal(open.end, undefined, `${open.method} ended before it was answered`);
    equal(
      this.pipe.held,
      waiting.length > 0,
      "a transport is held while, and only while, an answer is awaited",
    );
  }

  private compareSet(): void {
    const { client, mirror } = this;
    const { tools, servers, errors, exaApiKeys, revision, hash, info, methods } = mirror;
    deepStrictEqual(
      {
        tools: client.tools,
        servers: client.servers,
        errors: client.errors,
        exaApiKeys: client.exaApiKeys,
        revision: client.revision,
        hash: client.hash,
        info: client.info,
        methods: client.methods,
      },
      { tools, servers, errors, exaApiKeys, revision, hash, info, methods },
    );
  }

  /** Ends the sidecar with an exit code. */
  async exit(code: number): Promise<void> {
    ok(!this.pipe.forced, "the client ended the sidecar by force");
    this.pipe.end(code);
    await this.closedAll();
    await this.until(() => this.closings.length > 0, "closed was not told");
    if (this.closing !== undefined) await this.within(this.closing, "close() does not resolve");
    await turn();
    const reason = this.client.closed;
    ok(reason instanceof SidecarClosedError, "a client whose sidecar is gone says so in `closed`");
    deepStrictEqual(
      this.closings,
      [reason],
      "closed is told once, with the reason that every call fails with",
    );
    if (this.closing === undefined) equal(reason.exitCode, code);
    this.desk.over();
    const later = this.ask("mcp/servers", undefined);
    await this.until(() => later.end !== undefined, "a call after the end waits");
    deepStrictEqual(later.end, { error: reason });
    await this.within(this.client.close(), "close() does not resolve after the end");
    await turn();
    deepStrictEqual(this.closings, [reason], "close() tells the end again");
    this.nothingUnnamed();
  }

  /** Every call that waits fails, all with the one reason. */
  private async closedAll(): Promise<void> {
    for (const open of this.open) {
      if (open.abandoned) continue;
      open.abandoned = true; // an answer that comes all the same is for nobody
      await this.until(() => open.end !== undefined, `${open.method} still waits for a sidecar that is gone`);
      const error = (open.end as { readonly error?: unknown }).error;
      ok(error !== undefined && error === this.client.closed, `${open.method} ends for another reason`);
    }
    this.open.clear();
  }

  private async within<T>(promise: Promise<T>, complaint: string): Promise<void> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    await this.until(() => settled, complaint);
    await promise;
  }

  /** Lets the client work until the condition holds. It waits for nothing outside of this program. */
  private async until(condition: () => boolean, complaint: string): Promise<void> {
    for (let turns = 0; !condition(); turns++) {
      if (turns === patience) fail(complaint);
      await turn();
    }
  }
}

function refused(open: Open, { code, message, data }: WireError): void {
  const error = (open.end as { readonly error?: unknown }).error;
  const supported = (data as { readonly supported?: unknown } | undefined)?.supported;
  if (open.typed && open.method === "runtime/initialize" && Array.isArray(supported)) {
    ok(error instanceof ProtocolVersionError, `want a ProtocolVersionError, got ${error}`);
    deepStrictEqual(error.supported, supported);
    return;
  }
  ok(error instanceof ResponseError, `want a ResponseError, got ${error}`);
  deepStrictEqual(
    { code: error.code, data: error.data, method: error.method },
    { code, data, method: open.method },
  );
  ok(error.message.includes(message), `the error says "${error.message}", and not what the sidecar said`);
}

/** One turn of the event loop: everything that is ready has run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
