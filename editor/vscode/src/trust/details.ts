/** What is said of a server that a project's file names, before it may run. Pure. */
import type { Decision, ProjectServer } from "mcp-sidecar";
import { ends } from "../text/bounded.js";
import { inMessage } from "../text/places.js";
import { unmistakable } from "../text/visible.js";

/** Characters of one line of a dialog, and lines of a list: dialogs of some systems cut off what is too long. */
const LONGEST_LINE = 1500;
const MOST_LINES = 12;
/** Characters of a notification in which all is said. VS Code cuts longer ones (above 1000) off. */
const LONGEST_NOTICE = 400;

/** MEANING is what it means to allow it. */
const MEANING =
  "Once allowed, it runs with your rights, now and later, for as long as its entry stays as shown here.";

/** quoted is a word of a command line as a shell would need it. */
function quoted(word: string): string {
  const seen = unmistakable(word);
  if (/^[\p{L}\p{N}\-_./:=@%+,\\]+$/u.test(seen)) return seen;
  return `'${seen.replaceAll("'", "'\\''")}'`;
}

/** commandOf is what the server would run or contact, as it is written. */
export function commandOf({ command, args, url }: ProjectServer): string {
  if (command !== undefined && command !== "") return [command, ...(args ?? [])].map(quoted).join(" ");
  return url === undefined || url === ""
    ? "nothing: its entry has neither a command nor a URL"
    : unmistakable(url);
}

/** verbOf says what happens when the server is started. */
function verbOf({ command, url }: ProjectServer): string {
  return (command === undefined || command === "") && url !== undefined ? "Contacts" : "Runs";
}

/** facts are what there is to know beside the command: a label, and a line for each. */
function facts(server: ProjectServer): readonly (readonly [label: string, lines: readonly string[]])[] {
  const pairs = (values: Readonly<Record<string, string>> | undefined) =>
    Object.entries(values ?? {})
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${quoted(name)}=${quoted(value)}`);
  return [
    ["In", server.cwd === undefined ? [] : [unmistakable(server.cwd)]],
    ["Environment", pairs(server.env)],
    ["Headers", pairs(server.headers)],
    ["Uses", server.uses.map(unmistakable)],
  ];
}

export interface Detail {
  readonly text: string;
  /** whole: nothing had to be left out. */
  readonly whole: boolean;
}

/** detailOf is the text of the dialog about one server, below its title. */
export function detailOf(server: ProjectServer): Detail {
  let whole = true;
  const lines: string[] = [];
  const add = (label: string, text: string) => {
    const line = ends(text, LONGEST_LINE);
    whole &&= line.whole;
    lines.push(`${label}: ${line.text}`);
  };
  add(verbOf(server), commandOf(server));
  for (const [label, texts] of facts(server)) {
    for (const text of texts.slice(0, MOST_LINES)) add(label, text);
    const more = texts.length - MOST_LINES;
    if (more > 0) {
      whole = false;
      lines.push(`${label}: [… and ${more} more …]`);
    }
  }
  add("File", placeOf(server));
  lines.push("", MEANING);
  if (!whole) {
    lines.unshift("This is too long to be shown whole. “Show File” has all of it.", "");
  }
  return { text: lines.join("\n"), whole };
}

/** placeOf is the file, with the line if it is known. */
export function placeOf({ path, line }: ProjectServer): string {
  return line === undefined ? unmistakable(path) : `${unmistakable(path)}:${line}`;
}

/** titleOf is the question about one server. */
export function titleOf(server: ProjectServer): string {
  const name = ends(unmistakable(server.name), 100).text;
  switch (server.decision) {
    case "allow":
      return `The MCP server “${name}” of this project is allowed.`;
    case "deny":
      return `The MCP server “${name}” of this project is denied.`;
    default:
      return `Allow the MCP server “${name}” of this project?`;
  }
}

export interface Notice {
  readonly text: string;
  /** decidable: it says all there is to know of its one server, which may thus be allowed right there. */
  readonly decidable: boolean;
}

/** noticeOf is the notification that servers wait. */
export function noticeOf(servers: readonly ProjectServer[]): Notice {
  const [server] = servers;
  if (servers.length === 1 && server !== undefined) {
    const text = wholeNotice(server);
    if (text.length <= LONGEST_NOTICE) return { text, decidable: true };
    return { text: `The MCP server ${named(server)} of this project waits to be allowed.`, decidable: false };
  }
  const shown = servers.slice(0, 5).map(named).join(", ");
  const more = servers.length - 5;
  return {
    text: `${servers.length} MCP servers of this project wait to be allowed: ${shown}${more > 0 ? `, and ${more} more` : ""}.`,
    decidable: false,
  };
}

function named({ name }: ProjectServer): string {
  return `“${ends(inMessage(name), 60).text}”`;
}

function wholeNotice(server: ProjectServer): string {
  const does = verbOf(server) === "Runs" ? "runs" : "contacts";
  const parts = facts(server)
    .filter(([, lines]) => lines.length > 0)
    .map(([label, lines]) => `${label}: ${lines.join(", ")}`);
  const command = `Allow the MCP server ${named(server)} of this project? It ${does}: ${commandOf(server)}`;
  return [command, ...parts, `File: ${placeOf(server)}`].map(inMessage).join(" · ");
}

/** wordOf is how a decision is called. */
export function wordOf(decision: Decision | undefined): string {
  return { allow: "allowed", deny: "denied", later: "not decided" }[decision ?? "later"];
}

/** keyOf tells entries apart: one that has changed is another one. */
export function keyOf({ project, name, hash }: ProjectServer): string {
  return JSON.stringify([project, name, hash]);
}
