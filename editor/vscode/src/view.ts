/**
 * What this window knows of its sidecar at one instant: a value that is never changed. Everything that is
 * shown (the tree, the status bar, context keys, the squiggles) is a function of the last one.
 */
import type { Diagnostic, Server, Tool } from "mcp-sidecar";

/** Condition is that of the sidecar, not of its servers. */
export type Condition =
  | { readonly kind: "off"; readonly why: OffReason }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly binary: string; readonly pid: number; readonly version: string }
  | { readonly kind: "failed"; readonly message: string };

/** OffReason is why nothing is to run: the workspace is not trusted, the settings say so, the window closes. */
export type OffReason = "restricted" | "disabled" | "closing";

export interface View {
  readonly condition: Condition;
  /** servers and tools are sorted by name. Nobody's while nothing runs. */
  readonly servers: readonly Server[];
  readonly tools: readonly Tool[];
  readonly errors: readonly Diagnostic[];
}

export function empty(condition: Condition): View {
  return { condition, servers: [], tools: [], errors: [] };
}

/** reasonOf says why nothing runs, and what to do. */
export function reasonOf(condition: Condition): string {
  switch (condition.kind) {
    case "failed":
      return condition.message;
    case "off":
      return OFF[condition.why];
    default:
      return "the sidecar is starting";
  }
}

const OFF: { readonly [Why in OffReason]: string } = {
  restricted: "The workspace is not trusted: no MCP server runs in it.",
  disabled: "MCP servers are switched off by the setting mcpSidecar.enabled.",
  closing: "The window closes.",
};
