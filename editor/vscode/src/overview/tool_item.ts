/** How a tool is shown in the view. Pure. */
import type { Tool } from "mcp-sidecar";
import { line } from "../text/bounded.js";
import { escaped, paragraph } from "../text/markdown.js";
import type { Entry } from "./entries.js";

export interface ToolItem {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  /** color is the id of a ThemeColor. Most have none. */
  readonly color?: string;
  readonly checked: boolean;
  /** context is for the menus of package.json. */
  readonly context: string;
}

const NAME = 80;

export function toolItem({ own, tool }: Entry): ToolItem {
  const name = line(own, NAME) || '""';
  if (tool === undefined) {
    const off = { icon: "circle-slash", color: "disabledForeground", checked: false, context: "tool off" };
    return { label: name, description: "off", ...off };
  }
  const title = titleOf(tool);
  const label = title === undefined ? name : line(title, NAME);
  const parts = [
    ...(label === name ? [] : [name]),
    ...hints(tool).filter((hint) => TELLING.includes(hint)),
    ...(tool.state === "deferred" ? ["not connected yet"] : []),
  ];
  return {
    label,
    description: parts.join(" · "),
    icon: "tools",
    ...(tool.state === "deferred" && { color: "disabledForeground" }),
    checked: true,
    context: `tool ${tool.state} callable`,
  };
}

/** toolTooltip is Markdown. All that others have written is text in it. */
export function toolTooltip(server: string, { own, tool }: Entry): string {
  if (tool === undefined) {
    const which = escaped(`${server}/${own}`, 2 * NAME);
    return `**${which}** is switched off in this workspace. Its checkbox switches it on.`;
  }
  const { description } = tool.definition;
  return [
    `**${escaped(titleOf(tool) ?? own, NAME) || '""'}**`,
    ...(typeof description === "string" && description.trim() !== "" ? [paragraph(description, 25)] : []),
    ...(tool.state === "deferred" ? ["Its server is not connected: a call waits for it\\."] : []),
    [`Models call it ${escaped(tool.name, NAME)}`, ...hints(tool)].join(" · "),
  ].join("\n\n");
}

function titleOf({ definition }: Tool): string | undefined {
  const titles: unknown[] = [definition.title, annotationsOf(definition).title];
  return titles.find((title): title is string => typeof title === "string" && title.trim() !== "")?.trim();
}

/** Hints that stand in the row, too. */
const TELLING: readonly string[] = ["read-only", "destructive"];

/** hints are what the server says of its tool (MCP: ToolAnnotations). It may be wrong about itself. */
function hints({ definition }: Tool): string[] {
  const given = annotationsOf(definition);
  return [
    ...(given.readOnlyHint === true ? ["read-only"] : []),
    // It means something only for a tool that is not read-only.
    ...(given.readOnlyHint !== true && given.destructiveHint === true ? ["destructive"] : []),
    ...(given.idempotentHint === true ? ["idempotent"] : []),
    ...(given.openWorldHint === true ? ["reaches beyond this machine"] : []),
  ];
}

function annotationsOf({ annotations }: Tool["definition"]): Record<string, unknown> {
  return typeof annotations === "object" && annotations !== null ? annotations : {};
}
