/**
 * Text of others inside Markdown: of servers, and of models. Nothing in it becomes Markdown, and what nobody
 * sees (control characters, marks that turn the direction of text around) is made visible. Pure.
 */

/** What has no shape of its own, or moves what is around it. Line ends and tabs are left. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** visible writes what nobody sees as an escape. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** oneLine is for labels: white space of any kind is one blank. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/gu, " ").trim());
}

/** shortened has at most so many characters, and an ellipsis where there were more. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  // Not through the middle of a pair.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** escaped is text in which no character means anything to Markdown. */
export function escaped(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]()#+\-.!~|<>&$:@/"^=]/g, (character) => `\\${character}`);
}

/** codeSpan shows a short text as it is. */
export function codeSpan(text: string): string {
  const line = shortened(oneLine(text), 200);
  const fence = "`".repeat(longestRun(line) + 1);
  return line === "" ? "(nothing)" : `${fence} ${line} ${fence}`;
}

/** codeBlock shows a text as it is. Nothing in it ends the block. */
export function codeBlock(language: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${visible(text)}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
