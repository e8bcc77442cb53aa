/**
 * The sidecar's own log, as it stands on its stderr: Go's slog in its text form. Pure.
 *
 * Everything that the sidecar tells a host of its log (runtime/log) is there too, and what else it has: its
 * "debug", and what comes before the session and after it. So stderr is the log, unless the user has it written
 * to a file by --log-file: then runtime/log is.
 */
import type { LogParams } from "mcp-sidecar";
import { type Entry, type Level, levelOf } from "./entry.js";
import { indented, logged } from "./logged.js";

/** logArguments makes the program tell all it has. What the user says comes later, and wins. */
export function logArguments(args: readonly string[]): readonly string[] {
  return ["--log-level=debug", ...args];
}

/** logsToFile says whether these arguments take the log away from stderr. */
export function logsToFile(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--log-file" || arg.startsWith("--log-file="));
}

const LEVELS: { readonly [level: string]: Level } = {
  DEBUG: "debug",
  INFO: "info",
  WARN: "warn",
  ERROR: "error",
};

const BEGINNING = /^time=\S+ level=(DEBUG|INFO|WARN|ERROR) msg=/;
const MEMBER = /([^\s="]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?: |$)/y;

/** entryOfLine reads a line of stderr. What is no line of slog's (a crash, a warning of Go's) stands as it is. */
export function entryOfLine(line: string): Entry {
  const level = LEVELS[BEGINNING.exec(line)?.[1] ?? ""];
  const members = level === undefined ? undefined : membersOf(line);
  if (level === undefined || members === undefined)
    return { level: "warn", text: `[stderr] ${logged(line)}` };
  let server = "";
  let text = "";
  for (const [name, value] of members) {
    if (name === "server") server = `[${logged(value)}] `;
    else if (name === "msg") text = value;
    else if (name !== "time" && name !== "level") text += `; ${name}: ${value}`;
  }
  return { level, text: server + indented(text) };
}

/** entryOfMessage is for what the sidecar tells its host. */
export function entryOfMessage({ level, message, server }: LogParams): Entry {
  const about = server === undefined || server === "" ? "" : `[${logged(server)}] `;
  return { level: levelOf(level), text: about + indented(message) };
}

/** membersOf gives undefined for a line that has anything else than members. */
function membersOf(line: string): [string, string][] | undefined {
  const members: [string, string][] = [];
  MEMBER.lastIndex = 0;
  while (MEMBER.lastIndex < line.length) {
    const match = MEMBER.exec(line);
    if (match === null) return undefined;
    members.push([match[1] ?? "", unquoted(match[2] ?? "")]);
  }
  return members;
}

const ESCAPES: { readonly [letter: string]: string } = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** unquoted undoes Go's strconv.Quote. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  return value
    .slice(1, -1)
    .replace(
      /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g,
      (_, x, u, U, letter?: string) => {
        const code: string | undefined = x ?? u ?? U;
        if (code === undefined) return ESCAPES[letter ?? ""] ?? letter ?? "";
        const point = Number.parseInt(code, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
      },
    );
}
