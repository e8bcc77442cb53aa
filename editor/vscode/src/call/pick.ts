/** Which tool to call: a quick pick that follows the session. */
import type { Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import { type Choice, livePick } from "../live_pick.js";
import { toolItem } from "../overview/tool_item.js";
import type { Services } from "../services.js";
import type { Session } from "../session.js";
import { oneLine } from "../text/bounded.js";
import { iconless } from "../text/places.js";

/** pickTool is the name in the session of the tool that the user picks. */
export function pickTool({ session }: Services): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = "Call a Tool";
  pick.matchOnDetail = true;
  return livePick(session, pick, () => {
    pick.busy = session.view.servers.some(({ status }) => status === "connecting");
    pick.placeholder = placeholder(session);
    return rows(session);
  });
}

function placeholder({ view }: Session): string {
  if (view.tools.length > 0) return "Choose a tool";
  const connecting = view.servers.some(({ status }) => status === "connecting");
  return connecting ? "Servers are connecting: their tools will be here" : "No server has a tool now";
}

/** rows are the tools of each server below its name. */
function rows({ view }: Session): Choice[] {
  const rows: Choice[] = [];
  let server: string | undefined;
  const sorted = [...view.tools].sort(
    (one, other) => compare(one.server, other.server) || compare(one.name, other.name),
  );
  for (const tool of sorted) {
    if (tool.server !== server) {
      server = tool.server;
      rows.push({ label: oneLine(server, 80), kind: vscode.QuickPickItemKind.Separator });
    }
    rows.push(row(tool));
  }
  return rows;
}

function row(tool: Tool): Choice {
  const { label, description, icon } = toolItem({ own: tool.definition.name, tool });
  const { description: about } = tool.definition;
  return {
    name: tool.name,
    word: tool.definition.name,
    label: iconless(label),
    description: iconless([oneLine(tool.server, 80), description].filter((text) => text !== "").join(" · ")),
    ...(typeof about === "string" && about.trim() !== "" && { detail: iconless(oneLine(about, 200)) }),
    iconPath: new vscode.ThemeIcon(icon),
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
