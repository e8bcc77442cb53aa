/** What the status bar says: a function of the last view. Pure. */
import type { Server } from "mcp-sidecar";
import { escaped, paragraph } from "../text/markdown.js";
import { counted } from "../text/words.js";
import { reasonOf, type View } from "../view.js";
import { fileErrors } from "./file_errors.js";
import { look } from "./phases.js";

export interface Status {
  readonly text: string;
  /** tooltip is Markdown. */
  readonly tooltip: string;
  /** spoken is what a screen reader says instead of the icon. */
  readonly spoken: string;
  readonly background?: "statusBarItem.errorBackground" | "statusBarItem.warningBackground";
  readonly command: string;
}

const command = "mcpSidecar.actions";
const ERROR = { background: "statusBarItem.errorBackground", command } as const;
const WARNING = { background: "statusBarItem.warningBackground", command } as const;

/** statusOf: `off` are the servers and tools that the user has switched off. */
export function statusOf(view: View, off: readonly string[]): Status {
  const { condition } = view;
  switch (condition.kind) {
    case "off": {
      const icon = condition.why === "restricted" ? "$(shield) " : "";
      return {
        text: `${icon}MCP off`,
        tooltip: paragraph(reasonOf(condition), 4),
        spoken: "MCP is off",
        command,
      };
    }
    case "starting":
      return {
        text: "$(sync~spin) MCP",
        tooltip: "The sidecar starts…",
        spoken: "MCP is starting",
        command,
      };
    case "failed":
      return {
        text: "$(error) MCP failed",
        tooltip: `**The sidecar does not run**\n\n${paragraph(reasonOf(condition), 8)}`,
        spoken: "MCP has failed",
        ...ERROR,
      };
    case "running":
      return running(view, off);
  }
}

function running(view: View, off: readonly string[]): Status {
  const { servers, tools } = view;
  const looks = servers.map((server) => ({ server, look: look(server, off.includes(server.name)) }));
  const wanted = looks.filter(({ look: { kind } }) => kind !== "disabled" && kind !== "stopped");
  const have = (kind: string) => wanted.some(({ look }) => look.kind === kind);
  const ready = wanted.filter(({ server }) => server.status === "connected").length;
  const count = wanted.length === 0 ? "MCP" : `MCP ${ready}/${wanted.length}`;
  const files = fileErrors(view);
  const tooltip = [
    ...files.slice(0, FILES).map((error) => `Problem in ${escaped(error, 200)}\n\n`),
    summary(looks, `${count}, ${counted(tools.length, "tool")}`),
  ].join("");
  const spoken =
    wanted.length === 0
      ? "MCP: no servers"
      : `MCP: ${ready} of ${counted(wanted.length, "server")} connected`;
  const shown = { tooltip, spoken };
  const failed = have("failed") || files.length > 0;
  // While some are on their way, it is not known yet how bad it is.
  if (have("busy")) {
    return { text: `$(sync~spin) ${count}`, ...shown, ...(failed ? WARNING : { command }) };
  }
  if (failed)
    return { text: `$(error) ${count}`, ...shown, ...(ready === 0 && wanted.length > 0 ? ERROR : WARNING) };
  if (have("ask")) return { text: `$(shield) ${count}`, ...shown, ...WARNING };
  if (have("retry")) return { text: `$(watch) ${count}`, ...shown, ...WARNING };
  return { text: `$(plug) ${count}`, ...shown, command };
}

/** Files that are told of. */
const FILES = 3;
/** Servers that are listed by name; beyond them, those that need somebody come first. */
const LISTED = 12;
const ORDER = ["failed", "ask", "retry", "busy", "ready", "stopped", "disabled"];

function summary(
  looks: readonly { server: Server; look: { kind: string; word: string } }[],
  head: string,
): string {
  if (looks.length === 0) return "No MCP server is configured\\.";
  const sorted = [...looks].sort((a, b) => ORDER.indexOf(a.look.kind) - ORDER.indexOf(b.look.kind));
  const lines = sorted
    .slice(0, LISTED)
    .map(({ server, look }) => `- ${escaped(server.name, 60)}: ${escaped(look.word, 40)}`);
  const rest = looks.length - LISTED;
  return [`**${escaped(head, 80)}**`, "", ...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
}
