/**
 * Framing of the LSP base protocol: a header that counts the bytes, and so many bytes of JSON. Pure: bytes
 * in, texts out, cut anywhere. It sets no limit to the size of a message but that of a string.
 */
import { constants } from "node:buffer";

/** header is what is written before the text of a message. (Together they may be too long for one string.) */
export function header(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
}

/** FramingError: what was read is not what a sidecar writes. */
export class FramingError extends Error {
  override name = "FramingError";
}

/** A header block of a sidecar has some 25 bytes. What has more than this is none. */
const MAX_HEADER = 8 << 10;

/** A message becomes a string of at most this length. */
const LONGEST = constants.MAX_STRING_LENGTH;

/** The headers of the LSP base protocol, in lower case. A sidecar writes only the first. */
const HEADERS = ["content-length:", "content-type:"];
const LINE = /^(content-length:[ \t]*\d*[ \t]*|content-type:[^\n]*)$/i;

const END = "\r\n\r\n";
const LENGTH = /^content-length:[ \t]*(\d+)[ \t]*$/im;

/** FrameReader cuts a stream of bytes into messages. After a FramingError it is of no use any more. */
export class FrameReader {
  /** The beginning of a header block. */
  #head: Buffer = Buffer.alloc(0);
  /** The beginning of a body, in the chunks in which it came: a large one is put together once. */
  #parts: Buffer[] = [];
  /** How many bytes of the body are still to come; undefined outside of a body. */
  #missing: number | undefined;

  /** read takes the next bytes, and gives the messages that are whole with them. */
  *read(chunk: Buffer): Generator<string, void, void> {
    let bytes: Buffer | undefined = chunk;
    for (;;) {
      if (this.#missing === undefined) {
        bytes = this.#header(bytes);
        if (bytes === undefined) return;
      }
      const part = bytes.subarray(0, this.#missing);
      bytes = bytes.subarray(part.length);
      this.#parts.push(part);
      this.#missing = (this.#missing ?? 0) - part.length;
      if (this.#missing > 0) return;
      const text = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#missing = undefined;
      yield text;
    }
  }

  /** unread is the beginning of what belongs to no whole message, for people. */
  get unread(): string {
    const text = Buffer.concat([this.#head, ...this.#parts.slice(0, 1)])
      .subarray(0, 1 << 10)
      .toString("utf8");
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  }

  /** header reads to the end of a header block, and returns what follows it; undefined if more is to come. */
  #header(bytes: Buffer): Buffer | undefined {
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf(END);
    const block = this.#head.toString("latin1", 0, end < 0 ? MAX_HEADER + 1 : end);
    if (block.length > MAX_HEADER) throw new FramingError(`a header block of more than ${MAX_HEADER} bytes`);
    for (const line of block.split("\r\n")) {
      if (!beginsHeader(line)) throw new FramingError("a line that is no header");
    }
    if (end < 0) return undefined;
    const length = LENGTH.exec(block)?.[1];
    if (length === undefined) throw new FramingError("a header block without a Content-Length");
    // Known before the bytes are gathered: they would be of no use.
    if (Number(length) > LONGEST) {
      throw new FramingError(
        `a message of ${length} bytes, of which no more than ${LONGEST} make a string here`,
      );
    }
    const rest = this.#head.subarray(end + END.length);
    this.#head = Buffer.alloc(0);
    this.#missing = Number(length);
    return rest;
  }
}

/** beginsHeader: is this a header, or the beginning of one? */
function beginsHeader(line: string): boolean {
  const text = line.toLowerCase().replace(/\r$/, "");
  return LINE.test(text) || HEADERS.some((name) => name.startsWith(text));
}
