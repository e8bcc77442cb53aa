/**
 * What a sidecar may ask of its host. A handler that is there declares the capability, and is called with the
 * question; what it returns is the answer in its natural form, without the wire's wrapping.
 */
import { Refusal } from "./connection.js";
import { InvalidArgumentError } from "./errors.js";
import type { CreateMessageResult, ElicitRequest, ElicitResult, SampleRequest } from "./mcp.js";
import {
  type ApproveParams,
  type Capabilities,
  type Decision,
  ErrorCode,
  type InputParams,
  type OpenURLParams,
  type SidecarRequests,
} from "./protocol.gen.js";

/** HandlerContext comes with every question. */
export interface HandlerContext {
  /** signal aborts when the sidecar withdraws the question, or is gone: take the question off the screen. */
  readonly signal: AbortSignal;
}

/** An Answer may take its time. */
export type Answer<T> = T | Promise<T>;

/**
 * Handlers answer what the sidecar asks. One that returns undefined cannot ask its user just now, which means
 * the same as a user who closes the question: nothing is decided. (From `input` it means that the user gave
 * no value.)
 */
export interface Handlers {
  /**
   * approve: may these servers of the project's files run? Decisions by name; a server left out waits. "allow"
   * and "deny" are remembered for the entry as it was shown. "later", like no word about a server, holds for
   * the session, or until a full reload.
   */
  approve?(question: ApproveParams, context: HandlerContext): Answer<Record<string, Decision> | undefined>;
  /** input: the value of an ${input:id} in a configuration file, for this session. */
  input?(question: InputParams, context: HandlerContext): Answer<string | undefined>;
  /** elicit: a server asks the user something. */
  elicit?(question: ElicitRequest, context: HandlerContext): Answer<ElicitResult | undefined>;
  /** sample: a server asks for a model's answer. */
  sample?(question: SampleRequest, context: HandlerContext): Answer<CreateMessageResult | undefined>;
  /** openUrl: open a page in the user's browser. Was it opened? */
  openUrl?(question: OpenURLParams, context: HandlerContext): Answer<boolean | undefined>;
}

/** A Row is one request of the sidecar, and the handler that answers it. */
interface Row {
  readonly handler: keyof Handlers;
  readonly capability: keyof Capabilities;
  /** declares is the capability of a host that has the handler, unless it says otherwise. */
  readonly declares: Capabilities;
  readonly returns: "object" | "string" | "boolean";
  /** wrap makes the wire's result of what the handler returned. */
  wrap(answer: unknown): object;
  /** none is the wire's result of undefined, where undefined is an answer. */
  readonly none?: object;
}

const ROWS: { readonly [M in keyof SidecarRequests]: Row } = {
  "trust/approve": {
    handler: "approve",
    capability: "approve",
    declares: { approve: true },
    returns: "object",
    wrap: (decisions) => ({ decisions }),
  },
  "input/request": {
    handler: "input",
    capability: "input",
    declares: { input: true },
    returns: "string",
    wrap: (value) => ({ value }),
    none: {},
  },
  "elicitation/create": {
    handler: "elicit",
    capability: "elicitation",
    declares: { elicitation: { form: true } },
    returns: "object",
    wrap: (result) => ({ result }),
  },
  "sampling/createMessage": {
    handler: "sample",
    capability: "sampling",
    declares: { sampling: {} },
    returns: "object",
    wrap: (result) => ({ result }),
  },
  "auth/openUrl": {
    handler: "openUrl",
    capability: "openUrl",
    declares: { openUrl: true },
    returns: "boolean",
    wrap: (opened) => ({ opened }),
  },
};

/**
 * declaredBy says what a host with these handlers can be asked. `refined` are the host's own words about it.
 */
export function declaredBy(handlers: Handlers = {}, refined: Capabilities = {}): Capabilities {
  const known = Object.values(ROWS).map(({ handler }) => handler as string);
  const given = Object.entries(handlers).filter(([, value]) => typeof value === "function");
  const unknown = given.map(([name]) => name).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    // It may well be a misspelt `approve`: without that one, nobody is asked.
    throw new InvalidArgumentError(`there is no handler "${unknown}"; there are ${known.join(", ")}`);
  }
  const declared: Capabilities = { ...refined };
  for (const { handler, capability, declares } of Object.values(ROWS)) {
    if (handlers[handler] !== undefined) {
      Object.assign(declared, { [capability]: refined[capability] ?? declares[capability] });
    } else if (refined[capability]) {
      throw new InvalidArgumentError(`capability ${capability}: there is no handler "${handler}" to keep it`);
    }
  }
  return declared;
}

/** answerWith has the handler answer, or refuses as the protocol wants it. */
export async function answerWith(
  handlers: Handlers,
  method: string,
  params: unknown,
  signal: AbortSignal,
): Promise<object> {
  const row = Object.hasOwn(ROWS, method) ? ROWS[method as keyof SidecarRequests] : undefined;
  if (row === undefined || handlers[row.handler] === undefined) {
    throw new Refusal(ErrorCode.MethodNotFound, `this host does not answer ${method}`);
  }
  // Each handler takes the params of its method: ROWS and Handlers say so together.
  const answer: unknown = await handlers[row.handler]?.(params as never, { signal });
  if (answer === undefined) {
    if (row.none !== undefined) return row.none;
    throw new Refusal(ErrorCode.Cancelled, `${method}: this host cannot ask now`);
  }
  if (typeof answer !== row.returns || answer === null) {
    const got = answer === null ? "null" : typeof answer;
    throw new Error(`handler "${row.handler}" returned ${got}, not ${row.returns}`);
  }
  return row.wrap(answer);
}
