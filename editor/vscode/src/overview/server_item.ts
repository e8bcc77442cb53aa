/** How a server is shown in the view: its row, and what is said of it when the pointer rests on it. Pure. */
import { isAbsolute } from "node:path";
import type { Diagnostic, Server } from "mcp-sidecar";
import { line, lines } from "../text/bounded.js";
import { codeBlock, escaped, link, paragraph } from "../text/markdown.js";
import { lastState, plain } from "../text/visible.js";
import { countdown, counted, duration, type Surroundings, shortPath } from "../text/words.js";
import type { View } from "../view.js";
import { connectable, disconnectable, type Look, look } from "./phases.js";

/** Known is what is known of a server beside its record. */
export interface Known {
  /** off: the user has switched it off in this workspace. */
  readonly off: boolean;
  readonly errors: View["errors"];
  /** retryMs is how long until the next attempt, now. */
  readonly retryMs?: number | undefined;
  /** editors: the editor runs it, too, and its agent has the tools from there. */
  readonly editors?: boolean;
}

export interface ServerItem {
  readonly label: string;
  readonly description: string;
  readonly look: Look;
  readonly checked: boolean;
  /** context is for the menus of package.json. */
  readonly context: string;
}

/** Characters of names, and of what stands behind them. */
const NAME = 80;
const NOTE = 160;

export function serverItem(server: Server, known: Known): ServerItem {
  const { phase, source } = server;
  return {
    label: line(server.name, NAME) || '""',
    description: description(server, known),
    look: look(server, known.off),
    checked: !known.off && phase !== "disabled",
    context: [
      "server",
      phase,
      ...(connectable(server) ? ["connectable"] : []),
      ...(disconnectable(server) ? ["disconnectable"] : []),
      ...(isAbsolute(source.path) ? ["file"] : []),
    ].join(" "),
  };
}

function description(server: Server, known: Known): string {
  const { word, kind } = look(server, known.off);
  switch (kind) {
    case "ready":
      return joined([toolsWord(server), ...timing(server), ...warnings(server, known)]);
    case "busy": {
      const activity = line(lastState(server.activity ?? ""), NOTE);
      const attempt = server.attempt > 1 ? [`attempt ${server.attempt}`] : [];
      return joined([activity === "" ? word : `${word}: ${activity}`, ...attempt, ...kept(server)]);
    }
    case "retry": {
      const wait = known.retryMs === undefined ? "" : ` ${countdown(known.retryMs)}`;
      return joined([word + wait, ...reason(server)]);
    }
    case "failed":
      return joined([word, ...reason(server)]);
    default:
      return word;
  }
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}

function toolsWord({ tools }: Server): string {
  const off = tools.off?.length ?? 0;
  return counted(tools.count, "tool") + (off > 0 ? `, ${off} off` : "");
}

/** kept tells of tools that are offered though the server is not there. */
function kept({ tools }: Server): string[] {
  return tools.count > 0 ? [`${counted(tools.count, "tool")} known`] : [];
}

function timing({ timings: { connectMs, listMs } }: Server): string[] {
  return connectMs === undefined ? [] : [duration(connectMs + (listMs ?? 0))];
}

function warnings(server: Server, { errors }: Known): string[] {
  const count = concerning(server, errors).length;
  return count > 0 ? [counted(count, "warning")] : [];
}

/** reason is the error without the server's name, which stands beside it. */
function reason({ name, error }: Server): string[] {
  if (error === undefined) return [];
  const prefix = `server "${name}": `;
  const { message } = error;
  const said = message.toLowerCase().startsWith(prefix.toLowerCase())
    ? message.slice(prefix.length)
    : message;
  return [line(said, NOTE)];
}

/** concerning are the diagnostics about a server that say more than its own error. */
function concerning({ name, error }: Server, errors: View["errors"]): Diagnostic[] {
  return errors.filter(
    (diagnostic) =>
      diagnostic.server === name &&
      diagnostic.error !== error?.message &&
      !(error !== undefined && diagnostic.severity === "error" && diagnostic.path.startsWith("mcp:")),
  );
}

/** serverTooltip is Markdown. All that others have written is text in it. */
export function serverTooltip(server: Server, known: Known, here: Surroundings): string {
  const { word, hint } = look(server, known.off);
  const { error, instructions } = server;
  const diagnostics = concerning(server, known.errors).map(
    ({ error, severity }) => `${severity === "error" ? "Error" : "Warning"}: ${paragraph(error, 4)}`,
  );
  return [
    `**${escaped(server.name, NAME) || '""'}** — ${escaped(word, NAME)}`,
    ...problem(error, hint),
    // The same may be wrong in two places of an entry: here it is said once.
    ...new Set(diagnostics),
    facts(server, here).join("  \n"),
    ...(known.editors === true
      ? ["VS Code runs this server as well: its agent has the tools from there."]
      : []),
    ...(instructions === undefined || instructions.trim() === ""
      ? []
      : ["---", paragraph(instructions, 6, 200)]),
  ].join("\n\n");
}

/** problem is the error, and what to do: the hint of the view, else that of the error. */
function problem(error: Server["error"], ofView: string | undefined): string[] {
  const tail = plain((error?.stderr ?? []).slice(-STDERR).join("\n"));
  const hint = ofView ?? error?.hint ?? "";
  return [
    ...(error === undefined ? [] : [paragraph(error.message, 8)]),
    ...(hint === "" ? [] : [`→ ${paragraph(hint, 4)}`]),
    ...(tail.trim() === ""
      ? []
      : ["Its last words on stderr:", codeBlock(lines(tail, STDERR, 200).lines.join("\n"), "text")]),
  ];
}

/** Lines of stderr. */
const STDERR = 12;

function facts(server: Server, here: Surroundings): string[] {
  const { transport, pid, protocolVersion, source, tools, timings } = server;
  const took = (
    [
      ["start", timings.spawnMs],
      ["handshake", timings.initializeMs],
      ["tools", timings.listMs],
    ] as const
  ).flatMap(([what, ms]) => (ms === undefined ? [] : [`${what} ${duration(ms)}`]));
  return [
    `Configured in ${origin(source, here)}`,
    ...(source.aliases ?? []).map(
      (alias) => `Also as ${escaped(alias.name, NAME)} in ${placeOf(alias, here)}`,
    ),
    joined([
      transport,
      pid === undefined ? "" : `process ${pid}`,
      protocolVersion === undefined ? "" : `MCP ${escaped(protocolVersion, 40)}`,
      identity(server.serverInfo),
    ]),
    joined([
      tools.from === "none" ? "" : toolsWord(server) + (tools.from === "cache" ? ", from the cache" : ""),
      ...took,
    ]),
  ].filter((fact) => fact !== "");
}

function origin(source: Server["source"], here: Surroundings): string {
  const provider = escaped(source.providerName || source.provider, NAME);
  if (!isAbsolute(source.path)) return `the setting ${escaped("mcpSidecar.servers", NAME)}`;
  return `${placeOf(source, here)} (${provider}, ${source.level})`;
}

function placeOf(place: { path: string; line?: number }, here: Surroundings): string {
  const short = shortPath(place.path, here);
  if (!isAbsolute(place.path)) return escaped(short, NOTE);
  return link(place.line === undefined ? short : `${short}:${place.line}`, place);
}

function identity(info: unknown): string {
  if (typeof info !== "object" || info === null) return "";
  const { title, name, version } = info as Record<string, unknown>;
  const called = typeof title === "string" && title !== "" ? title : name;
  if (typeof called !== "string") return "";
  return escaped(typeof version === "string" ? `${called} ${version}` : called, NAME);
}
