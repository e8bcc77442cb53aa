/** What of the servers' states is told in a notification. Pure. */
import { type Phase, type Server, SidecarClosedError } from "mcp-sidecar";
import { WINDOW_MS } from "../restarts.js";
import { cut, line } from "../text/bounded.js";
import { linkless } from "../text/places.js";
import { counted } from "../text/words.js";

/**
 * Phases that are told. What is invalid has its squiggle, and a user who is just writing it; what waits for
 * trust or for a value is asked.
 */
const TELLING: readonly Phase[] = ["failed", "suspended", "needs-auth"];
/** A server that is tried again is told when it has failed so often: most are back by then. */
const ATTEMPTS = 4;
/** Phases that end a story: what comes after them is told again. */
const OVER: readonly Phase[] = ["ready", "stopped", "disabled", "removed"];

export interface News {
  /** told are the names of servers that were told, and have not worked since. */
  readonly told: ReadonlySet<string>;
  readonly fresh: readonly Server[];
}

/** newsOf is asked for every set of servers of a sidecar that runs. */
export function newsOf(told: ReadonlySet<string>, servers: readonly Server[]): News {
  const still = servers.filter(({ name, phase }) => told.has(name) && !OVER.includes(phase));
  const fresh = servers.filter((server) => !told.has(server.name) && telling(server));
  return { told: new Set([...still, ...fresh].map(({ name }) => name)), fresh };
}

function telling({ phase, attempt, error }: Server): boolean {
  if (error === undefined) return false;
  return TELLING.includes(phase) || (phase === "backoff" && attempt >= ATTEMPTS);
}

/** messageOf is one sentence or two about servers that do not work. */
export function messageOf(servers: readonly Server[]): string {
  const [first] = servers;
  if (first === undefined) return "";
  if (servers.length > 1) {
    const names = servers.map(({ name }) => line(name, 40)).join(", ");
    return linkless(`${counted(servers.length, "MCP server")} do not work: ${cut(names, 300)}.`);
  }
  const name = line(first.name, 60);
  const message = line(first.error?.message ?? `server "${name}" does not work`, 300);
  const hint = line(first.error?.hint ?? "", 200);
  const named = /^server "/i.test(message) ? `MCP ${message}` : `MCP server "${name}": ${message}`;
  return linkless(hint === "" ? named : `${ended(named)} ${sentence(hint)}`);
}

/** ended is a text with a sign at its end. */
export function ended(text: string): string {
  return text.replace(/[.…?!]?$/, (end) => end || ".");
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** EndNews is what is to be told of a sidecar that ended by itself, and when that was told last. */
export interface EndNews {
  readonly tell: "again" | "over" | undefined;
  readonly toldAt: number | undefined;
}

/**
 * endOf: that it is started again is told once for a row of ends; that it is not, always, since nothing runs
 * from then on.
 */
export function endOf(again: boolean, toldAt: number | undefined, now: number): EndNews {
  if (!again) return { tell: "over", toldAt: undefined };
  if (toldAt !== undefined && now - toldAt < WINDOW_MS) return { tell: undefined, toldAt };
  return { tell: "again", toldAt: now };
}

/** reasonOfEnd is why a sidecar ended, in few words: the log has what it wrote. */
export function reasonOfEnd(error: Error): string {
  if (error instanceof SidecarClosedError) {
    if (error.signal !== undefined) return `it was killed by ${line(error.signal, 20)}`;
    if (error.exitCode !== undefined) return `it ended with exit code ${error.exitCode}`;
  }
  const [first = ""] = error.message.split("\n");
  return linkless(line(first, 600));
}
