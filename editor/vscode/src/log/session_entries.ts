/** What happens to the window's session, as entries of the log. Pure. */
import type { Condition, OffReason } from "../view.js";
import type { Entry } from "./entry.js";
import { indented, logged } from "./logged.js";

const OFF: { readonly [Why in OffReason]: string } = {
  restricted: "the workspace is restricted: nothing runs until it is trusted",
  disabled: "nothing runs: mcpSidecar.enabled is off",
  closing: "the window closes: the sidecar and its servers have ended",
};

/**
 * entryOfChange is for a change from one condition to the next. That a sidecar ended is told by `ended`, with
 * why, and not here.
 */
export function entryOfChange(before: Condition | undefined, now: Condition): Entry | undefined {
  if (before !== undefined && before.kind === now.kind && now.kind !== "running") {
    const same = now.kind !== "off" || (before.kind === "off" && before.why === now.why);
    if (same) return undefined;
  }
  switch (now.kind) {
    case "off":
      return { level: "info", text: OFF[now.why] };
    case "starting":
      return before?.kind === "running" ? undefined : { level: "info", text: "the sidecar starts" };
    case "running":
      if (before?.kind === "running" && before.pid === now.pid) return undefined;
      return { level: "info", text: `the sidecar runs: ${described(now)}` };
    case "failed":
      return undefined;
  }
}

export function entryOfEnd(error: Error, again: boolean): Entry {
  const then = again
    ? "It is started again."
    : "It is not started again: run “MCP Sidecar: Restart the Sidecar”.";
  return { level: "error", text: `${indented(error.message)}\n    ${then}` };
}

function described({ binary, version, pid }: Extract<Condition, { kind: "running" }>): string {
  return `${logged(binary)}, version ${logged(version)}, process ${pid}`;
}
