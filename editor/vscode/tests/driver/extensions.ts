/**
 * The extensions of the editors. They share one installation, which is made by VS Code itself from the packages, and
 * which they only read.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { PATIENCE } from "./patience.js";
import { PLACE } from "./processes.js";
import { required, World } from "./world.js";

const run = promisify(execFile);

/** What comes with VS Code and is of use here. All the rest is loaded in each window, which takes longer than a test. */
const BUILTIN = [
  "theme-defaults",
  "theme-seti",
  "json",
  "json-language-features",
  "configuration-editing",
  "markdown-basics",
  "markdown-language-features",
  "media-preview",
  "log",
  "node_modules",
];

let installed: Promise<string> | undefined;
let linked: string | undefined;

/** extensions is the directory in which they are installed: ours, and the scripted model. */
export function extensions(): Promise<string> {
  installed ??= install(join(required(PLACE), "extensions"));
  return installed;
}

async function install(dir: string): Promise<string> {
  const world = await World.open();
  try {
    const vsixes = [required("MCP_SIDECAR_TEST_VSIX"), required("MCP_SIDECAR_TEST_MODEL")];
    const flags = vsixes.flatMap((vsix) => ["--install-extension", vsix]);
    const places = ["--user-data-dir", join(world.dir, "editor"), "--extensions-dir", dir];
    const env = world.env;
    await run(required("NODE_24"), [required("CODE_SERVER"), ...places, ...flags], {
      env,
      timeout: PATIENCE,
    });
    return dir;
  } finally {
    world.kill();
    world.close();
  }
}

/** builtin is the directory with those of VS Code's own extensions that are of use here. */
export function builtin(): string {
  if (linked !== undefined) return linked;
  linked = join(required(PLACE), "builtin");
  mkdirSync(linked);
  for (const name of BUILTIN) {
    const shipped = join(required("CODE_SERVER"), "lib/vscode/extensions", name);
    if (existsSync(shipped)) symlinkSync(shipped, join(linked, name));
  }
  return linked;
}
