import assert from "node:assert/strict";
import { constants } from "node:buffer";
import { test } from "node:test";
import { FrameReader, FramingError, header } from "../src/framing.js";

const frame = (text: string) => `${header(text)}${text}`;

function texts(...chunks: (string | Buffer)[]): string[] {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) => [...reader.read(Buffer.from(chunk as string))]);
}

test("messages come out whole wherever the stream is cut", () => {
  const messages = ["{}", '{"a":"zażółć 🦊"}', "", '{"line":\n1}'];
  const stream = Buffer.from(messages.map(frame).join(""));
  for (let first = 0; first <= stream.length; first++) {
    for (let second = first; second <= stream.length; second++) {
      const chunks = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
      assert.deepEqual(texts(...chunks), messages, `cut at ${first} and ${second}`);
    }
  }
});

test("messages come out whole when bytes come one by one", () => {
  const stream = Buffer.from(frame('{"ü":1}') + frame("[]"));
  assert.deepEqual(texts(...[...stream].map((byte) => Buffer.from([byte]))), ['{"ü":1}', "[]"]);
});

test("a frame counts bytes, not characters", () => {
  assert.equal(frame("ü"), "Content-Length: 2\r\n\r\nü");
});

test("headers of the LSP base protocol are read in any case and order", () => {
  const type = "Content-Type: application/vscode-jsonrpc; charset=utf-8";
  assert.deepEqual(texts(`content-length:2\r\n${type}\r\n\r\n{}`), ["{}"]);
  assert.deepEqual(texts(`${type}\r\nCONTENT-LENGTH: 2 \r\n\r\n{}`), ["{}"]);
});

test("what is no header is refused at its first byte that differs", () => {
  const cases: [string, RegExp][] = [
    ["h", /no header/],
    ["Content-Lenses", /no header/],
    ["\n", /no header/],
    ["Content-Length: 2\r\nh", /no header/],
    ["Content-Length: 2\n\n{}", /no header/],
    ["Content-Length: \r\n\r\n", /without a Content-Length/],
    ["Content-Type: x\r\n\r\n", /without a Content-Length/],
    ["Content-Length: two", /no header/],
    ["Content-Length: -", /no header/],
    [`Content-Length: 2\r\nContent-Type: ${"x".repeat(8 << 10)}`, /more than 8192 bytes/],
  ];
  for (const [bytes, why] of cases) {
    assert.throws(
      () => texts(bytes),
      (error) => error instanceof FramingError && why.test(error.message),
      JSON.stringify(bytes.slice(0, 40)),
    );
  }
});

test("a message that no string can hold is refused by its header", () => {
  const most = constants.MAX_STRING_LENGTH;
  assert.deepEqual(texts(`Content-Length: ${most}\r\n\r\n`), []);
  for (const length of [String(most + 1), "9".repeat(400)]) {
    const why = new RegExp(
      `^a message of ${length} bytes, of which no more than ${most} make a string here$`,
    );
    assert.throws(() => texts(`Content-Length: ${length}\r\n\r\n`), { name: "FramingError", message: why });
  }
});

test("what precedes a bad header has been given", () => {
  const reader = new FrameReader();
  const read: string[] = [];
  assert.throws(() => {
    for (const text of reader.read(Buffer.from(`${frame("{}")}panic: at the disco`))) read.push(text);
  }, FramingError);
  assert.deepEqual(read, ["{}"]);
  assert.equal(reader.unread, "panic: at the disco");
});

test("what is unread is shown shortened", () => {
  const reader = new FrameReader();
  assert.throws(() => [...reader.read(Buffer.from("x".repeat(10_000)))], FramingError);
  assert.equal(reader.unread, `${"x".repeat(200)}…`);
});

test("a body of 64 MiB in small chunks is put together once", () => {
  const body = Buffer.alloc(64 << 20, "x");
  const reader = new FrameReader();
  let read = [...reader.read(Buffer.from(`Content-Length: ${body.length}\r\n\r\n`))];
  for (let at = 0; at < body.length; at += 8 << 10) {
    read = read.concat([...reader.read(body.subarray(at, at + (8 << 10)))]);
  }
  assert.equal(read.length, 1);
  assert.equal(read[0]?.length, body.length);
});
