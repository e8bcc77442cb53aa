/**
 * Text of servers and programs, made fit for a log: nothing in it can begin an entry, move a cursor, or be read
 * as something else than it is. Pure.
 */
import { plain, visible } from "../text/visible.js";

/** logged is a text as one line. */
export function logged(text: string): string {
  return visible(plain(text).replaceAll("\t", "  "));
}

/** indented is a text as lines, of which those after the first are indented: they are no entries of their own. */
export function indented(text: string, indent = "    "): string {
  return text
    .replace(/[\r\n]+$/, "")
    .split(/\r\n|[\r\n]/)
    .map(logged)
    .join(`\n${indent}`);
}
