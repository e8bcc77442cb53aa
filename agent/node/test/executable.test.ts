import assert from "node:assert/strict";
import { test } from "node:test";
import { builtFor, foreign, type Target } from "../src/executable.js";

/** A head of 256 bytes with these numbers in it. */
function head(...numbers: [at: number, bytes: number[]][]): Buffer {
  const buffer = Buffer.alloc(256);
  for (const [at, bytes] of numbers) for (const [i, byte] of bytes.entries()) buffer[at + i] = byte;
  return buffer;
}

const MZ = [0x4d, 0x5a];
const ELF = [0x7f, 0x45, 0x4c, 0x46];

test("the head of a program says what it is built for", () => {
  const cases: [string, Buffer, Target | undefined][] = [
    ["ELF x64", head([0, [...ELF, 2, 1]], [18, [62, 0]]), { platform: "linux", arch: "x64" }],
    ["ELF arm64", head([0, [...ELF, 2, 1]], [18, [183, 0]]), { platform: "linux", arch: "arm64" }],
    [
      "ELF s390x, big end first",
      head([0, [...ELF, 2, 2]], [18, [0, 22]]),
      { platform: "linux", arch: "s390x" },
    ],
    ["ELF unknown", head([0, [...ELF, 2, 1]], [18, [99, 0]]), { platform: "linux", arch: "machine 99" }],
    [
      "Mach-O arm64",
      head([0, [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]]),
      { platform: "darwin", arch: "arm64" },
    ],
    ["Mach-O x64", head([0, [0xcf, 0xfa, 0xed, 0xfe, 0x07, 0, 0, 1]]), { platform: "darwin", arch: "x64" }],
    ["PE x64", head([0, MZ], [0x3c, [128]], [132, [0x64, 0x86]]), { platform: "win32", arch: "x64" }],
    ["PE cut off", head([0, MZ], [0x3c, [0xff, 0xff]]), undefined],
    ["a script", Buffer.from("#!/bin/sh\necho hello\n".padEnd(100)), undefined],
    ["an empty file", Buffer.alloc(0), undefined],
  ];
  for (const [name, bytes, target] of cases) assert.deepEqual(builtFor(bytes), target, name);
});

test("only a program for another machine is foreign", () => {
  const x64 = head([0, [...ELF, 2, 1]], [18, [62, 0]]);
  assert.equal(foreign(x64, { platform: "linux", arch: "x64" }), undefined);
  assert.equal(
    foreign(x64, { platform: "darwin", arch: "arm64" }),
    "is built for linux on x64, and this is darwin on arm64",
  );
  assert.equal(foreign(Buffer.from("#!/bin/sh"), { platform: "linux", arch: "x64" }), undefined);
});
