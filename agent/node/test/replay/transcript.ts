// Reads the dialogues in conformance/: text in, steps out. conformance/README.md is the format.

import { patternOf } from "./pattern.js";

/** A file that is no transcript. */
export class TranscriptError extends Error {
  override name = "TranscriptError";

  constructor(
    readonly line: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** One file. */
export interface Transcript {
  /** The first line: the promise that the dialogue shows kept. */
  readonly title: string;
  /** The lines between the title and the first section. */
  readonly comment: string;
  readonly steps: readonly Step[];
}

/** One line of a dialogue with the lines that continue it, or one unordered group. */
export interface Step {
  /** Counts from 1 in the file. */
  readonly line: number;
  readonly verb: string;
  /** The words after the verb. Those that send or expect have one, the JSON; raw has one, the quoted text. */
  readonly args: readonly string[];
  /** The expected messages of a group. */
  readonly group: readonly Step[];
}

/** How many words follow each verb, at least and at most. */
const arity: Record<string, readonly [number, number]> = {
  ">": [1, 1],
  "<": [1, 1],
  "<!": [1, 1],
  "<{": [0, 0],
  start: [0, Infinity],
  raw: [1, 1],
  eof: [0, 0],
  signal: [1, 1],
  exit: [1, 1],
  stop: [0, 0],
  stderr: [1, Infinity],
  put: [2, 2],
  remove: [1, 1],
  mode: [2, 2],
  await: [2, Infinity],
  count: [4, Infinity],
  release: [2, 2],
  kill: [1, 1],
  gone: [0, 1],
  launch: [1, 1],
  attach: [1, Infinity],
  as: [1, 1],
};

/** Reads a transcript. expand replaces the placeholders of a line. */
export function readTranscript(text: string, expand: (text: string) => string): Transcript {
  const [head, ...sections] = sectionsOf(text);
  const [title = "", ...comment] = (head?.lines ?? []) as string[];
  if (title === "") throw new TranscriptError(1, "the first line must say what the transcript shows");
  const dialogues = sections.filter((section) => section.name === "dialogue");
  const dialogue = dialogues[0];
  if (dialogue === undefined) throw new TranscriptError(1, "no section named dialogue");
  const second = dialogues[1];
  if (second !== undefined) throw new TranscriptError(second.first, "two sections named dialogue");
  return { title, comment: comment.join("\n").trim(), steps: readSteps(dialogue, expand) };
}

interface Section {
  readonly name: string;
  /** The number of its first line in the file. */
  readonly first: number;
  readonly lines: string[];
}

/** The sections of a txtar archive; the first is the comment, which has no name. */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [{ name: "", first: 1, lines: [] }];
  for (const [i, line] of text.split("\n").entries()) {
    const marker = /^-- (.*\S.*) --\s*$/.exec(line);
    if (marker) sections.push({ name: (marker[1] as string).trim(), first: i + 2, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function readSteps(section: Section, expand: (text: string) => string): Step[] {
  const steps: Step[] = [];
  let group: (Step & { group: Step[] }) | undefined; // the open one
  for (const { line, text } of joined(section)) {
    if (group !== undefined && text === "}") {
      steps.push(group);
      group = undefined;
      continue;
    }
    const step = { ...readStep(line, expand(text)), group: [] };
    if (step.verb === "<{") group = step;
    else if (group === undefined) steps.push(step);
    else if (step.verb === "<") group.group.push(step);
    else throw new TranscriptError(line, `only expected messages stand in a group`);
  }
  if (group !== undefined) throw new TranscriptError(group.line, `the group is not closed`);
  return steps;
}

/**
 * The lines without blank ones and comments, each with the indented lines that continue it. Inside a group,
 * an indented line that begins with "<" continues nothing.
 */
function joined(section: Section): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = [];
  for (const [i, raw] of section.lines.entries()) {
    const text = raw.trim();
    if (text === "" || text.startsWith("#")) continue;
    const last = lines.at(-1);
    if (raw.startsWith(" ") && last !== undefined && !text.startsWith("< ")) last.text += ` ${text}`;
    else lines.push({ line: section.first + i, text });
  }
  return lines;
}

function readStep(line: number, text: string): Omit<Step, "group"> {
  const [, verb, rest] = /^(\S+)\s*(.*)$/s.exec(text) as unknown as [string, string, string];
  const bounds = Object.hasOwn(arity, verb) ? arity[verb] : undefined;
  if (bounds === undefined) throw new TranscriptError(line, `unknown verb "${verb}"`);
  if (verb === ">" || verb === "<" || verb === "<!") {
    try {
      patternOf(rest);
    } catch (error) {
      throw new TranscriptError(line, `not a JSON object: ${rest}`, { cause: error });
    }
    return { line, verb, args: [rest] };
  }
  if (verb === "raw") {
    if (!/^".*"$/.test(rest)) throw new TranscriptError(line, `not a quoted string: ${rest}`);
    return { line, verb, args: [rest] };
  }
  const args = rest === "" ? [] : rest.split(/\s+/);
  const [least, most] = bounds;
  if (args.length < least || args.length > most) {
    throw new TranscriptError(line, `${verb} takes ${least} words or more, has ${args.length}`);
  }
  if (verb === "count" && !/^-?\d+$/.test(args.at(-1) as string)) {
    throw new TranscriptError(line, `count ends in a number, has "${args.at(-1)}"`);
  }
  return { line, verb, args };
}
