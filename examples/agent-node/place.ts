/**
 * Where an example is played: the program, the project with its servers, and a cache that is empty at first.
 *
 *     --sidecar PATH    the program; bin/mcp-sidecar of this repository, if it is there
 *     --project PATH    examples/project
 *     --slow SECONDS    how long the server `files` takes to start
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Settings } from "mcp-sidecar";

const OPTIONS = {
  sidecar: { type: "string" },
  project: { type: "string" },
  slow: { type: "string" },
} as const;

/**
 * There is no handler `approve` here, so the servers that the project's file names are started without
 * asking: that is right for files one trusts.
 */
export const SETTINGS: Settings = {
  // Only the project's own file: an example has no business starting what the user has configured elsewhere.
  discovery: { include: ["mcp-json"] },
  // Nothing runs at its address here.
  disabled: ["remote"],
};

export interface Place {
  binary: string | undefined;
  project: string;
  /** slow is how many seconds `files` takes to start (examples/project/slow). */
  slow: string;
  cache: string;
  signal: AbortSignal;
}

/** inPlace plays an example. What goes wrong in it is said, and is the exit code. */
export async function inPlace(play: (place: Place) => Promise<void>, slow: string): Promise<void> {
  try {
    await between(play, slow);
  } catch (error) {
    console.error(`agent: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

/** between what an example needs, and the end of it. */
async function between(play: (place: Place) => Promise<void>, slow: string): Promise<void> {
  const examples = fileURLToPath(new URL("../..", import.meta.url));
  const built = join(examples, "../bin/mcp-sidecar");
  const { values } = parseArgs({ options: OPTIONS });
  const binary = values.sidecar ?? (existsSync(built) ? built : undefined);
  const project = resolve(values.project ?? join(examples, "project"));
  if (!existsSync(join(project, "node_modules"))) {
    throw new Error(`${project} has no servers yet: npm ci --ignore-scripts, in that directory`);
  }
  const abort = new AbortController();
  process.once("SIGINT", () => abort.abort(new Error("interrupted")));
  const cache = await mkdtemp(join(tmpdir(), "mcp-sidecar-example-"));
  try {
    await play({ binary, project, slow: values.slow ?? slow, cache, signal: abort.signal });
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}
