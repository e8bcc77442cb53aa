/// <reference lib="esnext.disposable" preserve="true" />
/**
 * SidecarClient is the host's side of one session with a sidecar, over any Transport. It keeps the tool set
 * true, runs calls, tells events, and answers what the sidecar asks.
 *
 * It restarts nothing: when the sidecar is gone, every call fails with one SidecarClosedError, now and later,
 * and the program decides what to do. And it keeps no program alive, except while an answer is awaited.
 */
import { argumentsText, paramsText } from "./arguments.js";
import { Connection, Refusal } from "./connection.js";
import { Emitter, undisturbed } from "./emitter.js";
import { InvalidArgumentError, ProtocolVersionError, ResponseError, SidecarClosedError } from "./errors.js";
import { answerWith, declaredBy, type Handlers } from "./handlers.js";
import type { CallOutcome, Progress, Tool } from "./mcp.js";
import {
  type CallOptions,
  type ConnectOptions,
  checked,
  checkNames,
  type DoctorOptions,
  type InitializeOptions,
  type LogsOptions,
  type NamesOf,
  type RequestOptions,
  type SearchOptions,
  type WaitOptions,
} from "./options.js";
import type * as wire from "./protocol.gen.js";
import { ErrorCode, PROTOCOL_VERSION } from "./protocol.gen.js";
import {
  afterDiagnostics,
  afterPush,
  afterSnapshot,
  afterStatus,
  NOTHING,
  type Step,
  type ToolSet,
  type ToolsChange,
} from "./toolset.js";
import { type Trace, traced } from "./trace.js";
import type { Transport } from "./transport.js";
import { VERSION } from "./version.js";
import { within } from "./within.js";

/** SidecarEvents are what `on`, `once` and `off` know, and what their listeners get. */
export interface SidecarEvents {
  /**
   * The set of tools changed: rebind. Not told for the first set, nor when only the state of tools changed.
   */
  toolsChanged: ToolsChange;
  /** One server, whole. Its last has phase "removed". */
  status: wire.Server;
  /** All the errors there are now. */
  diagnostics: readonly wire.Diagnostic[];
  /** A message for the user's log. */
  log: wire.LogParams;
  resourcesChanged: wire.ServerNotice;
  resourceUpdated: wire.ResourceParams;
  promptsChanged: wire.ServerNotice;
  elicitationComplete: wire.ElicitCompleteParams;
  /** The session is over. Told once, last. */
  closed: SidecarClosedError;
}

export interface ClientOptions {
  /** client names this program to the sidecar. */
  client?: wire.ClientInfo | undefined;
  /** handlers answer what the sidecar asks. Each that is there declares its capability. */
  handlers?: Handlers | undefined;
  /** capabilities refine what the handlers declare. One without its handler is an error. */
  capabilities?: wire.Capabilities | undefined;
  /** listeners hear events from the very beginning, before the first answer. */
  listeners?: { [E in keyof SidecarEvents]?: ((event: SidecarEvents[E]) => void) | undefined } | undefined;
  /** trace is told every message, both ways, as it passes. */
  trace?: Trace | undefined;
}

export const CLIENT_OPTIONS: NamesOf<ClientOptions> = {
  client: true,
  handlers: true,
  capabilities: true,
  listeners: true,
  trace: true,
};

/** ToolSource is all that an adapter needs of a client. */
export type ToolSource = Pick<SidecarClient, "tools" | "call">;

/** How long the sidecar takes to stop its servers if the settings do not say it. */
const DEFAULT_SHUTDOWN_MS = 2000;
/**
 * How much longer than that it may take before it is ended by force, and to exit when it has said goodbye.
 */
const SLACK_MS = 3000;

export class SidecarClient implements AsyncDisposable {
  readonly #transport: Transport;
  readonly #connection: Connection;
  readonly #emitter = new Emitter<SidecarEvents>();
  readonly #client: wire.ClientInfo;
  readonly #handlers: Handlers;
  readonly #capabilities: wire.Capabilities;
  /** Changed only while a message is being read. */
  #set: ToolSet = NOTHING;
  /** The sidecar has shown that the session is open: also one whose `initialize` was abandoned may be. */
  #open = false;
  #info: wire.SidecarInfo | undefined;
  #methods: readonly string[] = Object.freeze([]);
  /** A tools/snapshot of our own is on its way, because a push was missed. */
  #recovering = false;
  readonly #progress = new Map<number, (progress: Progress) => void>();
  #lastToken = 0;
  /** An initialize is awaited: what it brings is the first set, whatever is told before. */
  #opening = false;
  #shutdownMs = DEFAULT_SHUTDOWN_MS;
  #closing: Promise<void> | undefined;
  #toldClosed = false;

  constructor(transport: Transport, options: ClientOptions = {}) {
    checkNames("SidecarClient", options, CLIENT_OPTIONS);
    this.#handlers = options.handlers ?? {};
    this.#capabilities = declaredBy(this.#handlers, options.capabilities);
    this.#client = options.client ?? { name: "mcp-sidecar-node", version: VERSION };
    this.#transport = options.trace === undefined ? transport : traced(transport, options.trace);
    for (const [event, listener] of Object.entries(options.listeners ?? {})) {
      if (listener !== undefined) this.on(event as keyof SidecarEvents, listener as (event: unknown) => void);
    }
    this.#connection = new Connection(this.#transport, {
      answered: (method, result) => this.#answered(method, result),
      notified: (method, params) => this.#notified(method, params),
      asked: (method, params, signal) => this.#asked(method, params, signal),
      closed: () => this.#tellClosed(),
    });
    this.#connection.listen();
  }

  /** tools are sorted by name. A new array whenever anything in it changes, `state` included. */
  get tools(): readonly Tool[] {
    return this.#set.tools;
  }

  /** servers are sorted by name. */
  get servers(): readonly wire.Server[] {
    return this.#set.servers;
  }

  /** errors is what is wrong with the configuration and the servers now. */
  get errors(): readonly wire.Diagnostic[] {
    return this.#set.errors;
  }

  /** exaApiKeys were found in Exa servers that were taken out. */
  get exaApiKeys(): readonly string[] {
    return this.#set.exaApiKeys;
  }

  /** revision counts tool sets; 0 before the first. */
  get revision(): number {
    return this.#set.revision;
  }

  /** hash is the same for equal tool sets, also after a restart. */
  get hash(): string {
    return this.#set.hash;
  }

  /** info is the sidecar's name and version, when `initialize` has been answered. */
  get info(): wire.SidecarInfo | undefined {
    return this.#info;
  }

  /** methods are the requests that this sidecar answers. */
  get methods(): readonly string[] {
    return this.#methods;
  }

  /** guest: another program owns the session, and what is its alone to ask is not among the methods. */
  get guest(): boolean {
    return this.#info !== undefined && !this.#methods.includes("runtime/configure");
  }

  /** closed is why no call is answered any more. */
  get closed(): SidecarClosedError | undefined {
    return this.#connection.ended;
  }

  /** initialize opens the session. It comes first, and succeeds once. */
  async initialize(
    options: InitializeOptions,
    requestOptions: RequestOptions = {},
  ): Promise<wire.InitializeResult> {
    const params = {
      protocolVersion: PROTOCOL_VERSION,
      client: this.#client,
      capabilities: this.#capabilities,
      ...checked("initialize", options),
    } as wire.InitializeParams;
    let result: wire.InitializeResult;
    try {
      result = await this.request("runtime/initialize", params, requestOptions);
    } catch (error) {
      throw refusedVersion(error, this.#transport.peer) ?? error;
    }
    if (result.protocolVersion !== PROTOCOL_VERSION) {
      throw new ProtocolVersionError([result.protocolVersion], this.#transport.peer);
    }
    return result;
  }

  /**
   * call runs a tool, by its name in `tools`, or by server and the server's own name of it. A tool that fails
   * is a result with `isError`, for the model to read. `args` may be a model's own JSON text, which is sent
   * as it is.
   */
  async call(
    tool: string | { server: string; tool: string },
    args: object | string = {},
    options: CallOptions = {},
  ): Promise<CallOutcome> {
    const { signal, onProgress, timeoutMs, maxBytes } = checked("call", options);
    const target = typeof tool === "string" ? { name: tool } : { server: tool?.server, tool: tool?.tool };
    if (Object.values(target).some((part) => typeof part !== "string")) {
      throw new InvalidArgumentError("a tool is called by its name, or by {server, tool}");
    }
    const progressToken = onProgress && ++this.#lastToken;
    const envelope = paramsText("tools/call", { ...target, timeoutMs, maxBytes, progressToken });
    const params = `${envelope.slice(0, -1)},"arguments":${argumentsText(args)}}`;
    if (progressToken !== undefined && onProgress !== undefined) {
      this.#progress.set(progressToken, (progress) => {
        if (signal?.aborted !== true) onProgress(progress);
      });
    }
    try {
      return (await this.#connection.request("tools/call", params, { signal })) as CallOutcome;
    } finally {
      if (progressToken !== undefined) this.#progress.delete(progressToken);
    }
  }

  /** search ranks tools by name and description, best first. */
  async search(query: string, options: SearchOptions = {}): Promise<wire.SearchHit[]> {
    const { limit, signal } = checked("search", options);
    return (await this.#request("tools/search", { query, limit }, { signal })).tools;
  }

  /**
   * reload reads all configuration again. "full" (default) restarts every server, "changed" those that
   * changed.
   */
  async reload(mode: wire.ReloadMode = "full", options: RequestOptions = {}): Promise<wire.Snapshot> {
    return (await this.#request("mcp/reload", { mode }, options)).snapshot;
  }

  /** configure replaces each member that is given in settings, whole, and the workspace folders if given. */
  async configure(params: wire.ConfigureParams, options: RequestOptions = {}): Promise<wire.Snapshot> {
    return (await this.#request("runtime/configure", params, options)).snapshot;
  }

  /** connect connects one server now, and resolves when it has settled. */
  async connect(server: string, options: ConnectOptions = {}): Promise<wire.Server> {
    const { restart, signal } = checked("connect", options);
    return this.#request("mcp/connect", { server, restart }, { signal });
  }

  /** disconnect stops one server and takes its tools out. It stays listed. */
  disconnect(server: string, options: RequestOptions = {}): Promise<wire.Server> {
    return this.#request("mcp/disconnect", { server }, options);
  }

  /** wait waits until none of the servers is still connecting, or the time is up. */
  async wait(options: WaitOptions = {}): Promise<wire.WaitResult> {
    const { servers, timeoutMs, signal } = checked("wait", options);
    return this.#request("mcp/wait", { servers, timeoutMs }, { signal });
  }

  /** logs are the last lines of what a server wrote to stderr and logged. */
  async logs(server: string, options: LogsOptions = {}): Promise<wire.LogsResult> {
    const { lines, after, signal } = checked("logs", options);
    return this.#request("mcp/logs", { server, lines, after }, { signal });
  }

  /** doctor examines the session as it is, and starts nothing: files, servers, and what is wrong with the likely fix. */
  async doctor(options: DoctorOptions = {}): Promise<wire.DoctorReport> {
    const { server, signal } = checked("doctor", options);
    return this.#request("mcp/doctor", { server }, { signal });
  }

  /** share gives the endpoint by which others join the session: whoever has it gets in, so it is a secret. */
  async share(options: RequestOptions = {}): Promise<string> {
    return (await this.#request("runtime/share", {}, options)).endpoint;
  }

  /** request makes any request of the protocol. What its answer says about the tool set is taken, too. */
  request<M extends keyof wire.HostRequests>(
    method: M,
    params: wire.HostRequests[M]["params"],
    options: RequestOptions = {},
  ): Promise<wire.HostRequests[M]["result"]> {
    return this.#request(method, params, options);
  }

  /** on subscribes to an event, and returns what ends the subscription. */
  on<E extends keyof SidecarEvents>(event: E, listener: (event: SidecarEvents[E]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  /** once subscribes for one time. */
  once<E extends keyof SidecarEvents>(event: E, listener: (event: SidecarEvents[E]) => void): () => void {
    return this.#emitter.once(event, listener);
  }

  off<E extends keyof SidecarEvents>(event: E, listener: (event: SidecarEvents[E]) => void): void {
    this.#emitter.off(event, listener);
  }

  /**
   * close ends the sidecar and its servers: in order, or by force if that takes too long. A guest leaves, and
   * ends nothing else. What is in flight fails at once. It never rejects, and may be called again.
   */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      let closed = () => {};
      // Known before anything else happens: what fails now may call close in its turn.
      this.#closing = new Promise((resolve) => {
        closed = resolve;
      });
      this.#close().then(closed, closed);
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const connection = this.#connection;
    if (connection.ended === undefined) {
      const reason = new SidecarClosedError(
        this.guest ? "this program has left the session" : "this program has closed the sidecar",
      );
      if (!this.#open) {
        connection.end(reason);
      } else if (await within(connection.conclude(reason, "runtime/shutdown"), this.#shutdownMs + SLACK_MS)) {
        connection.notify("runtime/exit", "{}");
        await within(connection.over, SLACK_MS);
      }
    }
    await this.#transport.close();
    this.#tellClosed();
  }

  async #request<M extends keyof wire.HostRequests>(
    method: M,
    params: Loose<wire.HostRequests[M]["params"]>,
    options: RequestOptions,
  ): Promise<wire.HostRequests[M]["result"]> {
    const { signal } = checked("request", options);
    const text = paramsText(method, params ?? {});
    const { timeouts } = (params as wire.ConfigureParams | undefined)?.settings ?? {};
    if (timeouts) this.#shutdownMs = timeouts.shutdownMs ?? DEFAULT_SHUTDOWN_MS;
    if (method === "runtime/initialize") this.#opening = !this.#open;
    try {
      return (await this.#connection.request(method, text, { signal })) as wire.HostRequests[M]["result"];
    } finally {
      // Refused or abandoned: in the latter case the first set may come as a push, which is told.
      if (method === "runtime/initialize") this.#opening = false;
    }
  }

  /** answered runs while an answer of ours is read, whoever asked: the next message builds upon it. */
  #answered(method: string, result: unknown): void {
    this.#open ||= method !== "runtime/initialize";
    switch (method) {
      case "runtime/initialize":
        this.#opened(result as wire.InitializeResult);
        break;
      case "runtime/configure":
        this.#take((result as wire.SnapshotResult).snapshot, "configure");
        break;
      case "mcp/reload":
        this.#take((result as wire.SnapshotResult).snapshot, "reload");
        break;
      case "tools/snapshot":
        if ((result as wire.SnapshotAnswer).unchanged !== true)
          this.#take(result as wire.Snapshot, "snapshot");
        break;
    }
  }

  #opened({ protocolVersion, sidecar, methods, snapshot }: wire.InitializeResult): void {
    if (protocolVersion !== PROTOCOL_VERSION) return; // initialize says so
    this.#open = true;
    this.#info = sidecar;
    this.#methods = Object.freeze([...methods]);
    this.#take(snapshot, "snapshot");
    this.#opening = false; // now, and not when its caller hears of it: a push may be next
  }

  #take(snapshot: wire.Snapshot, reason: ToolsChange["reason"]): void {
    this.#step(afterSnapshot(this.#set, snapshot, reason));
  }

  #step({ set, change }: Step): void {
    this.#set = set;
    if (change !== undefined && !this.#opening) this.#emitter.emit("toolsChanged", change);
  }

  /** notified takes what the sidecar says. A notification that is not known is nothing. */
  #notified(method: string, params: unknown): void {
    // A program that has closed the sidecar hears no more of its tools, but what the end had to say.
    if (this.#connection.ended !== undefined && (method !== "runtime/log" || this.#toldClosed)) return;
    switch (method as keyof wire.SidecarNotifications) {
      case "tools/changed":
        this.#pushed(params as wire.ToolsChanged);
        break;
      case "mcp/status":
        this.#set = afterStatus(this.#set, params as wire.Server);
        this.#emitter.emit("status", params as wire.Server);
        break;
      case "config/diagnostics":
        this.#set = afterDiagnostics(this.#set, (params as wire.DiagnosticsParams).errors);
        this.#emitter.emit("diagnostics", this.#set.errors);
        break;
      case "$/progress": {
        const { token, value } = (params ?? {}) as Partial<wire.ProgressParams>;
        const told = this.#progress.get(token as number);
        if (told !== undefined) undisturbed(() => told(value as Progress));
        break;
      }
      case "runtime/log":
        this.#emitter.emit("log", params as wire.LogParams);
        break;
      case "resources/changed":
        this.#emitter.emit("resourcesChanged", params as wire.ServerNotice);
        break;
      case "resources/updated":
        this.#emitter.emit("resourceUpdated", params as wire.ResourceParams);
        break;
      case "prompts/changed":
        this.#emitter.emit("promptsChanged", params as wire.ServerNotice);
        break;
      case "elicitation/complete":
        this.#emitter.emit("elicitationComplete", params as wire.ElicitCompleteParams);
        break;
    }
  }

  #pushed(push: wire.ToolsChanged): void {
    this.#open = true;
    const after = afterPush(this.#set, push);
    if (after !== "gap") {
      this.#step(after);
      return;
    }
    // One question is enough: its answer covers every push that comes before it.
    if (this.#recovering || this.#opening) return;
    this.#recovering = true;
    const settled = () => {
      this.#recovering = false;
    };
    // A refusal leaves the set as it is; the next push finds the same gap.
    this.#connection.request("tools/snapshot", "{}", { background: true, settled }).catch(() => {});
  }

  #asked(method: string, params: unknown, signal: AbortSignal): Promise<object> {
    if (method === "runtime/initialize") {
      this.#connection.fail("only repeats what it is sent: it is not mcp-sidecar");
    }
    if (this.#connection.ended !== undefined) {
      return Promise.reject(new Refusal(ErrorCode.Cancelled, "this host is closing the sidecar"));
    }
    return answerWith(this.#handlers, method, params, signal);
  }

  #tellClosed(): void {
    const reason = this.#connection.ended;
    if (this.#toldClosed || reason === undefined) return;
    this.#toldClosed = true;
    this.#emitter.emit("closed", reason);
  }
}

/** Loose lets what is undefined be left out, which JSON does. */
type Loose<T> = { [K in keyof T]: T[K] | undefined };

/** refusedVersion finds out whether it was for the version that the sidecar refused us. */
function refusedVersion(error: unknown, peer: string | undefined): ProtocolVersionError | undefined {
  if (!(error instanceof ResponseError)) return undefined;
  const { supported } = (error.data ?? {}) as { supported?: unknown };
  return Array.isArray(supported) ? new ProtocolVersionError(supported as number[], peer) : undefined;
}
