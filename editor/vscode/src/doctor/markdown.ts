/** Text of others in Markdown: it stands there as it is, and is no markup. Pure. */
import { visible } from "../log/visible.js";

/**
 * plain escapes what would be markup in the midst of a line, with VS Code's and GitHub's additions: formulas,
 * addresses, people and issues. It leaves what is none, since the text is read as it stands, too.
 */
export function plain(text: string): string {
  return visible(text).replace(
    /[\\`*[\]<|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w)|@(?=\w)|#(?=\d)|:(?=\/\/)/gu,
    "\\$&",
  );
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

function longestRun(text: string, run: RegExp): number {
  return Math.max(0, ...[...text.matchAll(run)].map(([match]) => match.length));
}
