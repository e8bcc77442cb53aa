// Plays the sidecar's side of a dialogue to a client. conformance/README.md ("Playing the sidecar's side")
// says what each step means here.

import { equal, ok } from "node:assert/strict";
import type { Transport } from "../../src/transport.js";
import { completeParams, completeResult } from "./completion.js";
import type { Declared } from "./desk.js";
import { client as namedClient } from "./folder.js";
import { type Json, objectText, readJson } from "./json.js";
import { example, mismatch, patternOf, type Saved } from "./pattern.js";
import { type Open, Session } from "./session.js";
import type { Step, Transcript } from "./transcript.js";

/** A line of a dialogue that the client does not follow. */
export class Failure extends Error {
  constructor(
    readonly line: number,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Steps about what only a real sidecar has. */
const nothing = new Set([
  "eof",
  "signal",
  "stderr",
  "put",
  "remove",
  "mode",
  "await",
  "count",
  "release",
  "kill",
  "gone",
  "launch",
  "<!",
]);

/** Stands between the client and the test, to show that the player sees what goes wrong. */
export type Through = (transport: Transport) => Transport;

/** Plays the whole dialogue. What it throws is a Failure. */
export async function play(
  transcript: Transcript,
  through: Through = (transport) => transport,
): Promise<void> {
  const player = new Player(transcript.steps, through);
  for (const step of transcript.steps) await at(step.line, () => player.take(step));
  await at(transcript.steps.at(-1)?.line ?? 0, () => player.finish());
}

async function at(line: number, run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(line, error);
  }
}

class Player {
  private session: Session | undefined;
  private readonly saved: Saved = new Map();
  /** The client's requests that are open, by the ids of the dialogue. */
  private readonly open = new Map<string, Open>();
  /** Requests that nobody made but the client: their methods by the dialogue's ids, and the client's ids. */
  private readonly own = new Map<string, { readonly method: string; readonly id: string }>();
  /** The client's tokens by those of the dialogue. */
  private readonly tokens = new Map<string, { readonly text: string; readonly call: Open }>();

  constructor(
    private readonly steps: readonly Step[],
    private readonly through: Through,
  ) {}

  async take(step: Step): Promise<void> {
    if (nothing.has(step.verb)) return;
    if (step.verb === "start") return this.start(step);
    const session = this.session;
    if (session === undefined) throw new Error("no sidecar runs");
    const message = step.verb === ">" ? patternOf(step.args[0] as string) : undefined;
    if (message === undefined || !this.saysItself(session, message)) session.nothingUnnamed();
    if (message !== undefined) await this.say(session, message);
    else if (step.verb === "<") await this.sendLine(session, step);
    else if (step.verb === "<{") await this.sendAll(session, step.group);
    else await this.end(session, step);
    if (this.session === session) await session.check();
  }

  finish(): void {
    if (this.session !== undefined) throw new Error("the dialogue ends while the sidecar runs");
  }

  private start(step: Step): void {
    if (this.session !== undefined) throw new Error("the last one still runs");
    this.open.clear();
    this.own.clear();
    this.tokens.clear();
    this.session = new Session(namedClient, this.declared(step), this.through);
  }

  /** What the client can be asked: the runtime/initialize of this session says it. */
  private declared(start: Step): Declared {
    for (const step of this.steps.slice(this.steps.indexOf(start) + 1)) {
      if (step.verb === "start") break;
      const message = step.verb === ">" ? patternOf(step.args[0] as string) : undefined;
      if (message === undefined || stringAt(message, "method") !== "runtime/initialize") continue;
      const pattern = message.members.get("params")?.members.get("capabilities");
      if (pattern !== undefined) return JSON.parse(example(pattern, new Map()) ?? "{}") as Declared;
    }
    return {};
  }

  /** Whether a client says this of its own accord, so that it may have said it already. */
  private saysItself(session: Session, message: Json): boolean {
    const method = stringAt(message, "method");
    return method === undefined || method === "runtime/exit" || this.asksItself(session, method);
  }

  private asksItself(session: Session, method: string): boolean {
    return method === "tools/snapshot" && session.mirror.gap && this.own.size === 0;
  }

  private async say(session: Session, pattern: Json): Promise<void> {
    const method = stringAt(pattern, "method");
    const id = pattern.members.get("id")?.text;
    // A pattern after ">" stands for its example.
    const message = readJson(example(pattern, new Map(this.saved)) as string);
    if (method === undefined) {
      if (id === undefined) throw new Error("neither a method nor an id");
      session.desk.answer(id, JSON.parse(message.text) as Record<string, unknown>);
      this.fits(pattern, await session.next());
    } else if (id !== undefined) {
      await this.ask(session, id, method, pattern, message.members.get("params"));
    } else if (method === "$/cancelRequest") {
      await this.cancel(session, pattern);
    } else if (method === "runtime/exit" && session.isClosing) {
      this.fits(pattern, await session.next());
    }
    // Whatever else has no id, a client does not say.
  }

  private async ask(
    session: Session,
    id: string,
    method: string,
    pattern: Json,
    params?: Json,
  ): Promise<void> {
    if (this.open.has(id) || this.own.has(id)) throw new Error(`the id ${id} is in flight`);
    if (this.asksItself(session, method)) {
      this.own.set(id, { method, id: this.usable(session, await this.named(session, pattern)) });
      return;
    }
    if (method === "runtime/shutdown") {
      await session.close();
      this.own.set(id, { method, id: this.usable(session, await this.named(session, pattern)) });
      return;
    }
    const open = session.ask(method, params);
    this.open.set(id, open);
    const sent = await this.named(session, pattern, open);
    open.id = this.usable(session, sent);
    open.size = sent.text.length;
  }

  /** The client's next message, which must be the request of this line but for ids and tokens. */
  private async named(session: Session, pattern: Json, call?: Open): Promise<Json> {
    const sent = await session.next();
    const [wanted, token] = withoutToken(without(pattern, "id"));
    const used = sent.members.get("params")?.members.get("progressToken");
    if (token === undefined || call === undefined) {
      equal(used, undefined, `a token for progress that nobody asked for: ${sent.text}`);
    } else {
      ok(used?.kind === "string" || used?.kind === "number", `no usable progressToken: ${sent.text}`);
      this.tokens.set(token.text, { text: used.text, call });
    }
    this.fits(wanted, sent);
    return sent;
  }

  /** The id of a request: a string or an integer that is not in flight. */
  private usable(session: Session, message: Json): string {
    const id = message.members.get("id");
    ok(id !== undefined && (id.kind === "string" || /^\d+$/.test(id.text)), `no usable id: ${message.text}`);
    ok(
      ![...session.open].some((open) => open.id === id.text),
      `the id ${id.text} is in flight: ${message.text}`,
    );
    return id.text;
  }

  private async cancel(session: Session, pattern: Json): Promise<void> {
    const id = pattern.members.get("params")?.members.get("id")?.text;
    const open = id === undefined ? undefined : this.open.get(id);
    // What has been answered, or never was asked, a client does not cancel.
    if (open === undefined || open.abandoned) return;
    await session.abandon(open);
    this.fits(readJson(`{"method":"$/cancelRequest","params":{"id":${open.id}}}`), await session.next());
  }

  private fits(pattern: Json, sent: Json): void {
    const difference = mismatch(pattern, sent, this.saved);
    if (difference !== undefined) throw new Error(`${difference}\nthe client sent: ${sent.text}`);
  }

  private sendLine(session: Session, { line, args }: Step): Promise<void> {
    return at(line, () => this.send(session, patternOf(args[0] as string)));
  }

  /** Sends the messages in one turn of the event loop, as if one read had brought them all. */
  private async sendAll(session: Session, group: readonly Step[]): Promise<void> {
    const sent = await Promise.allSettled(group.map((step) => this.sendLine(session, step)));
    for (const each of sent) if (each.status === "rejected") throw each.reason;
  }

  /** Sends one message. It is with the client when this returns, and settles when the client has followed. */
  private async send(session: Session, pattern: Json): Promise<void> {
    const message = readJson(example(pattern, this.saved) as string);
    const method = stringAt(message, "method");
    const id = message.members.get("id")?.text;
    const params = message.members.get("params") ?? readJson("{}");
    if (method === undefined) await this.answer(session, id ?? "null", message);
    else if (id !== undefined)
      await session.request(id, method, completeParams(method, params, session.mirror));
    else if (method === "$/progress") await this.progress(session, params);
    else {
      await session.notify(method, completeParams(method, params, session.mirror));
      if (method === "$/cancelRequest") session.desk.withdrawn(params.members.get("id")?.text ?? "");
    }
  }

  private async progress(session: Session, params: Json): Promise<void> {
    const token = params.members.get("token")?.text ?? "";
    const used = this.tokens.get(token);
    if (used === undefined) throw new Error(`no call has the progressToken ${token}`);
    const value = params.members.get("value") ?? readJson('{"progress":0}');
    await session.progress(used.text, value.text, used.call);
  }

  private async answer(session: Session, id: string, message: Json): Promise<void> {
    const member = message.members.has("error") ? "error" : "result";
    const value = message.members.get(member);
    if (value === undefined) throw new Error(`neither a method nor a result nor an error: ${message.text}`);
    if (id === "null") {
      const refused = await session.answerNobody(completeError(value));
      for (const [known, open] of this.open) if (open === refused) this.open.delete(known);
      return;
    }
    const own = this.own.get(id);
    const open = this.open.get(id);
    const method = own?.method ?? open?.method;
    if (method === undefined) throw new Error(`the client has no request ${id} that is not answered`);
    const text = member === "error" ? completeError(value) : completeResult(method, value, session.mirror);
    this.own.delete(id);
    this.open.delete(id);
    if (own !== undefined) await session.answerOwn(own.id, method, member, text);
    else if (open !== undefined) await session.answer(open, member, text);
  }

  private async end(session: Session, step: Step): Promise<void> {
    let code = Number(step.args[0]);
    if (step.verb === "stop") {
      await session.close();
      const shutdown = await this.named(session, patternOf('{"method":"runtime/shutdown"}'));
      await session.answerOwn(this.usable(session, shutdown), "runtime/shutdown", "result", "{}");
      this.fits(patternOf('{"method":"runtime/exit"}'), await session.next());
      code = 0;
    }
    await session.exit(code);
    this.session = undefined;
  }
}

function completeError(error: Json): string {
  const members = new Map([...error.members].map(([name, { text }]) => [name, text]));
  if (!members.has("message")) members.set("message", '""');
  return objectText(members);
}

function stringAt(message: Json, name: string): string | undefined {
  const member = message.members.get(name);
  return member?.kind === "string" ? (JSON.parse(member.text) as string) : undefined;
}

function without(value: Json, member: string): Json {
  return { ...value, members: new Map([...value.members].filter(([name]) => name !== member)) };
}

/** The pattern of a request without its token, and the token. */
function withoutToken(pattern: Json): [Json, Json | undefined] {
  const params = pattern.members.get("params");
  const token = params?.members.get("progressToken");
  if (params === undefined || token === undefined) return [pattern, undefined];
  const members = new Map(pattern.members).set("params", without(params, "progressToken"));
  return [{ ...pattern, members }, token];
}
