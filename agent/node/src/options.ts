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

/** NamesOf are the names of all members of an interface. */
export type NamesOf<T> = { readonly [Name in keyof Required<T>]: true };

/** checkNames refuses an option that does not exist: the one that was meant would have its default. */
export function checkNames<T extends object>(what: string, options: T, names: NamesOf<T>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const known = Object.keys(names).join(", ");
  throw new InvalidArgumentError(`${what}: there is no option "${unknown}"; there are ${known}`);
}

const CALL_OPTIONS: NamesOf<CallOptions> = {
  signal: true,
  onProgress: true,
  timeoutMs: true,
  maxBytes: true,
};

export function checkCallOptions(options: CallOptions): void {
  checkNames("call", options, CALL_OPTIONS);
}
