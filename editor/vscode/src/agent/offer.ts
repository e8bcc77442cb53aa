/**
 * What the editor's agent is offered: one MCP server, `mcp-sidecar mcp`, that joins the window's session. Pure.
 *
 * How VS Code treats it decides what its version is (read in, and tried with, 1.139):
 * - It keeps a server's last tools, by version, also over restarts of the window. The agent's next turn starts a
 *   server by itself ("autostart") only if the version of what it keeps is another one. A constant version would
 *   give the next window's agent the tools of the last one, for as long as nobody calls any of them.
 * - The same holds after the sidecar was started again. What `resolveMcpServerDefinition` adds, such as the
 *   endpoint in the environment, is not compared: it restarts nothing.
 * So the version names the session: it changes with each sidecar, and with what is on the command line.
 */
import { createHash } from "node:crypto";
import type { AgentWishes } from "../settings.js";
import type { Condition } from "../view.js";

/** LABEL is what the server is called, also in VS Code's own list of MCP servers. It is its identity: constant. */
export const LABEL = "MCP Sidecar";

/**
 * How long the first list of tools waits for servers that have never run, in seconds. The agent's turn waits for
 * it; what comes later is in the next turn.
 */
const WAIT_S = "2";

export interface Offer {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

export interface Circumstances {
  readonly trusted: boolean;
  readonly agent: AgentWishes;
  /** had are servers whose tools the agent has already. */
  readonly had: readonly string[];
  readonly condition: Condition;
  /** session is another text for each sidecar, and no secret. */
  readonly session: string;
  /** extension is the version of the extension. */
  readonly extension: string;
}

/** offerOf is what is offered now, if anything. */
export function offerOf(here: Circumstances): Offer | undefined {
  const { trusted, agent, had, condition, session, extension } = here;
  if (!trusted || !agent.enabled || condition.kind !== "running") return undefined;
  const command = condition.binary;
  const args = ["mcp", "--wait", WAIT_S, ...flagsOf({ ...agent, except: [...agent.except, ...had] })];
  return { command, args, version: `${extension}-${hashOf([command, args, session])}` };
}

/** flagsOf are the flags of `mcp-sidecar mcp` that say which servers are offered. */
export function flagsOf({ only, except }: Pick<AgentWishes, "only" | "except">): string[] {
  return [
    ...only.flatMap((pattern) => ["--only", pattern]),
    ...except.flatMap((pattern) => ["--except", pattern]),
  ];
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8);
}
