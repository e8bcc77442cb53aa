/** Whether the one tool mcp_sidecar_call is offered. Pure. */
import type { AgentWishes } from "../settings.js";

export interface Access {
  readonly agent: Pick<AgentWishes, "enabled" | "callTool">;
  readonly trusted: boolean;
  /** direct: this editor can have the tools themselves, by an MCP server. */
  readonly direct: boolean;
  /** mcp is what the settings chat.mcp.access and, in older editors, chat.mcp.enabled say. */
  readonly mcp: { readonly access: unknown; readonly enabled: unknown };
}

/**
 * callToolOffered: "auto" is for where the agent cannot have the tools themselves. With "registry" VS Code runs
 * what its organisation's list has, and that cannot have this one, which is another in each window.
 */
export function callToolOffered({ agent, trusted, direct, mcp }: Access): boolean {
  if (!agent.enabled || !trusted) return false;
  if (agent.callTool !== "auto") return agent.callTool === "always";
  return !direct || mcp.access === "none" || mcp.access === "registry" || mcp.enabled === false;
}
