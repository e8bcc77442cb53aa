/**
 * The trace of the messages between the editor and the sidecar, as lines of a log. Pure, but for the clock.
 *
 * What is a secret is not written, also not when everything else is: the values that a user types in for
 * ${input:…} and for a server's questions, the endpoint of the session, keys, and what an entry of a server
 * hands to it. Arguments and results of tools are written as they are, but for members that are called as
 * secrets are.
 */

import { beginning } from "../text/bounded.js";
import { secretName } from "../text/secret_names.js";
import { indented, logged } from "./logged.js";

/** Detail is mcpSidecar.trace.server. */
export type Detail = "off" | "messages" | "verbose";

type Direction = "sent" | "received";

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

interface Asked {
  readonly method: string;
  readonly at: number;
}

/** How much is written of a message, in characters. */
const BODY = 10_000;

const ARROWS: { readonly [D in Direction]: string } = { sent: "→", received: "←" };

export class Tracer {
  readonly #now: () => number;
  /** Requests that are not answered, by the direction of their answer and their id. */
  readonly #asked = new Map<string, Asked>();

  /** now is in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** line is what to write about a message. */
  line(text: string, direction: Direction, detail: Exclude<Detail, "off">): string {
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      return `${ARROWS[direction]} ${text.length} characters that are no JSON`;
    }
    const { id, method } = message;
    const asked = method === undefined ? this.#answered(direction, id) : undefined;
    const head = `${ARROWS[direction]} ${logged(method ?? asked?.method ?? "answer")}${numbered(id)}`;
    const end = method === undefined ? this.#ending(message, asked) : "";
    if (method !== undefined && id !== undefined) {
      this.#asked.set(keyOf(direction === "sent" ? "received" : "sent", id), { method, at: this.#now() });
    }
    const body = detail === "verbose" ? bodyOf(message, method ?? asked?.method) : "";
    return head + end + body;
  }

  /** forget is for the end of a sidecar, and of a trace: what comes later answers nothing that was seen. */
  forget(): void {
    this.#asked.clear();
  }

  #answered(direction: Direction, id: Message["id"]): Asked | undefined {
    const key = keyOf(direction, id);
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    return asked;
  }

  #ending({ error }: Message, asked: Asked | undefined): string {
    const time = asked === undefined ? "" : ` in ${Math.round(this.#now() - asked.at)} ms`;
    if (!error) return ` answered${time}`;
    return ` refused${time}: ${logged(beginning(`${error.code} ${error.message}`, 500))}`;
  }
}

function keyOf(direction: Direction, id: Message["id"]): string {
  return `${direction} ${JSON.stringify(id)}`;
}

function numbered(id: Message["id"]): string {
  return id === undefined || id === null ? "" : ` (${logged(String(id))})`;
}

/** bodyOf is what a message says. An answer of an unknown method could be any secret. */
function bodyOf(message: Message, method: string | undefined): string {
  const { params, result, error } = message;
  const said = error ?? (message.method === undefined ? result : params);
  const body =
    method === undefined && !error ? REDACTED : redacted(said, method, message.method === undefined);
  return `\n    ${beginning(indented(JSON.stringify(body, null, 2) ?? "null"), BODY)}`;
}

const REDACTED = "[redacted]";

/** Questions whose answer is what a person, or the model of one, has said. */
const PRIVATE_ANSWERS = new Set(["input/request", "elicitation/create", "runtime/share"]);
/** Questions that are secret themselves: an address that signs its reader in. */
const PRIVATE_QUESTIONS = new Set(["auth/openUrl"]);

/** Members whose values may hold secrets whatever they are called. */
const HOLDERS = new Set(["env", "headers", "endpoint", "exaApiKeys"]);

function redacted(said: unknown, method: string | undefined, answer: boolean): unknown {
  if (method !== undefined && (answer ? PRIVATE_ANSWERS : PRIVATE_QUESTIONS).has(method)) return REDACTED;
  return walked(said, []);
}

/** walked copies a value without its secrets. `path` are the members that lead to it. */
function walked(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => walked(element, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const here = [...path, name];
      // An entry of the user's settings: its arguments and its URL may hold secrets as well.
      const entry = here.length === 3 && here[0] === "settings" && here[1] === "servers";
      return [name, entry || isSecret(name, member) ? REDACTED : walked(member, here)];
    }),
  );
}

/** isSecret leaves what says nothing: whether there is one, how many there are, which one it is. */
function isSecret(name: string, value: unknown): boolean {
  if (typeof value === "boolean" || typeof value === "number" || value === null) return false;
  return HOLDERS.has(name) || secretName(name);
}
