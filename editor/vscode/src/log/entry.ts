/** An Entry is one line of a log channel. */
import type { LogOutputChannel } from "vscode";

/** Level is one of VS Code's: the user sets for each channel what is shown of it, at any time. */
export type Level = "trace" | "debug" | "info" | "warn" | "error";

export interface Entry {
  readonly level: Level;
  readonly text: string;
}

export function write(channel: LogOutputChannel, { level, text }: Entry): void {
  channel[level](text);
}

/** MCP's levels (server/utilities/logging, after RFC 5424), and those of runtime/log. */
const LEVELS: { readonly [level: string]: Level } = {
  debug: "debug",
  info: "info",
  notice: "info",
  warning: "warn",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

export function levelOf(level: string | undefined): Level {
  return (level !== undefined && Object.hasOwn(LEVELS, level) ? LEVELS[level] : undefined) ?? "info";
}
