/** The report about a session, as Markdown. Pure. */
import { isAbsolute } from "node:path";
import type { DoctorFile, DoctorReport, DoctorServer, Finding, Server } from "mcp-sidecar";
import type { Condition } from "../view.js";
import { block, code, plain } from "./markdown.js";

/** Facts are what the report says of the surroundings. */
export interface Facts {
  readonly extension: string;
  /** editor is its name and version. */
  readonly editor: string;
  readonly platform: string;
  /** home is written as "~" in paths. */
  readonly home: string;
  readonly time: string;
}

/**
 * Reader is for whom it is written. Others (a report of a bug) get nothing of what anybody wrote into an entry,
 * or a program to its stderr.
 */
export type Reader = "user" | "others";

export function reportOf(
  report: DoctorReport,
  running: Extract<Condition, { kind: "running" }>,
  facts: Facts,
  reader: Reader,
): string {
  const { version, binary, pid } = running;
  const place = placeOf(facts);
  const sidecar = `Sidecar ${plain(version)}: ${code(short(binary, facts))}, process ${pid}. Directory: ${code(short(report.cwd, facts))}.`;
  const sections = [
    `${heading(facts)}\n\n${sidecar}`,
    findings(report.findings, place),
    servers(report.servers, place, reader),
    files(report.files, place),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** reportOfNothing is for a sidecar that does not run: why, and the end of the log. */
export function reportOfNothing(reason: string, log: readonly string[], facts: Facts): string {
  const last = log.map((entry) => short(entry, facts)).join("\n");
  const sections = [
    heading(facts),
    `## The sidecar does not run\n\n${block(short(reason, facts))}`,
    ...(last === "" ? [] : [`## The end of its log\n\n${block(last)}`]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function heading({ extension, editor, platform, time }: Facts): string {
  return `# MCP Sidecar\n\n${plain(time)}. Extension ${plain(extension)}, ${plain(editor)}, ${plain(platform)}.`;
}

/** A Place shows where something is. */
type Place = (path: string | undefined, line?: number) => string;

function placeOf(facts: Facts): Place {
  return (path, line) => {
    if (path === undefined || path === "") return "the settings";
    const shown = short(path, facts);
    return code(line === undefined ? shown : `${shown}:${line}`);
  };
}

/** short writes the home directory as "~", wherever it stands in a text, but not where it begins another name. */
function short(text: string, { home }: Facts): string {
  if (home.length <= 1) return text;
  const literal = home.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const apart = new RegExp(`(?<![\\p{L}\\p{N}_.~-])${literal}(?!\\.?[\\p{L}\\p{N}_-])`, "gu");
  return text.replace(apart, "~");
}

function findings(all: readonly Finding[], place: Place): string {
  if (all.length === 0) return "## Nothing is wrong";
  const items = all.map(({ severity, path, line, message, fix }) => {
    const sign = severity === "error" ? "❌" : "⚠️";
    return `- ${sign} ${plain(message)}  \n  ${place(path, line)}  \n  *What to do:* ${plain(fix)}`;
  });
  return `## What is wrong\n\n${items.join("\n")}`;
}

function servers(all: readonly DoctorServer[], place: Place, reader: Reader): string {
  if (all.length === 0) return "## Servers\n\nThere are none.";
  const rows = all.map(({ server }) => {
    const { name, phase, tools, transport, source, timings } = server;
    const from = tools.from === "cache" ? " (remembered)" : "";
    const time = timings.connectMs === undefined ? "" : `${timings.connectMs + (timings.listMs ?? 0)} ms`;
    return `| ${plain(name)} | ${phase} | ${tools.count}${from} | ${time} | ${transport} | ${place(source.path, source.line)} |`;
  });
  const head = "| server | state | tools | connected in | transport | from |\n|---|---|---|---|---|---|";
  const details = all.map((server) => detailsOf(server, place, reader)).filter((text) => text !== "");
  return [`## Servers\n\n${head}\n${rows.join("\n")}`, ...details].join("\n\n");
}

function detailsOf(one: DoctorServer, place: Place, reader: Reader): string {
  const { server, shadows = [], variables = [], envFiles = [], inputs = [], commands = [], offIn } = one;
  const notSet = variables.filter(({ set }) => !set).map(({ name }) => code(name));
  const unread = envFiles.filter(({ readable }) => !readable).map(({ path }) => code(path));
  const items = [
    ...errorOf(server),
    ...(offIn === undefined ? [] : [`switched off in ${isAbsolute(offIn) ? place(offIn) : code(offIn)}`]),
    ...searchOf(one),
    ...(notSet.length === 0 ? [] : [`variables that are not set: ${notSet.join(", ")}`]),
    ...(unread.length === 0 ? [] : [`files that cannot be read: ${unread.join(", ")}`]),
    ...(inputs.length === 0 ? [] : [`values that are asked for: ${inputs.map(code).join(", ")}`]),
    ...(reader === "others" || commands.length === 0
      ? []
      : [`runs for values: ${commands.map(code).join(", ")}`]),
    ...shadows.map(({ path, line, same }) => {
      const how = same === true ? "starts the same" : "is something else";
      return `the entry in ${place(path, line)} does not count (it ${how})`;
    }),
  ];
  const list = items.map((item) => `- ${item}`).join("\n");
  const parts = [
    ...(list === "" ? [] : [list]),
    ...(reader === "others" || one.written == null
      ? []
      : [block(JSON.stringify(one.written, null, 2), "json")]),
    ...(reader === "others" || !server.error?.stderr?.length
      ? []
      : [`Last on stderr:\n\n${block(server.error.stderr.join("\n"))}`]),
  ];
  return parts.length === 0 ? "" : [`### ${plain(server.name)}`, ...parts].join("\n\n");
}

function errorOf({ error }: Server): string[] {
  if (error === undefined) return [];
  const hint = error.hint === undefined ? "" : `; ${plain(error.hint)}`;
  return [`${plain(error.message)} (${plain(error.stage)}, ${plain(error.code)})${hint}`];
}

function searchOf({ search }: DoctorServer): string[] {
  if (search === undefined) return [];
  const { command, found, path = [], loginShell } = search;
  if (found)
    return [`${code(command)} is ${code(found)}${loginShell ? ", by the PATH of the login shell" : ""}`];
  const where = path.length === 0 ? "" : `; searched: ${path.map(code).join(", ")}`;
  return [`${code(command)} was not found${where}`];
}

/** How the states of definitions are said. One that counts needs no word. */
const STATES: { readonly [state: string]: string | undefined } = {
  shadowed: "a stronger file has the name",
  alias: "the same as another server",
  merged: "a part of it",
  "left-out": "left out",
};

function files(all: readonly DoctorFile[], place: Place): string {
  const there = all.filter(({ state }) => state !== "absent");
  const absent = all.filter(({ state }) => state === "absent");
  const rows = there.map((file) => {
    const what = file.state === "read" ? definitions(file) : `**${file.state}**: ${plain(file.why ?? "")}`;
    return `| ${place(file.path)} | ${plain(file.providerName)} | ${file.level} | ${what} |`;
  });
  const table =
    rows.length === 0
      ? "No file configures a server."
      : `| file | of | level | servers |\n|---|---|---|---|\n${rows.join("\n")}`;
  const places = new Map<string, string[]>();
  for (const { providerName, path } of absent) {
    places.set(providerName, [...(places.get(providerName) ?? []), place(path)]);
  }
  const others = [...places].map(([of, paths]) => `- ${plain(of)}: ${paths.join(", ")}`);
  const rest = others.length === 0 ? "" : `\n\nLooked for, and not there:\n\n${others.join("\n")}`;
  return `## Files\n\n${table}${rest}`;
}

function definitions({ servers }: DoctorFile): string {
  if (servers.length === 0) return "none";
  const named = servers.map(({ name, state, by }) => {
    const word = Object.hasOwn(STATES, state) ? STATES[state] : undefined;
    if (word === undefined) return plain(name);
    return `${plain(name)} (${word}${by === undefined ? "" : `: ${code(by)}`})`;
  });
  return named.join(", ");
}
