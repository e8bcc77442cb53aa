/** Text of others in Markdown: it stands there as it is, and is no markup. Pure. */
import { pathToFileURL } from "node:url";
import { visible } from "../log/visible.js";

/**
 * plain escapes what Markdown could see in a text that does not begin a line, with VS Code's and GitHub's
 * additions: formulas, addresses, people and issues.
 */
export function plain(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]()#!|<>~&:@$^]/g, "\\$&");
}

/** code is a text in the line, as code. In a table the bar ends a cell even there. */
export function code(text: string): string {
  const shown = visible(text).replaceAll("|", "\\|");
  const fence = "`".repeat(longestRun(shown, /`+/g) + 1);
  const space = /^`|`$|^ .* $/.test(shown) ? " " : "";
  return shown === "" ? "" : fence + space + shown + space + fence;
}

/** block is a text as a block of code, which nothing in it ends. */
export function block(text: string, language = ""): string {
  const shown = text.split("\n").map(visible).join("\n");
  const fence = "`".repeat(Math.max(3, longestRun(shown, /`+/g) + 1));
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** fileLink leads to a line of a file. */
export function fileLink(path: string, line: number | undefined, shown = path): string {
  const place = line === undefined ? "" : `:${line}`;
  const url = pathToFileURL(path).href.replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
  return `[${plain(shown + place)}](${url}${line === undefined ? "" : `#L${line}`})`;
}

function longestRun(text: string, run: RegExp): number {
  return Math.max(0, ...[...text.matchAll(run)].map(([match]) => match.length));
}
