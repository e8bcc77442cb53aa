/** Untrusted text in Markdown: it is read as text and nothing else. Pure. */
import { pathToFileURL } from "node:url";
import { line, lines } from "./text.js";

/**
 * escaped is one line of text that Markdown shows as it is. All punctuation is escaped, so that nothing is
 * left of which a link, an address, an entity, a tag or a list could be made.
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

/** block is text as code, in a fence that is longer than any in the text: nothing in it can end it. */
export function block(text: string, most: number, characters = 200): string {
  const shown = lines(text, most, characters).lines.join("\n");
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
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
