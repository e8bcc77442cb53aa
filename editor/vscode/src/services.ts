/** Services is what every part of the extension is given. */
import type { ExtensionContext, LogOutputChannel } from "vscode";
import type { Session } from "./session.js";
import type { Wishes } from "./settings.js";
import type { Switches } from "./switches.js";

export interface Services {
  readonly context: ExtensionContext;
  /** log is the output channel "MCP Sidecar". */
  readonly log: LogOutputChannel;
  readonly session: Session;
  readonly switches: Switches;
  /** wishes are the user's settings as they are now. */
  wishes(): Wishes;
}
