// The host's user, as far as the sidecar asks: handlers that wait until a line says what they answer.

import { deepStrictEqual, ok } from "node:assert/strict";
import type { HandlerContext, Handlers } from "../../src/handlers.js";
import type { Capabilities } from "../../src/protocol.gen.js";
import type { Json } from "./json.js";

export type Declared = Capabilities;

/** A handler that was called. */
interface Question {
  readonly method: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
  readonly answer: (value: unknown) => void;
  readonly refuse: (reason: unknown) => void;
}

/** A request of the sidecar's, by its id. */
interface Asked {
  readonly method: string;
  readonly params: unknown;
  question: Question | undefined;
  answered: boolean;
}

/** How a handler says what a result says. */
const natural: Record<string, (result: Record<string, unknown>) => unknown> = {
  "trust/approve": (result) => result.decisions,
  "input/request": (result) => result.value,
  "elicitation/create": (result) => result.result,
  "sampling/createMessage": (result) => result.result,
  "auth/openUrl": (result) => result.opened,
};

export class Desk {
  readonly handlers: Handlers;
  /** The methods that have a handler. */
  private readonly served = new Set<string>();
  private readonly questions: Question[] = [];
  private readonly requests = new Map<string, Asked>();

  /** A handler for each capability that the dialogue's host declares. */
  constructor(declared: Declared) {
    this.handlers = {
      ...(declared.approve && { approve: this.handler("trust/approve") }),
      ...(declared.input && { input: this.handler("input/request") }),
      ...(declared.elicitation && { elicit: this.handler("elicitation/create") }),
      ...(declared.sampling && { sample: this.handler("sampling/createMessage") }),
      ...(declared.openUrl && { openUrl: this.handler("auth/openUrl") }),
    };
  }

  private handler(method: string) {
    this.served.add(method);
    return (params: unknown, { signal }: HandlerContext) =>
      new Promise<never>((resolve, refuse) => {
        // A question that has left the screen is one that nobody answered.
        signal.addEventListener("abort", () => resolve(undefined as never));
        this.questions.push({ method, params, signal, answer: resolve as (value: unknown) => void, refuse });
      });
  }

  /** Notes a request that is being sent. */
  asked(id: string, method: string, params: unknown): void {
    ok(this.requests.get(id)?.answered !== false, `request ${id} of the sidecar is not answered yet`);
    this.requests.set(id, { method, params, question: undefined, answered: false });
  }

  /** Whether the request has reached its handler, if it has one. */
  heard(id: string): boolean {
    return !this.served.has(this.request(id).method) || this.questions.length > 0;
  }

  check(id: string): void {
    const request = this.request(id);
    if (!this.served.has(request.method)) return;
    request.question = this.questions.shift();
    const { method, params } = request;
    deepStrictEqual(
      { method: request.question?.method, params: request.question?.params },
      { method, params },
    );
    ok(!request.question?.signal.aborted, "a question is withdrawn from the beginning");
  }

  /** Every call of a handler must be about a request of the sidecar's. */
  nothingUnasked(): void {
    const [first] = this.questions;
    ok(first === undefined, `a handler was called without need: ${first?.method}`);
  }

  /** Looks whether a handler has learnt that its question was withdrawn. */
  withdrawn(id: string): void {
    const request = this.requests.get(id);
    if (request === undefined || request.answered || request.question === undefined) return;
    ok(
      request.question.signal.aborted,
      `the handler of ${request.method} does not learn that it is withdrawn`,
    );
  }

  /** Makes the handler answer what the line says. */
  answer(id: string, message: Record<string, unknown>): void {
    const request = this.request(id);
    ok(!request.answered, `request ${id} of the sidecar is answered twice`);
    request.answered = true;
    const { question, method } = request;
    if (question === undefined) return;
    const error = message.error as { code: number; message?: string } | undefined;
    if (error === undefined) {
      const result = message.result as Record<string, unknown>;
      question.answer(natural[method]?.(result));
    } else if (error.code === -32800) {
      question.answer(undefined);
    } else {
      question.refuse(new Error(error.message));
    }
  }

  /** Whether a message answers a question that is open: one that a client leaves behind may be answered. */
  leftOpen(message: Json): boolean {
    if (message.members.has("method")) return false;
    const request = this.requests.get(message.members.get("id")?.text ?? "");
    return request?.answered === false && request.question?.signal.aborted === true;
  }

  /** The sidecar is gone: so are its questions. */
  over(): void {
    for (const { question, answered, method } of this.requests.values()) {
      if (question === undefined || answered) continue;
      ok(question.signal.aborted, `the handler of ${method} does not learn that the sidecar is gone`);
    }
  }

  private request(id: string): Asked {
    const request = this.requests.get(id);
    if (request === undefined) throw new Error(`the sidecar has not made a request ${id}`);
    return request;
  }
}
