/**
 * What a model can be shown of a tool's result: texts, images that every provider takes, and PDFs for those
 * that do. Whatever else a server sends is described in a line of text, so that the model knows of it.
 *
 * A block that a provider refuses stays in the conversation and spoils every later request too. So nothing
 * that is known to be refused gets through: blank texts ("text content blocks must be non-empty"), halves of
 * characters, images of another type than these four, or than they claim to be ("Image does not match the
 * provided media type"), no images at all ("Could not process image"), no PDFs, no base64.
 */
import type { CallToolResult } from "../mcp.js";
import { isObject } from "./schema-tree.js";
import { bounded, start, wellFormed } from "./well-formed.js";

export type Part = TextPart | ImagePart | PdfPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ImagePart {
  readonly type: "image";
  /** data is base64. */
  readonly data: string;
  readonly mimeType: ImageType;
}

export interface PdfPart {
  readonly type: "pdf";
  readonly data: string;
  /** name is that of a file. */
  readonly name: string;
}

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** BEGINNINGS of files, a character for each byte. */
const BEGINNINGS: readonly (readonly [RegExp, ImageType | "application/pdf"])[] = [
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^\x89PNG\r\n/, "image/png"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

/** LARGEST_IMAGE is how much base64 Anthropic takes for one ("image exceeds 5 MB maximum"). */
const LARGEST_IMAGE = 5 * 1024 * 1024;

/** SHORT is how many characters are shown of a string in a block that nobody knows: it may well be base64. */
const SHORT = 1000;

/** How many objects and lists are shown in one another, of such a block and of structured content. */
const DEEPEST = { outline: 32, json: 128 };

/** parts is what to show of a result, in its order. It is never empty, and no text in it is blank. */
export function parts(result: CallToolResult): Part[] {
  const { content, structuredContent, isError, _meta, ...others } = result;
  const blocks: unknown[] = [content ?? []].flat();
  const shown = blocks.map(part).filter((one) => !isBlank(one));
  if (shown.length > 0) return shown;
  // content is what a server says to models. Without it, what it says to programs is the only source.
  if (structuredContent !== undefined && structuredContent !== null) return [json(structuredContent)];
  const isOld = content === undefined && Object.keys(others).length > 0; // such as {toolResult}
  if (isOld) return [json(others)];
  return [text(isError === true ? "The tool failed without saying why." : "The tool returned nothing.")];
}

/**
 * partsInWords is parts, of which the first says so if the tool failed: for those who have no other place for
 * it, or do not pass it on.
 */
export function partsInWords(result: CallToolResult): Part[] {
  const shown = parts(result);
  const [first, ...rest] = shown;
  if (result.isError !== true) return shown;
  if (first?.type !== "text") return [text("Error:"), ...shown];
  return /^\W*(\w+ )?error\b/i.test(first.text) ? shown : [text(`Error: ${first.text}`), ...rest];
}

/** inWords is all parts as one text. What is no text is described by note. */
export function inWords(
  shown: readonly Part[],
  describe: (part: ImagePart | PdfPart) => string = note,
): string {
  return shown.map((one) => (one.type === "text" ? one.text : describe(one))).join("\n");
}

/** note stands for what the model is not shown. */
export function note(part: ImagePart | PdfPart): string {
  const what = part.type === "image" ? `an image, ${part.mimeType}` : `the file ${part.name}`;
  return `[${what}, ${size(part.data)}, that cannot be shown here]`;
}

/** fitting describes an image in words that is too large for some provider, and leaves any other part. */
export function fitting(part: Part): Part {
  return part.type === "image" && part.data.length > LARGEST_IMAGE ? text(note(part)) : part;
}

function part(block: unknown): Part {
  if (typeof block === "string") return text(block);
  if (!isObject(block)) return outline(block);
  const { type, data, resource: contents } = block;
  if (type === "text" && typeof block.text === "string") return text(block.text);
  if (type === "image" && typeof data === "string") return file(data, block.mimeType, "an image");
  if (type === "audio" && typeof data === "string") return file(data, block.mimeType, "a sound");
  if (type === "resource" && isObject(contents)) return resource(contents);
  if (type === "resource_link" && typeof block.uri === "string") return link(block);
  return outline(block);
}

function resource({ uri, mimeType, text: content, blob }: Record<string, unknown>): Part {
  const what = typeof uri === "string" ? `resource ${uri}` : "a resource";
  if (typeof content === "string") return text(`[${what}]\n${content}`);
  return typeof blob === "string" ? file(blob, mimeType, what, uri) : text(`[${what}: empty]`);
}

/** link leaves it to the model to ask for more, by whatever tool reads such things. */
function link({ title, name, uri, mimeType, description }: Record<string, unknown>): Part {
  const called = [title, name].find((one) => typeof one === "string" && one !== "") ?? "a resource";
  const of = typeof mimeType === "string" && mimeType !== "" ? ` (${mimeType})` : "";
  const about = typeof description === "string" && description !== "" ? `: ${description}` : "";
  return text(`[link to ${called}${of} at ${uri}]${about}`);
}

/** file shows what is in base64. An image or a PDF is what it begins with, whatever the server says. */
function file(encoded: string, claimed: unknown, what: string, uri?: unknown): Part {
  const mimeType = typeof claimed === "string" && claimed !== "" ? claimed : "of unknown type";
  const data = base64(encoded);
  if (data === undefined) return text(`[${what}, ${mimeType}, that is no base64]`);
  const beginning = Buffer.from(data.slice(0, 16), "base64").toString("latin1");
  const type = BEGINNINGS.find(([begins]) => begins.test(beginning))?.[1];
  if (type === "application/pdf") return { type: "pdf", data, name: fileName(uri) };
  if (type !== undefined) return { type: "image", data, mimeType: type };
  if (/^text\/|[/+](json|xml|yaml)\b/.test(mimeType)) {
    return text(`[${what}]\n${Buffer.from(data, "base64").toString("utf8")}`);
  }
  return text(`[${what}, ${mimeType}, ${size(data)}, that cannot be shown here]`);
}

/** base64 is what decoders take that are strict: without a data URL's beginning or lines, and padded. */
function base64(encoded: string): string | undefined {
  const bare = encoded
    .replace(/^data:[^,]*,/, "")
    .replace(/\s+/g, "")
    .replace(/=+$/, "");
  if (bare.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(bare)) return undefined;
  return bare + "=".repeat((4 - (bare.length % 4)) % 4);
}

function fileName(uri: unknown): string {
  const last = String(uri).split("/").at(-1) ?? "";
  return last.toLowerCase().endsWith(".pdf") ? wellFormed(last) : "document.pdf";
}

/** size of what is in base64. */
function size(encoded: string): string {
  const bytes = Math.floor((encoded.replace(/=+$/, "").length * 3) / 4);
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function text(value: string): TextPart {
  return { type: "text", text: wellFormed(value) };
}

function json(value: unknown): TextPart {
  return text(JSON.stringify(bounded(value, DEEPEST.json)));
}

/** outline is json with its long strings cut. */
function outline(value: unknown): TextPart {
  const short = (inner: string) =>
    wellFormed(inner.length > SHORT ? `${start(inner, SHORT)}… (${inner.length} characters)` : inner);
  return text(JSON.stringify(bounded(value, DEEPEST.outline, short)) ?? "null");
}

function isBlank(one: Part): boolean {
  return one.type === "text" && one.text.trim() === "";
}
