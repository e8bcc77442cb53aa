/**
 * Where the program is: an ordered list of places. The first that has it wins; a place that was named by the
 * user and is wrong is an error, not a reason to look on. When there is none, the error says of each why not.
 */
import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, resolve, sep } from "node:path";
import { BinaryNotFoundError, type Place } from "./errors.js";

/** Surroundings are what the places are looked up in. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** installed gives the path of a file of an npm package, or throws. */
  installed(file: string): string;
  /** unfit says why a path is no program; undefined if it is one. */
  unfit(path: string): string | undefined;
}

/** Found is a program's path, or why it is not in this place. */
export type Found = { readonly path: string } | { readonly why: string; readonly final?: true };

/** A Strategy is one place to look. */
export interface Strategy {
  readonly where: string;
  find(): Found;
}

/** findBinary gives the path of the program to start. */
export function findBinary(option?: string, here: Surroundings = actual()): string {
  const places = [
    {
      where: "the option `binary`",
      find: () => (option === undefined ? { why: "not given" } : named(here, option)),
    },
    inVariable(here),
    { where: `the npm package ${bundle(here)}`, find: () => bundled(here) },
    inPath(here),
  ];
  return firstOf(
    places,
    "Install it (npm install mcp-sidecar brings it along where there is a build for the platform), " +
      "or say where it is with the option `binary` or the variable MCP_SIDECAR.",
  );
}

/** firstOf looks in each place in turn. `advice` is for whoever has it in none. */
export function firstOf(places: readonly Strategy[], advice: string): string {
  const looked: Place[] = [];
  for (const { where, find } of places) {
    const found = find();
    if ("path" in found) return found.path;
    looked.push({ where, why: found.why });
    if (found.final) throw new BinaryNotFoundError(`${where} names no program: ${found.why}`, looked);
  }
  const list = looked.map(({ where, why }) => `\n  - ${where}: ${why}`).join("");
  throw new BinaryNotFoundError(
    `cannot find the program mcp-sidecar. It was looked for in:${list}\n${advice}`,
    looked,
  );
}

/** inVariable is the place that the environment names. */
export function inVariable(here: Surroundings): Strategy {
  return {
    where: "the environment variable MCP_SIDECAR",
    find: () => (here.env.MCP_SIDECAR ? named(here, here.env.MCP_SIDECAR) : { why: "not set" }),
  };
}

/** inPath is where a shell would find it. */
export function inPath(here: Surroundings): Strategy {
  return { where: "the directories in PATH", find: () => onPath(here, program(here)) };
}

/** named is a program that the user named: by its path or, without a separator in it, by its name in PATH. */
export function named(here: Surroundings, name: string): Found {
  if (!name.includes("/") && !name.includes(sep)) {
    const found = onPath(here, name);
    return "path" in found ? found : { why: `${name} is ${found.why}`, final: true };
  }
  const path = resolve(name);
  const why = here.unfit(path);
  return why === undefined ? { path } : { why: `${path} ${why}`, final: true };
}

function bundled(here: Surroundings): Found {
  let path: string;
  try {
    path = here.installed(`${bundle(here)}/bin/${program(here)}`);
  } catch {
    return { why: "not installed (is there one? was npm told to omit optional packages?)" };
  }
  const why = here.unfit(path);
  return why === undefined ? { path } : { why: `${path} ${why}` };
}

function onPath(here: Surroundings, name: string): Found {
  const directories = (here.env.PATH ?? "").split(delimiter).filter((directory) => directory !== "");
  let why = "";
  for (const directory of directories) {
    const path = resolve(directory, name);
    const unfit = here.unfit(path);
    if (unfit === undefined) return { path };
    if (unfit !== MISSING) why ||= ` (${path} ${unfit})`;
  }
  return {
    why:
      directories.length === 0
        ? "not in PATH, which is empty"
        : `not in ${directories.join(delimiter)}${why}`,
  };
}

function bundle({ platform, arch }: Surroundings): string {
  return `@mcp-sidecar/${platform}-${arch}`;
}

/** program is the name of the file. */
export function program({ platform }: Surroundings): string {
  return platform === "win32" ? "mcp-sidecar.exe" : "mcp-sidecar";
}

const MISSING = "does not exist";

/** actual is the machine that this runs on. */
export function actual(): Surroundings {
  const { platform, arch, env } = process;
  // Made only here: where this module was bundled into another, there is no URL to look from.
  const installed = (file: string) => createRequire(import.meta.url).resolve(file);
  return { platform, arch, env, installed, unfit };
}

function unfit(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return "is not a file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? MISSING : `cannot be looked at (${code})`;
  }
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return "is not executable (chmod +x makes it so)";
  }
  return undefined;
}
