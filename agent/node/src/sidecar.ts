/**
 * Sidecar is a SidecarClient with the process: it finds the program, starts it, and ends it.
 */
import { resolve } from "node:path";
import { checkSignal } from "./abort.js";
import { findBinary } from "./binary.js";
import { CLIENT_OPTIONS, type ClientOptions, SidecarClient } from "./client.js";
import { ResponseError, SidecarError } from "./errors.js";
import { declaredBy } from "./handlers.js";
import { checkNames, type NamesOf } from "./options.js";
import { ProcessTransport } from "./process.js";
import { ErrorCode, type Settings, type WorkspaceFolder } from "./protocol.gen.js";

export interface SpawnOptions extends ClientOptions {
  /** cwd is the root of the user's project. Default: the current directory. */
  cwd?: string | undefined;
  /** workspaceFolders are read for project files, in order. Default: cwd alone. */
  workspaceFolders?: WorkspaceFolder[] | undefined;
  settings?: Settings | undefined;
  /**
   * binary is the program: a path, or a name in PATH. Default: see BinaryNotFoundError for where it is looked
   * for.
   */
  binary?: string | undefined;
  /** args are flags of the program; `mcp-sidecar help` lists them. */
  args?: readonly string[] | undefined;
  /** env is added to this program's environment; undefined takes a variable out. */
  env?: { readonly [name: string]: string | undefined } | undefined;
  /**
   * stderr is where the program's own log goes: nowhere (default), to this program's stderr, or line by line.
   */
  stderr?: "ignore" | "inherit" | ((line: string) => void) | undefined;
  /**
   * signal abandons the start: the process is ended, and then the promise rejects with the signal's reason.
   */
  signal?: AbortSignal | undefined;
}

const OPTIONS: NamesOf<SpawnOptions> = {
  ...CLIENT_OPTIONS,
  cwd: true,
  workspaceFolders: true,
  settings: true,
  binary: true,
  args: true,
  env: true,
  stderr: true,
  signal: true,
};

export class Sidecar extends SidecarClient {
  readonly #process: ProcessTransport;

  private constructor(process: ProcessTransport, options: ClientOptions) {
    super(process, options);
    this.#process = process;
  }

  /** spawn starts a sidecar, and resolves when it has its first set of tools. */
  static async spawn(options: SpawnOptions = {}): Promise<Sidecar> {
    checkNames("Sidecar.spawn", options, OPTIONS);
    const { binary, args, env, stderr, signal, cwd = ".", workspaceFolders, settings, ...client } = options;
    checkSignal(signal);
    signal?.throwIfAborted();
    declaredBy(client.handlers, client.capabilities); // throws before there is a process
    const child = new ProcessTransport({ binary: findBinary(binary), args, env, stderr: sink(stderr) });
    let sidecar: Sidecar | undefined;
    try {
      sidecar = new Sidecar(child, client);
      const session = { cwd: resolve(cwd), workspaceFolders, settings, processId: process.pid };
      await sidecar.initialize(session, { signal });
    } catch (error) {
      await (sidecar ?? child).close();
      throw unknownProgram(error, child.peer) ?? error;
    }
    return sidecar;
  }

  /** pid is the process id of the sidecar. */
  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** binary is the path of the program that was started. */
  get binary(): string {
    return this.#process.peer;
  }
}

function sink(stderr: SpawnOptions["stderr"]): ((line: string) => void) | undefined {
  if (stderr === "inherit") return (line) => process.stderr.write(`${line}\n`);
  return typeof stderr === "function" ? stderr : undefined;
}

/**
 * unknownProgram is for a program that speaks JSON-RPC, and something else than this: another language
 * server.
 */
function unknownProgram(error: unknown, binary: string): SidecarError | undefined {
  if (!(error instanceof ResponseError) || error.code !== ErrorCode.MethodNotFound) return undefined;
  return new SidecarError(`${binary} is not mcp-sidecar: it does not know runtime/initialize`, {
    cause: error,
  });
}
