/**
 * Which processes belong to a test. They are found by a variable of their environment, which they inherit, so that one
 * whose parent is gone is found too.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The variable of a world's processes: its directory. */
export const WORLD = "MCP_SIDECAR_TEST_WORLD";
/** That of all that one run of the tests starts: see run.mjs. */
export const PLACE = "MCP_SIDECAR_TEST_PLACE";

export interface Process {
  pid: number;
  /** The command line. */
  command: string;
  /** The directory in which it runs. */
  cwd: string;
}

/** marked are the processes whose variable has this value. */
export function marked(variable: string, value: string): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      if (!environment.includes(`${variable}=${value}`)) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      found.push({ pid: Number(name), command, cwd: readlinkSync(`/proc/${name}/cwd`) });
    } catch {
      // It has ended, or is not ours to look at.
    }
  }
  return found;
}

/** parentOf is the process that has started this one. */
export function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** kill ends them at once. */
export function kill(processes: Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
