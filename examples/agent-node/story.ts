/**
 * How the example is told: a line an event, each with its time since the start of the sidecar. A Story also
 * remembers what it told, so that main.ts can see whether everything has happened.
 */
import type { CallOutcome, ClientOptions, Progress, Server, Sidecar, ToolSource } from "mcp-sidecar";
import type { OpenAIToolCall } from "mcp-sidecar/openai";

const shown = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const [BOLD, DIM, PLAIN] = shown ? ["\x1b[1m", "\x1b[2m", "\x1b[0m"] : ["", "", ""];

/** MARGIN is where the text of a line begins. */
const MARGIN = " ".repeat(30);
/** WHO is the width of a name that is before it. */
const WHO = 8;

export class Story {
  /** requests are the names of the tools in each request to the model. */
  readonly requests: string[][] = [];
  /** steps is how often a tool told how far it is. */
  steps = 0;
  /** pushed are the servers whose tools came after the session was open. */
  readonly pushed = new Set<string>();
  /** outcomes say how each tool was called, by its server's name for it. */
  readonly outcomes = new Map<string, CallOutcome>();
  readonly #started = performance.now();
  readonly #who: string;

  /** who is before every line, where several tell at the same time. */
  constructor(title: string, who = "") {
    this.#who = who === "" ? "" : who.padEnd(WHO);
    if (title !== "") console.log(`\n${BOLD}${title}${PLAIN}`);
  }

  /** line tells one event; mark says which way it went. */
  line(mark: string, what: string, about: string): void {
    const time = (performance.now() - this.#started).toFixed(0).padStart(6);
    this.#say(`${DIM}${time} ms${PLAIN}  ${mark.padEnd(2)} ${BOLD}${what.padEnd(15)}${PLAIN} ${about}`);
  }

  #say(text: string): void {
    console.log((this.#who + text).trimEnd());
  }

  /** opens: the sidecar has answered at the gate. */
  opens({ tools, servers }: Sidecar): void {
    const live = tools.filter(({ state }) => state === "live").length;
    const count = `${counted(tools)}: ${live} live, ${tools.length - live} deferred`;
    this.line("<-", "session open", tools.length > 0 ? count : "no tools yet");
    for (const server of servers) this.#say(MARGIN + described(server));
  }

  /** listeners tell what the sidecar pushes. */
  readonly listeners: NonNullable<ClientOptions["listeners"]> = {
    toolsChanged: ({ tools, added, removed, servers, reason }) => {
      for (const server of servers) this.pushed.add(server);
      const count = `${added.length} added, ${removed.length} removed`;
      this.line("<-", "tools changed", `${count} (${reason}: ${servers.join(", ")}): ${counted(tools)} now`);
    },
    status: (server) => {
      if (server.phase === "ready" || server.phase === "failed") this.line("<-", "server", described(server));
    },
  };

  /** asks: the model is asked, with these tools. */
  asks(names: string[]): void {
    const before = this.requests.at(-1);
    const fresh = names.filter((name) => before?.includes(name) === false).length;
    this.requests.push(names);
    const more = fresh > 0 ? `, ${fresh} of them new` : "";
    this.line("->", "model", `request ${this.requests.length}, with ${counted(names)}${more}`);
  }

  isToldToCall(calls: readonly OpenAIToolCall[]): void {
    for (const { function: call } of calls) this.line("<-", "model", `call ${call?.name} ${call?.arguments}`);
  }

  /** progresses: a tool says how far it is. */
  readonly progresses = ({ progress, total }: Progress): void => {
    this.steps++;
    this.line("..", "progress", `${progress} of ${total ?? "?"}`);
  };

  answers(outcome: CallOutcome): void {
    const { server, tool, durationMs, waitedMs, deferred } = outcome.details;
    this.outcomes.set(tool, outcome);
    const waited = deferred ? `, after ${waitedMs} ms of waiting for its server` : "";
    this.line("<-", "tool", `${server}/${tool} took ${durationMs} ms${waited}`);
    for (const { text = "" } of outcome.result.content ?? []) {
      for (const line of text.split("\n")) this.#say(MARGIN + line);
    }
  }
}

/**
 * told is a source of tools whose calls are told. This would also be the place to ask the user first, or to
 * leave tools out.
 */
export function told(sidecar: Sidecar, story: Story): ToolSource {
  return {
    get tools() {
      return sidecar.tools;
    },
    call: async (tool, args, options) => {
      const outcome = await sidecar.call(tool, args, options);
      story.answers(outcome);
      return outcome;
    },
  };
}

/** running are the processes of the servers. */
export function running({ servers }: Sidecar): string[] {
  return servers.flatMap(({ name, pid }) => (pid === undefined ? [] : `${name} is process ${pid}`));
}

function counted(things: readonly unknown[]): string {
  return things.length === 1 ? "1 tool" : `${things.length} tools`;
}

function described({ name, phase, tools: { count, from }, error }: Server): string {
  const tools = { live: `${count} live`, cache: `${count} deferred`, none: "no tools" }[from];
  return `${name.padEnd(11)} ${phase.padEnd(13)} ${tools}${error ? `: ${error.message}` : ""}`;
}
