/** What the requests of a client are told beside what they ask. */
import { InvalidArgumentError } from "./errors.js";
import type { Progress } from "./mcp.js";
import type { Settings, WorkspaceFolder } from "./protocol.gen.js";

/** InitializeOptions are what a session begins with. */
export interface InitializeOptions {
  /** cwd is absolute: the root of the user's project. */
  cwd: string;
  /** workspaceFolders are read for project files, in order. Default: cwd alone. */
  workspaceFolders?: WorkspaceFolder[] | undefined;
  /** processId is this program's: the sidecar ends when it is gone. */
  processId?: number | undefined;
  settings?: Settings | undefined;
}

export interface RequestOptions {
  /** signal abandons the request, which then rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CallOptions extends RequestOptions {
  /** onProgress is told what the server says about the call, all of it before the result. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** timeoutMs bounds the server's silence; progress starts it anew. */
  timeoutMs?: number | undefined;
  /** maxBytes bounds the result; what is cut lies in details.truncated.file. */
  maxBytes?: number | undefined;
}

export interface SearchOptions extends RequestOptions {
  /** limit is how many are wanted at most. Default: 15. */
  limit?: number | undefined;
}

export interface ConnectOptions extends RequestOptions {
  /** restart connects anew also a server that is ready. */
  restart?: boolean | undefined;
}

export interface WaitOptions extends RequestOptions {
  /** servers are those that are waited for. Default: all. */
  servers?: string[] | undefined;
  /** timeoutMs bounds the wait. Default: 30 s. */
  timeoutMs?: number | undefined;
}

export interface LogsOptions extends RequestOptions {
  /** lines is how many are wanted. Default: 200. */
  lines?: number | undefined;
  /** after is the seq of a line: only what came later is wanted. */
  after?: number | undefined;
}

export interface DoctorOptions extends RequestOptions {
  /** server leaves out what is not about this one. */
  server?: string | undefined;
}

/** Options are what may be told, by the method that is told it; `request` is any that has no more to be told. */
interface Options {
  initialize: InitializeOptions;
  request: RequestOptions;
  call: CallOptions;
  search: SearchOptions;
  connect: ConnectOptions;
  wait: WaitOptions;
  logs: LogsOptions;
  doctor: DoctorOptions;
}

/** NamesOf are the names of all members of an interface. */
export type NamesOf<T> = { readonly [Name in keyof T]-?: true };

const signal = true;
const NAMES: { readonly [Method in keyof Options]: NamesOf<Options[Method]> } = {
  initialize: { cwd: true, workspaceFolders: true, processId: true, settings: true },
  request: { signal },
  call: { signal, onProgress: true, timeoutMs: true, maxBytes: true },
  search: { signal, limit: true },
  connect: { signal, restart: true },
  wait: { signal, servers: true, timeoutMs: true },
  logs: { signal, lines: true, after: true },
  doctor: { signal, server: true },
};

/** checked gives the options of a method, if all of them exist. */
export function checked<M extends keyof Options>(method: M, options: Options[M]): Options[M] {
  checkNames(method, options, NAMES[method]);
  return options;
}

/** checkNames refuses an option that does not exist: the one that was meant would have its default. */
export function checkNames<T extends object>(what: string, options: T, names: NamesOf<T>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const known = Object.keys(names).join(", ");
  throw new InvalidArgumentError(`${what}: there is no option "${unknown}"; there are ${known}`);
}
