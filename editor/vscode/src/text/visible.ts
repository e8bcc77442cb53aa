/**
 * Text of others, made visible. Servers, their tools and the files that name them are written by anybody: nothing
 * in their text may break a line, hide, or turn around what stands beside it. What would, becomes an escape, as
 * it would be written in a string. Pure.
 */

/** What nobody sees, or changes what is seen: controls, formats, halves of characters, ends of lines, fillers. */
const UNSEEN = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0";
/** Joiners and selectors, which hide nothing by themselves: words and emoji need them. */
const NEEDED = "\\u200c\\u200d\\ufe00-\\ufe0f\\u180b-\\u180f\\u{e0100}-\\u{e01ef}";

const HIDDEN = new RegExp(`(?![${NEEDED}])[${UNSEEN}]`, "gu");
/** Every blank but the common one is among these: it would part words that look like one, or join two. */
const MISTAKABLE = new RegExp(`(?! )[${UNSEEN}${NEEDED}\\p{Zs}]`, "gu");

/** visible is for what is shown: a text as one line. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escapeOf);
}

/** unmistakable is for what the user decides upon: two texts that differ look different. */
export function unmistakable(text: string): string {
  return text.replace(MISTAKABLE, escapeOf);
}

const SHORT: { readonly [character: string]: string } = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\u001b": "\\e",
};

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return SHORT[character] ?? (code < 0x80 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`);
}

/** The colours, movements and titles that programs write for a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const TERMINAL = /\u001b(?:\[[\d;:?]*[A-Za-z@`~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** plain is text that was written for a terminal, without what is for the terminal. */
export function plain(text: string): string {
  return text.replace(TERMINAL, "");
}

/** lastState is what a line that was written over and over shows at the end, as bars of progress are. */
export function lastState(text: string): string {
  return plain(text).trimEnd().split("\r").at(-1) ?? "";
}
