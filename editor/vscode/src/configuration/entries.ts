/**
 * A new entry in a configuration file: its text, and where it goes in what the file has. Pure. jsonc-parser reads
 * the file; its own editing is not used, as it formats what stands beside the new.
 */
// The other build of it, "main" in its package.json, loads its parts in a way that bundlers do not see.
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser/lib/esm/main.js";

const SERVERS = "mcpServers";
const NAME = "my-server";
/**
 * What an entry is: lines that begin with so many units of indentation. An editor may save it before it is filled in,
 * and thus start it: no package can have a name with these brackets, so that nobody's is fetched and run by then.
 */
const ENTRY: readonly (readonly [depth: number, line: string])[] = [
  [0, "{"],
  [1, '"command": "npx",'],
  [1, '"args": ["-y", "<package of the server>"]'],
  [0, "}"],
];

export interface Layout {
  /** unit is one step of indentation. */
  readonly unit: string;
  readonly eol: string;
}

export interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

/** Addition is what puts an entry into a text. */
export interface Addition {
  /** edits turn the old text into the new one; offsets are those of the old. They are in order. */
  readonly edits: readonly Edit[];
  /** name is where the entry's name is in the new text, without its quotes, to be typed over. */
  readonly name: { readonly offset: number; readonly length: number };
}

/** addition adds an entry to a text, or is undefined if that is not the text of a file of servers. */
export function addition(text: string, layout: Layout): Addition | undefined {
  const edits = text.trim() === "" ? [whole(text, layout)] : beside(text, layout);
  if (edits === undefined) return undefined;
  const name = freeName(text);
  const last = edits.at(-1);
  if (last === undefined) return undefined;
  const shift = edits.slice(0, -1).reduce((sum, { length, content }) => sum + content.length - length, 0);
  const offset = last.offset + shift + last.content.lastIndexOf(`"${name}": {`) + 1;
  return { edits, name: { offset, length: name.length } };
}

/** whole is the text of a file with one entry. */
function whole(text: string, layout: Layout): Edit {
  const inner = `${layout.eol}${layout.unit}${servers(NAME, layout.unit, layout)}${layout.eol}`;
  return { offset: 0, length: text.length, content: `{${inner}}${layout.eol}` };
}

/** beside adds to what is there. */
function beside(text: string, layout: Layout): Edit[] | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root?.type !== "object" || errors.length > 0) return undefined;
  const existing = findNodeAtLocation(root, [SERVERS]);
  if (existing === undefined) {
    return into(text, root, layout, (indent) => servers(NAME, indent, layout));
  }
  if (existing.type !== "object") return undefined;
  return into(text, existing, layout, (indent) => entry(freeName(text), indent, layout));
}

/** into adds a member at the end of an object, below comments that stand there. */
function into(text: string, object: Node, { unit, eol }: Layout, member: (indent: string) => string): Edit[] {
  const outer = indentAt(text, object.offset);
  const first = object.children?.[0];
  const indent =
    first !== undefined && beginsLine(text, first.offset) ? indentAt(text, first.offset) : outer + unit;
  const closing = object.offset + object.length - 1;
  const end = text.slice(0, closing).trimEnd().length;
  const last = object.children?.at(-1);
  const comma: Edit[] = [];
  if (last !== undefined && !hasComma(text, last, closing)) {
    comma.push({ offset: last.offset + last.length, length: 0, content: "," });
  }
  const content = `${eol}${indent}${member(indent)}${eol}${outer}`;
  return [...comma, { offset: end, length: closing - end, content }];
}

function servers(name: string, indent: string, layout: Layout): string {
  const inner = indent + layout.unit;
  return `"${SERVERS}": {${layout.eol}${inner}${entry(name, inner, layout)}${layout.eol}${indent}}`;
}

function entry(name: string, indent: string, { unit, eol }: Layout): string {
  return `"${name}": ${ENTRY.map(([depth, line], index) => (index === 0 ? line : indent + unit.repeat(depth) + line)).join(eol)}`;
}

/** indentAt is the indentation of the line that an offset is in. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(
    Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1,
  );
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function beginsLine(text: string, offset: number): boolean {
  return /(^|[\r\n])[ \t]*$/.test(text.slice(0, offset));
}

/** hasComma: a comma follows the last member already. */
function hasComma(text: string, { offset, length }: Node, closing: number): boolean {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset + length);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," && at < closing;
}

function freeName(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const isTaken = (name: string) =>
    root !== undefined && findNodeAtLocation(root, [SERVERS, name]) !== undefined;
  for (let number = 1; ; number++) {
    const name = number === 1 ? NAME : `${NAME}-${number}`;
    if (!isTaken(name)) return name;
  }
}
