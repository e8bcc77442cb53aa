/** A result as a document: Markdown, or plain text where it is too long for that. Pure. */
import type { CallOutcome, ContentBlock } from "mcp-sidecar";
import { cut, oneLine } from "../text/bounded.js";
import { codeBlock, codeSpan, escaped } from "../text/markdown.js";
import { duration } from "../text/words.js";
import { mediaType, sizeOf, sizeText } from "./media.js";

/** How much of a result an editor is given. What is above can be saved. */
const LENGTH = 4_000_000;
/** Above this, nobody reads Markdown in it: the editor would look for it in every line. */
const MARKDOWN = 400_000;
/** How much of an error's message is shown. */
const ERROR = 4000;
/** How much of the arguments is shown. */
const ARGUMENTS = 2000;

/** Attachment is something that is no text. */
export interface Attachment {
  /** line is where the document tells of it, from 0. */
  readonly line: number;
  readonly name: string;
  readonly image: boolean;
  readonly base64: string;
}

export interface ResultText {
  readonly text: string;
  readonly language: "markdown" | "plaintext";
  readonly attachments: readonly Attachment[];
}

/** resultText tells what came of a call with these arguments. */
export function resultText(outcome: CallOutcome, args: string): ResultText {
  const writer = new Writer();
  const { details, result } = outcome;
  writer.add(`# ${codeSpan(`${details.server}/${details.tool}`)}`);
  writer.add(summary(outcome));
  if (details.error !== undefined) writer.add(codeBlock(cut(details.error.message, ERROR), "text"));
  if (args !== "{}") writer.add(codeBlock(cut(indented(args), ARGUMENTS), "json"));
  const content = Array.isArray(result.content) ? result.content : [];
  for (const block of content) addBlock(writer, block, content.length > 1);
  if (result.structuredContent !== undefined) {
    writer.add("## Structured content");
    writer.add(codeBlock(JSON.stringify(result.structuredContent, null, 2), "json"));
  }
  if (content.length === 0 && result.structuredContent === undefined) writer.add("*There is no output.*");
  return writer.done();
}

/** summary is one paragraph: whether it worked, and how long it took. */
function summary({ result, details }: CallOutcome): string {
  const { deferred, waitedMs, durationMs, error, truncated } = details;
  const parts = [
    error !== undefined
      ? "**The call failed:**"
      : result.isError === true
        ? `**The tool says that it failed**, after ${duration(durationMs)}.`
        : `Answered in ${duration(durationMs)}.`,
  ];
  if (deferred) parts.push(`The server was not connected yet: the call waited for it ${duration(waitedMs)}.`);
  else if (waitedMs >= 100) parts.push(`The call waited ${duration(waitedMs)} before it was sent.`);
  if (truncated !== undefined) parts.push("The result was cut.");
  return parts.join(" ");
}

function addBlock(writer: Writer, block: ContentBlock, several: boolean): void {
  switch (block.type) {
    case "text":
      if (several) writer.add("---");
      writer.add(block.text ?? "");
      break;
    case "image":
    case "audio":
      writer.attach(`## ${block.type === "image" ? "Image" : "Audio"}`, block.mimeType, block.data);
      break;
    case "resource_link":
      writer.add(
        `## Link to a resource\n\n${resourceLines(block.uri, block.name, block.mimeType, block.description)}`,
      );
      break;
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource ?? { uri: "" };
      writer.add(`## Resource\n\n${resourceLines(uri, undefined, mimeType, undefined)}`);
      if (text !== undefined) writer.add(codeBlock(text));
      if (blob !== undefined) writer.attach("### Content", mimeType, blob);
      break;
    }
    default:
      writer.add(`## ${escaped(String(block.type), 100)}`);
      writer.add(codeBlock(JSON.stringify(block, null, 2), "json"));
  }
}

function resourceLines(uri?: string, name?: string, mimeType?: string, description?: unknown): string {
  const lines = [codeSpan(uri ?? "")];
  if (name !== undefined) lines.push(codeSpan(name));
  if (mimeType !== undefined) lines.push(codeSpan(mimeType));
  if (typeof description === "string") lines.push(escaped(description, 1000));
  return lines.map((line) => `- ${line}`).join("\n");
}

function indented(json: string): string {
  // Written anew only if no digit is lost by it.
  return /\d{16}/.test(json) ? json : JSON.stringify(JSON.parse(json), null, 2);
}

/** Writer keeps count of lines, and of how much there is room for. */
class Writer {
  readonly #parts: string[] = [];
  readonly #attachments: Attachment[] = [];
  #line = 0;
  #length = 0;
  #left = 0;

  add(part: string): void {
    const room = LENGTH - this.#length;
    const kept = part.length <= room ? part : room > 0 ? cut(part, room) : "";
    this.#left += part.length - kept.length;
    if (kept === "") return;
    this.#parts.push(kept);
    this.#length += kept.length;
    this.#line += kept.split("\n").length + 1; // and the empty line
  }

  attach(heading: string, mimeType: string | undefined, base64 = ""): void {
    const { ending, kind } = mediaType(mimeType);
    const name = `${oneLine(heading.replaceAll("#", "")).toLowerCase()}-${this.#attachments.length + 1}.${ending}`;
    this.#attachments.push({ line: this.#line, name, image: kind === "image", base64 });
    this.add(`${heading}\n\n${codeSpan(mimeType ?? "unknown type")}, ${sizeOf(base64)}`);
  }

  done(): ResultText {
    const language = this.#length > MARKDOWN ? "plaintext" : "markdown";
    const cut =
      this.#left > 0 ? [`… and ${sizeText(this.#left)} more: save the result to see all of it.`] : [];
    return { text: `${[...this.#parts, ...cut].join("\n\n")}\n`, language, attachments: this.#attachments };
  }
}
