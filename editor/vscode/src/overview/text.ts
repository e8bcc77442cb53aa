/**
 * Text of others, made fit to be shown. Servers, their tools and the files that name them are written by
 * anybody: nothing in their text may break a line, hide, turn around what stands beside it, be a link or an
 * icon, or fill the screen. Pure.
 */

/**
 * Characters that nobody sees, or that change what is seen: controls, formats, lone surrogates, line ends, and
 * the fillers that look like nothing. Joiners are left out: words and emoji need them, and they hide nothing.
 */
const UNSEEN = /(?![\u200c\u200d])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f)/gu;

const SHORT: { readonly [character: string]: string } = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\u001b": "\\e",
};

/** visible is text as one line: characters that nobody sees become escapes. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => SHORT[character] ?? inHex(character.codePointAt(0) ?? 0));
}

function inHex(code: number): string {
  const hex = code.toString(16);
  return code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}

/** cut is text of at most so many characters, with … where something is missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a character is none.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** line is any text as one line of at most so many characters. */
export function line(text: string, most: number): string {
  // The text may be megabytes: what is cut off anyway is not looked at.
  return cut(visible(text.slice(0, most + 1)), most);
}

/** lines are those of a text, at most so many of so many characters; `more`: there are more. */
export function lines(text: string, most: number, characters: number): { lines: string[]; more: boolean } {
  const near = text.slice(0, most * (characters + 2)).trim();
  const all = near.split(/\r\n|[\r\n]/);
  return {
    lines: all.slice(0, most).map((one) => line(one.replaceAll("\t", "  "), characters)),
    more: all.length > most || near.length < text.trim().length,
  };
}

/** plain is text that was written for a terminal, without its colours and movements of the cursor. */
export function plain(text: string): string {
  return text.replaceAll(TERMINAL, "");
}

const TERMINAL = new RegExp(`${String.fromCharCode(27)}\\[[\\d;:?]*[a-zA-Z@\`~]`, "g");

/** lastState is what a line that was written over and over shows at the end, as bars of progress are. */
export function lastState(text: string): string {
  return plain(text).trimEnd().split("\r").at(-1) ?? "";
}

/** iconless is text for places where `$(name)` would be an icon: quick picks and the status bar. */
export function iconless(text: string): string {
  return text.replace(/\$\([A-Za-z0-9~-]+\)/g, "\\$&");
}

/** linkless is text for messages, where `[text](command:…)` would be a link. */
export function linkless(text: string): string {
  return text.replaceAll("](", "] (");
}
