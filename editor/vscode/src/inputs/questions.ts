/** What is asked about an input, and when without warning. Pure. */
import type { InputParams, Server } from "mcp-sidecar";
import { ends } from "../text/bounded.js";
import { inMessage } from "../text/places.js";
import { unmistakable } from "../text/visible.js";

/** titleOf says who asks for what. */
export function titleOf({ server, id, description }: InputParams): string {
  const what = ends(unmistakable(description?.trim() || id), 100).text;
  return `MCP server “${ends(unmistakable(server), 60).text}”: ${what}`;
}

/** writtenIn says where it is written. */
export function writtenIn({ id }: InputParams, path: string): string {
  return inMessage(`\${input:${id}} in ${path}`);
}

/** promptOf is the text below an input box, in which VS Code makes links as in a notification. */
export function promptOf(question: InputParams, path: string): string {
  const { description = "" } = question;
  const more =
    [...description.trim()].length > 100 ? `${ends(inMessage(description.trim()), 600).text} · ` : "";
  return `${more}${writtenIn(question, path)}. It is kept in the editor's secret storage.`;
}

/** noticeOf is the notification that a server waits for a value. */
export function noticeOf({ id, server, description }: InputParams): string {
  const name = ends(inMessage(server), 60).text;
  const what = description?.trim() ? ` (${ends(inMessage(description.trim()), 200).text})` : "";
  return `The MCP server “${name}” needs a value for \${input:${ends(inMessage(id), 60).text}}${what}.`;
}

/** refused says whether a server failed in a way that a wrong value of an input would make it fail. */
export function refused({ phase, error }: Server): boolean {
  return phase === "needs-auth" || error?.code === "auth";
}

/** For how long after an act of the user a question about it is expected. */
const EXPECTED_MS = 10_000;

/**
 * Expectation says whether a dialog may come up by itself: otherwise keys that are meant for a text would go
 * into it. It may after an act of the user, and when the same is asked a second time: the sidecar does that only
 * when the user connects the server or reloads.
 */
export class Expectation {
  readonly #now: () => number;
  #until = 0;
  readonly #asked = new Set<string>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** act says that the user has just asked for something. */
  act(): void {
    this.#until = this.#now() + EXPECTED_MS;
  }

  /** asks says whether this question is expected, and remembers that it was asked. */
  asks(key: string): boolean {
    const again = this.#asked.has(key);
    this.#asked.add(key);
    return again || this.#now() < this.#until;
  }

  /** anew forgets what a former sidecar asked. */
  anew(): void {
    this.#asked.clear();
  }
}
