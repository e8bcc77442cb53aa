/** Text of others in Markdown: it stands there as it is, and nothing in it is markup. Pure. */
import { pathToFileURL } from "node:url";
import { line, lines, oneLine } from "./bounded.js";
import { visible } from "./visible.js";

/**
 * escaped is one line of text. All punctuation is escaped, so that nothing is left of which a link, an address,
 * an entity, a tag or a list could be made.
 */
export function escaped(text: string, most: number): string {
  return line(text, most)
    .trim()
    .replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** paragraph is text of several lines, which stay lines. */
export function paragraph(text: string, most: number, characters = 400): string {
  const shown = lines(text, most, characters);
  const all = shown.lines.map((one) => escaped(one, characters));
  return [...all, ...(shown.more ? ["…"] : [])].join("  \n");
}

/** codeSpan is a short text as code in the line, of one line itself. */
export function codeSpan(text: string, most = 200): string {
  return fenced(oneLine(text, most));
}

/** fenced is a line as code in the line, as it is. */
export function fenced(shown: string): string {
  if (shown === "") return "(nothing)";
  const fence = "`".repeat(longestRun(shown) + 1);
  const apart = /^`|`$|^ .* $/.test(shown) ? " " : "";
  return fence + apart + shown + apart + fence;
}

/** codeBlock is a text as a block of code, however long. Nothing in it ends it. */
export function codeBlock(text: string, language = ""): string {
  const shown = text
    .split(/\r\n|[\r\n]/)
    .map(untabbed)
    .join("\n");
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}${language}\n${shown}\n${fence}`;
}

function untabbed(one: string): string {
  return one.split("\t").map(visible).join("\t");
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** A Place in a file, as the sidecar tells it: line and column count from 1. */
export interface Place {
  readonly path: string;
  readonly line?: number;
}

/** link leads to a place in a file. `text` is anybody's. */
export function link(text: string, { path, line }: Place): string {
  const url = pathToFileURL(path).toString().replaceAll("(", "%28").replaceAll(")", "%29");
  return `[${escaped(text, 200)}](${url}${line === undefined ? "" : `#L${line}`})`;
}
