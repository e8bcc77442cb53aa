/**
 * Text of servers and programs, made fit for a log: nothing in it can begin an entry, move a cursor, or be read
 * as something else than it is. Pure.
 */

/** The colours and movements that programs write for a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const TERMINAL = /\u001b(?:\[[\d;:?]*[A-Za-z@`~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/**
 * Characters that nobody sees, and that change what is seen. Joiners (U+200C, U+200D) are left: words and emoji
 * need them, and they turn nothing around.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const SHORT: { readonly [character: string]: string } = { "\t": "  ", "\n": "\\n", "\r": "\\r" };

/** visible is a text as one line. */
export function visible(text: string): string {
  return text.replace(TERMINAL, "").replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return SHORT[character] ?? `\\u{${code.toString(16)}}`;
  });
}

/** paragraph is a text as lines, of which those after the first are indented: they are no entries of their own. */
export function paragraph(text: string, indent = "    "): string {
  return text
    .replace(/[\r\n]+$/, "")
    .split(/\r\n|[\r\n]/)
    .map(visible)
    .join(`\n${indent}`);
}

/** bounded is the beginning of a text that is too long, and how long it is. */
export function bounded(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length} characters in all)`;
}
