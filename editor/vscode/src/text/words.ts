/** Numbers and places in words. Pure. */
import { sep } from "node:path";

/** counted is a number of things: "1 tool", "3 tools". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** duration is how long something took. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, "")} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest > 0 ? ` ${rest} s` : ""}`;
}

/** countdown is how long until something, in whole seconds, so that it does not flicker. */
export function countdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 1) return "now";
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/** Surroundings are where paths are seen from. */
export interface Surroundings {
  readonly roots: readonly string[];
  readonly home: string;
}

/** shortPath is a path relative to the folder of the window that it is in, or with ~ for the home directory. */
export function shortPath(path: string, { roots, home }: Surroundings): string {
  for (const root of roots) {
    const rest = inside(path, root);
    if (rest !== undefined) return rest;
  }
  const rest = inside(path, home);
  return rest === undefined ? path : `~${sep}${rest}`;
}

function inside(path: string, directory: string): string | undefined {
  const start = directory.endsWith(sep) ? directory : directory + sep;
  return directory !== "" && path.startsWith(start) ? path.slice(start.length) : undefined;
}
