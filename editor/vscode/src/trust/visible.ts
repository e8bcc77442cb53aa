/**
 * Text of others, made fit for a question: what would break a line, turn text around, or look like nothing is
 * shown as it would be written in a string, so that a word cannot pass for another one. Pure. This is stricter than
 * overview/text.ts, which only shows: joiners and blanks of all kinds are escapes, too.
 */

/** Characters that look like a blank or like nothing, or that change how others are shown. */
const HIDDEN = new RegExp(
  "[" +
    "\\u0000-\\u001f\\u007f-\\u00a0\\u00ad" + // controls, no-break space, soft hyphen
    "\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f" + // joiners, marks, fillers
    "\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f" + // spaces, joiners, directions
    "\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb" + // fillers, selectors, annotations
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e01ef}" + // invisible notes, tags, more selectors
    "\\ud800-\\udfff" + // halves of pairs
    "]",
  "gu",
);

const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\u001b": "\\e" };

/** visible is a text as one line in which nothing hides. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return SHORT[character] ?? (code < 0x80 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 0)}}`);
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** unlinked is for notifications, which make links, also ones that run commands, of `[text](address)`. */
export function unlinked(text: string): string {
  return visible(text).replaceAll("](", "]\\x28");
}

/** iconless is for quick picks, which make icons of `$(name)`: nothing would be seen of a command. */
export function iconless(text: string): string {
  return visible(text).replace(/\\?\$\([A-Za-z0-9~-]+\)/g, (icon) => `\\${icon}`);
}

/** bounded leaves out the middle of a text that is longer than so many characters, and says so. */
export function bounded(text: string, limit: number): { readonly text: string; readonly whole: boolean } {
  const characters = [...text];
  if (characters.length <= limit) return { text, whole: true };
  const head = Math.ceil(limit / 2);
  const tail = limit - head;
  const left = `[… ${characters.length - limit} characters are left out here …]`;
  return {
    text: [...characters.slice(0, head), left, ...characters.slice(characters.length - tail)].join(""),
    whole: false,
  };
}
