/** Which tool to call: a quick pick that follows the session. */
import type { Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import { toolItem } from "../overview/tool_item.js";
import type { Services } from "../services.js";
import type { Session } from "../session.js";
import { oneLine } from "../text/bounded.js";
import { iconless } from "../text/places.js";

interface Row extends vscode.QuickPickItem {
  /** name is that of the tool in the session. A heading has none. */
  readonly name?: string;
}

/** pickTool is the name of the tool that the user picks. */
export function pickTool({ session }: Services): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Row>();
  pick.title = "Call a Tool";
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.keepScrollPosition = true;
  const follow = () => {
    const [active] = pick.activeItems;
    pick.items = rows(session);
    pick.busy = session.view.servers.some(({ status }) => status === "connecting");
    pick.placeholder = placeholder(session);
    const still = pick.items.filter(({ name }) => name !== undefined && name === active?.name);
    if (still.length > 0) pick.activeItems = still;
  };
  follow();
  const unlisten = session.on("changed", follow);
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const name = pick.activeItems[0]?.name;
      if (name === undefined) return;
      resolve(name);
      pick.hide();
    });
    pick.onDidHide(() => {
      unlisten();
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
}

function placeholder({ view }: Session): string {
  if (view.tools.length > 0) return "Choose a tool";
  const connecting = view.servers.some(({ status }) => status === "connecting");
  return connecting ? "Servers are connecting: their tools will be here" : "No server has a tool now";
}

/** rows are the tools of each server below its name. */
function rows({ view }: Session): Row[] {
  const rows: Row[] = [];
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

function row(tool: Tool): Row {
  const { label, description, icon } = toolItem({ own: tool.definition.name, tool });
  const { description: about } = tool.definition;
  return {
    name: tool.name,
    label: iconless(label),
    description: iconless([oneLine(tool.server, 80), description].filter((text) => text !== "").join(" · ")),
    ...(typeof about === "string" && about.trim() !== "" && { detail: iconless(oneLine(about, 200)) }),
    iconPath: new vscode.ThemeIcon(icon),
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
