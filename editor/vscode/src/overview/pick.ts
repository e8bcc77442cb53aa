/** Which server a command is about, when it was not told: a quick pick that follows the session. */
import type { Server } from "mcp-sidecar";
import * as vscode from "vscode";
import { type Choice, livePick } from "../live_pick.js";
import { serverOf } from "../nodes.js";
import type { Services } from "../services.js";
import { iconless } from "../text/places.js";
import { serverItem } from "./server_item.js";

export interface Question {
  readonly title: string;
  /** fits says which servers can be chosen. */
  readonly fits: (server: Server) => boolean;
  /** none is said when no server fits. */
  readonly none: string;
}

/** serverFor is the server that a command's argument names, or that the user picks. */
export async function serverFor(
  services: Services,
  argument: unknown,
  question: Question,
): Promise<string | undefined> {
  return serverOf(argument) ?? (await pickServer(services, question));
}

function pickServer(services: Services, { title, fits, none }: Question): Promise<string | undefined> {
  const fitting = () => picks(services, fits);
  if (fitting().length === 0) {
    void vscode.window.showInformationMessage(none);
    return Promise.resolve(undefined);
  }
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = title;
  pick.placeholder = "Choose a server";
  return livePick(services.session, pick, fitting);
}

function picks({ session, switches }: Services, fits: Question["fits"]): Choice[] {
  const { errors } = session.view;
  return session.view.servers.filter(fits).map((server) => {
    const shown = serverItem(server, { off: switches.isOff(server.name), errors });
    return {
      name: server.name,
      label: iconless(shown.label),
      description: iconless(shown.description),
      iconPath: new vscode.ThemeIcon(shown.look.icon, new vscode.ThemeColor(shown.look.color)),
    };
  });
}
