/** Text of others may be megabytes: what is shown of it has bounds, and says where something is missing. Pure. */
import { visible } from "./visible.js";

/** cut is text of at most so many characters, with … where something is missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a character is none.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** line is any text as one visible line of at most so many characters. */
export function line(text: string, most: number): string {
  // What is cut off anyway is not looked at.
  return cut(visible(text.slice(0, most + 1)), most);
}

/** oneLine is a line in which white space of any kind is one blank. */
export function oneLine(text: string, most = 400): string {
  return line(
    text
      .slice(0, 4 * most)
      .replace(/\s+/g, " ")
      .trim(),
    most,
  );
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

/** beginning is that of a text that is too long, and how long it is. */
export function beginning(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters in all)`;
}

/** ends are both ends of a text that is longer than so many characters, and how many are missing between them. */
export function ends(text: string, most: number): { readonly text: string; readonly whole: boolean } {
  const characters = [...text];
  if (characters.length <= most) return { text, whole: true };
  const head = Math.ceil(most / 2);
  const tail = most - head;
  const left = `[… ${characters.length - most} characters are left out here …]`;
  return {
    text: [...characters.slice(0, head), left, ...characters.slice(characters.length - tail)].join(""),
    whole: false,
  };
}
