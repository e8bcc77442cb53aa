/** What a server wrote, as entries of its log, and what of it is new. Pure. */
import type { LogLine, LogsResult } from "mcp-sidecar";
import { type Entry, levelOf } from "./entry.js";
import { indented, logged } from "./logged.js";

/** Known is what of one sidecar's log of a server has been written. */
export interface Known {
  /** after is the number of the last line; 0: none. */
  readonly after: number;
  /** noise is how many lines of noise were told of. */
  readonly noise: number;
}

/** A sidecar that has just started counts from the beginning. */
export const NOTHING: Known = { after: 0, noise: 0 };

export interface News {
  readonly known: Known;
  readonly entries: readonly Entry[];
}

/** newsIn gives what the answer to a request for the lines after `known` adds. */
export function newsIn(known: Known, { lines, noise }: LogsResult): News {
  const fresh = lines.filter(({ seq }) => seq > known.after);
  const entries: Entry[] = [];
  const missed = (fresh[0]?.seq ?? 0) - known.after - 1;
  if (missed > 0) entries.push({ level: "warn", text: `${counted(missed)} before these are not kept` });
  entries.push(...fresh.map(entryOf));
  if (noise.count > known.noise) entries.push(noiseOf(noise.count, noise.samples));
  return { known: { after: fresh.at(-1)?.seq ?? known.after, noise: noise.count }, entries };
}

/** entryOf shows the time at which the line was written: the channel's own is when it was heard of. */
function entryOf({ time, source, level, text }: LogLine): Entry {
  return {
    level: source === "log" ? levelOf(level) : "info",
    text: `${clock(time)} ${source === "log" ? "log" : "stderr"}: ${indented(text)}`,
  };
}

function noiseOf(count: number, samples: readonly string[]): Entry {
  const some = samples.map((sample) => `\n    ${logged(sample)}`).join("");
  return {
    level: "warn",
    text: `${counted(count)} on stdout ${count === 1 ? "is" : "are"} no MCP message, and left out:${some}`,
  };
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** clock is the local time of day of an RFC 3339 time. */
export function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return logged(time);
  const two = (part: number) => String(part).padStart(2, "0");
  const milliseconds = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${milliseconds}`;
}
