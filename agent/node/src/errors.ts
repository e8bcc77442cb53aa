/**
 * Everything that goes wrong here is a SidecarError, of a class that says whose affair it is: the sidecar
 * refused a request (ResponseError), it is gone (SidecarClosedError), it cannot be found
 * (BinaryNotFoundError) or understood (ProtocolVersionError), or what was asked makes no sense
 * (InvalidArgumentError).
 *
 * Two things are not errors of this kind: a tool that fails (its result has `isError`), and a request that
 * its caller abandons (it rejects with the reason of the caller's AbortSignal).
 */
import { PROTOCOL_VERSION } from "./protocol.gen.js";

/** SidecarError is the base of all errors of this package. */
export class SidecarError extends Error {
  override name = "SidecarError";
}

/** InvalidArgumentError: what the caller gave cannot be used. Nothing was sent. */
export class InvalidArgumentError extends SidecarError {
  override name = "InvalidArgumentError";
}

/** ResponseError: the sidecar refused a request. ErrorCode has the codes. */
export class ResponseError extends SidecarError {
  override name = "ResponseError";
  readonly code: number;
  /** data is what the protocol says about the code, for example `{suggestions: string[]}`. */
  readonly data: unknown;
  readonly method: string;

  constructor(method: string, error: { code: number; message?: string; data?: unknown }) {
    const message = String(error.message ?? ""); // the other end may leave it out
    super(`${method}: ${message}${nearNames(message, error.data)}`);
    this.method = method;
    this.code = error.code;
    this.data = error.data;
  }
}

/** nearNames adds the names in data that the text of the error does not have already. */
function nearNames(message: string, data: unknown): string {
  const { suggestions, candidates } = (data ?? {}) as { suggestions?: unknown; candidates?: unknown };
  const names = [suggestions, candidates].flat().filter((name) => typeof name === "string");
  const unsaid = names.filter((name) => !message.includes(name));
  return unsaid.length === 0 ? "" : ` (did you mean ${unsaid.join(", ")}?)`;
}

/**
 * SidecarClosedError: the sidecar is gone, or this program has closed it. There is one for each sidecar:
 * every call that was waiting, and every later one, fails with the same.
 */
export class SidecarClosedError extends SidecarError {
  override name = "SidecarClosedError";
  /** exitCode is that of the process, if it ended by itself. */
  readonly exitCode: number | undefined;
  /** signal is the name of the signal that ended the process, if one did. */
  readonly signal: string | undefined;
  /** stderr has what the process last wrote there, or how it began to tell of its crash. */
  readonly stderr: readonly string[];

  constructor(
    message: string,
    end: { exitCode?: number | undefined; signal?: string | undefined; stderr?: readonly string[] } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.exitCode = end.exitCode;
    this.signal = end.signal;
    this.stderr = Object.freeze([...(end.stderr ?? [])]);
  }
}

/** A Place where the program was looked for, and why it was not taken from there. */
export interface Place {
  readonly where: string;
  readonly why: string;
}

/** BinaryNotFoundError: there is no program to start. `looked` has every place, in the order of looking. */
export class BinaryNotFoundError extends SidecarError {
  override name = "BinaryNotFoundError";
  readonly looked: readonly Place[];

  constructor(message: string, looked: readonly Place[]) {
    super(message);
    this.looked = Object.freeze([...looked]);
  }
}

/** ProtocolVersionError: the sidecar and this package speak different versions of the protocol. */
export class ProtocolVersionError extends SidecarError {
  override name = "ProtocolVersionError";
  /** version is the one that this package speaks. */
  readonly version: number = PROTOCOL_VERSION;
  /** supported are those that the sidecar speaks. */
  readonly supported: readonly number[];

  /** What is no version in `named` names none. */
  constructor(named: readonly unknown[], peer = "the sidecar") {
    const supported = named.filter((version): version is number => Number.isInteger(version));
    const newest = Math.max(...supported);
    const remedy =
      newest > PROTOCOL_VERSION
        ? 'install a newer npm package "mcp-sidecar", or an older mcp-sidecar'
        : 'install a newer mcp-sidecar, or an older npm package "mcp-sidecar"';
    super(
      `this package speaks version ${PROTOCOL_VERSION} of the protocol, but ${peer} speaks ` +
        `${supported.length === 0 ? "none that it names" : supported.join(", ")}: ${remedy}`,
    );
    this.supported = Object.freeze([...supported]);
  }
}
