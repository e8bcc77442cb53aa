/**
 * Longer texts of others inside Markdown, and words of theirs in questions. See also ../overview/text.ts. Pure.
 */
import { line, visible } from "../overview/text.js";

/** oneLine is for labels: white space of any kind is one blank. */
export function oneLine(text: string, most = 400): string {
  // The text may be megabytes: what is cut off anyway is not looked at.
  return line(
    text
      .slice(0, 4 * most)
      .replace(/\s+/g, " ")
      .trim(),
    most,
  );
}

/** codeSpan shows a short text as it is. */
export function codeSpan(text: string): string {
  const shown = oneLine(text, 200);
  if (shown === "") return "(nothing)";
  const fence = "`".repeat(longestRun(shown) + 1);
  const apart = /^`|`$/.test(shown) ? " " : "";
  return fence + apart + shown + apart + fence;
}

/** codeBlock shows a text as it is, however long. Nothing in it ends the block. */
export function codeBlock(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text
    .split(/\r\n|[\r\n]/)
    .map(untabbed)
    .join("\n")}\n${fence}`;
}

function untabbed(one: string): string {
  return one.split("\t").map(visible).join("\t");
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
