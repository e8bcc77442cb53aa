/**
 * Where the sidecar says that something is, in the editor's terms: it counts lines and columns from 1 and columns
 * in UTF-8 bytes, the editor from 0 and in UTF-16 units. Pure.
 */

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Place {
  readonly start: Position;
  readonly end: Position;
}

/** characterAt is the UTF-16 offset of a column in UTF-8 bytes, which counts from 1. */
export function characterAt(line: string, column: number): number {
  let bytes = 1;
  let character = 0;
  for (const symbol of line) {
    if (bytes >= column) break;
    bytes += Buffer.byteLength(symbol);
    character += symbol.length;
  }
  return character;
}

/** tokenEnd is where the token ends that begins at a character: a string, a word, or one sign. */
function tokenEnd(line: string, character: number): number {
  const rest = line.slice(character);
  const token =
    /^"(?:[^"\\]|\\.)*"?/.exec(rest) ??
    /^'(?:[^'\\]|\\.)*'?/.exec(rest) ??
    /^[\p{L}\p{N}_$.+-]+/u.exec(rest) ??
    /^./u.exec(rest);
  return character + (token?.[0].length ?? 0);
}

/**
 * placeIn is the token at a place of a text. The text may be a later one than the sidecar has read: what lies
 * beyond its end is at its end.
 */
export function placeIn(
  lines: readonly string[],
  line: number | undefined,
  column: number | undefined,
): Place {
  const row = Math.min(Math.max((line ?? 1) - 1, 0), Math.max(lines.length - 1, 0));
  const text = lines[row] ?? "";
  if (line === undefined || column === undefined || text.trim() === "") return wholeLine(row, text);
  const start = Math.min(characterAt(text, column), text.trimEnd().length);
  const end = tokenEnd(text.trimEnd(), start);
  // At the end of a line there is nothing to underline but what is before it.
  if (end === start) {
    return {
      start: { line: row, character: Math.max(start - 1, 0) },
      end: { line: row, character: start },
    };
  }
  const key = keyBefore(text, start);
  if (key !== undefined)
    return { start: { line: row, character: key[0] }, end: { line: row, character: key[1] } };
  return { start: { line: row, character: start }, end: { line: row, character: end } };
}

/** keyBefore is the key of an object or a list that begins here: a brace is hard to see. */
function keyBefore(line: string, start: number): readonly [start: number, end: number] | undefined {
  if (!"{[".includes(line.charAt(start))) return undefined;
  const key = /"(?:[^"\\]|\\.)*"(?=\s*:\s*$)/.exec(line.slice(0, start));
  return key === null ? undefined : [key.index, key.index + key[0].length];
}

/** wholeLine is a line without the blanks around it. */
function wholeLine(row: number, text: string): Place {
  const end = text.trimEnd().length;
  const start = end === 0 ? 0 : text.length - text.trimStart().length;
  return { start: { line: row, character: start }, end: { line: row, character: end } };
}

/** linesOf splits a text as editors do. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
