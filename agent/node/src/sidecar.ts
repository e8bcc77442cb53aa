/**
 * Sidecar is a SidecarClient with the process: it finds the program, starts it, and ends it. The process is a
 * sidecar (`spawn`), or the way to one that another program has started (`join`).
 */
import { resolve } from "node:path";
import { checkSignal } from "./abort.js";
import { findBinary } from "./binary.js";
import { CLIENT_OPTIONS, type ClientOptions, SidecarClient } from "./client.js";
import { InvalidArgumentError, ResponseError, SidecarError } from "./errors.js";
import { declaredBy } from "./handlers.js";
import { checkNames, type InitializeOptions, type NamesOf } from "./options.js";
import { ProcessTransport } from "./process.js";
import { ErrorCode, type Settings, type WorkspaceFolder } from "./protocol.gen.js";

/** ProgramOptions are about the process. */
export interface ProgramOptions {
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

export interface SpawnOptions extends ClientOptions, ProgramOptions {
  /** cwd is the root of the user's project. Default: the current directory. */
  cwd?: string | undefined;
  /** workspaceFolders are read for project files, in order. Default: cwd alone. */
  workspaceFolders?: WorkspaceFolder[] | undefined;
  settings?: Settings | undefined;
}

/** JoinOptions have nothing about the session: that is its owner's, and so is whatever is asked about it. */
export interface JoinOptions extends Pick<ClientOptions, "client" | "listeners" | "trace">, ProgramOptions {}

const PROGRAM: NamesOf<ProgramOptions> = { binary: true, args: true, env: true, stderr: true, signal: true };
const JOIN: NamesOf<JoinOptions> = { client: true, listeners: true, trace: true, ...PROGRAM };
const SPAWN: NamesOf<SpawnOptions> = {
  ...CLIENT_OPTIONS,
  cwd: true,
  workspaceFolders: true,
  settings: true,
  ...PROGRAM,
};

/** ENDPOINT is the variable that lets a program into the session of another. */
const ENDPOINT = "MCP_SIDECAR_ENDPOINT";

export class Sidecar extends SidecarClient {
  readonly #process: ProcessTransport;

  private constructor(process: ProcessTransport, options: ClientOptions) {
    super(process, options);
    this.#process = process;
  }

  /** spawn starts a sidecar, and resolves when it has its first set of tools. */
  static async spawn(options: SpawnOptions = {}): Promise<Sidecar> {
    checkNames("Sidecar.spawn", options, SPAWN);
    const { cwd = ".", workspaceFolders, settings, ...rest } = options;
    const session = { cwd: resolve(cwd), workspaceFolders, settings, processId: process.pid };
    // The session that this program may join is nothing to one of its own.
    return Sidecar.#start({ ...rest, env: { [ENDPOINT]: undefined, ...rest.env } }, session);
  }

  /**
   * join becomes a guest of the session whose owner has given its endpoint: by `share`, and mostly as
   * MCP_SIDECAR_ENDPOINT in the environment, which is the default. It resolves when the session has told its
   * set of tools, and rejects with why it lets nobody in.
   */
  static async join(endpoint?: string, options: JoinOptions = {}): Promise<Sidecar> {
    checkNames("Sidecar.join", options, JOIN);
    const { args = [], env } = options;
    // In the environment alone: everybody on the machine can read arguments.
    const invited = { ...env, [ENDPOINT]: invitation(endpoint, env) };
    const guest = { ...options, args: [...args, "attach"], env: invited, guest: true };
    return Sidecar.#start(guest, { cwd: resolve(".") });
  }

  /** start starts the program, and opens a session with it. */
  static async #start(
    { binary, args, guest, env, stderr, signal, ...client }: StartOptions,
    session: InitializeOptions,
  ): Promise<Sidecar> {
    checkSignal(signal);
    signal?.throwIfAborted();
    declaredBy(client.handlers, client.capabilities); // throws before there is a process
    const child = new ProcessTransport({
      binary: findBinary(binary),
      args,
      guest,
      env,
      stderr: sink(stderr),
    });
    let sidecar: Sidecar | undefined;
    try {
      sidecar = new Sidecar(child, client);
      await sidecar.initialize(session, { signal });
    } catch (error) {
      await (sidecar ?? child).close();
      throw unknownProgram(error, child.peer) ?? error;
    }
    return sidecar;
  }

  /** pid is the process id of the program: of the sidecar, or of a guest's way to it. */
  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** binary is the path of the program that was started. */
  get binary(): string {
    return this.#process.peer;
  }
}

interface StartOptions extends ClientOptions, ProgramOptions {
  readonly guest?: boolean;
}

/**
 * invitation is the endpoint to join by. It is a secret that no error shows; Node's own would show a value
 * that it cannot put into an environment.
 */
function invitation(endpoint: string | undefined, env: ProgramOptions["env"]): string {
  const given = endpoint ?? { ...process.env, ...env }[ENDPOINT];
  if (given === undefined || (endpoint === undefined && given === "")) {
    throw new SidecarError(
      `there is no session to join: ${ENDPOINT} is not set. The program that shares its session sets it, for ` +
        "those that it starts, to what its sidecar.share() gives",
    );
  }
  if (typeof given === "string" && given !== "" && !given.includes("\0")) return given;
  throw new InvalidArgumentError(
    "Sidecar.join: the endpoint is the text that share() gives; options come second",
  );
}

function sink(stderr: ProgramOptions["stderr"]): ((line: string) => void) | undefined {
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
