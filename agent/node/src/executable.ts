/**
 * What machine a program is built for, as its first bytes say. Systems are of little help there: on Linux a
 * program for another processor is run as a shell script, and what comes is a complaint of the shell.
 */

/** A Target has Node's names: process.platform and process.arch. */
export interface Target {
  readonly platform: string;
  readonly arch: string;
}

/** So many bytes are enough to tell. */
export const HEAD = 1024;

/** builtFor reads the head of a file; undefined if it is none that is known, such as a script. */
export function builtFor(head: Buffer): Target | undefined {
  if (head.length < 64) return undefined;
  const magic = head.readUInt32BE(0);
  if (magic === 0x7f454c46) {
    const machine = head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18);
    return { platform: "linux", arch: ELF[machine] ?? `machine ${machine}` };
  }
  if (magic === 0xcffaedfe) {
    const machine = head.readUInt32LE(4);
    return { platform: "darwin", arch: MACHO[machine] ?? `machine ${machine}` };
  }
  const pe = head.readUInt32LE(0x3c);
  if (head.toString("latin1", 0, 2) === "MZ" && pe + 6 <= head.length) {
    const machine = head.readUInt16LE(pe + 4);
    return { platform: "win32", arch: PE[machine] ?? `machine ${machine}` };
  }
  return undefined;
}

/** foreign says what a program is built for, if that is another machine than this. */
export function foreign(head: Buffer, here: Target): string | undefined {
  const target = builtFor(head);
  if (target === undefined || (target.platform === here.platform && target.arch === here.arch))
    return undefined;
  return `is built for ${target.platform} on ${target.arch}, and this is ${here.platform} on ${here.arch}`;
}

const ELF: { readonly [machine: number]: string } = {
  3: "ia32",
  21: "ppc64",
  22: "s390x",
  40: "arm",
  62: "x64",
  183: "arm64",
  243: "riscv64",
  258: "loong64",
};
const MACHO: { readonly [machine: number]: string } = { 16777223: "x64", 16777228: "arm64" };
const PE: { readonly [machine: number]: string } = { 332: "ia32", 34404: "x64", 43620: "arm64" };
