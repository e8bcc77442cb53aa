/**
 * A World is what a real sidecar lives in: a home and a project of its own, scripted servers
 * (conformance/fake), and the hub that sees them. It ends with its test, and takes everything with it.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerConfig } from "../src/protocol.gen.js";
import { type JoinOptions, Sidecar, type SpawnOptions } from "../src/sidecar.js";
import { Hub } from "./hub.js";
import type { TestContext } from "./test-context.js";

export class World {
  readonly dir: string;
  readonly hub: Hub;
  readonly #ends: (() => unknown)[] = [];

  private constructor(dir: string, hub: Hub) {
    this.dir = dir;
    this.hub = hub;
  }

  static async open(test: TestContext): Promise<World> {
    const dir = mkdtempSync(join(tmpdir(), "mcp-sidecar-node-"));
    for (const name of ["home", "project"]) mkdirSync(join(dir, name));
    const hub = await Hub.listen(join(dir, "hub"));
    const world = new World(dir, hub);
    test.after(async () => {
      for (const end of world.#ends.reverse()) await end();
      hub.close();
      rmSync(dir, { recursive: true, force: true });
    });
    return world;
  }

  /** env is that of everything in this world. */
  get env(): Record<string, string> {
    return {
      HOME: join(this.dir, "home"),
      XDG_CONFIG_HOME: join(this.dir, "config"),
      XDG_CACHE_HOME: join(this.dir, "cache"),
      XDG_STATE_HOME: join(this.dir, "state"),
      CONFORMANCE_CONTROL: join(this.dir, "hub"),
    };
  }

  get project(): string {
    return join(this.dir, "project");
  }

  /** fake is the entry of a server that does what the script says. Its name is that of the script. */
  fake(name: string, script: string): ServerConfig {
    const path = join(this.dir, name);
    writeFileSync(path, script);
    return { command: required("MCP_SIDECAR_TEST_FAKE"), args: [path] };
  }

  /** program writes a program in JavaScript, and gives its path. */
  program(name: string, source: string): string {
    return this.script(name, `#!${process.execPath}\n${source}`);
  }

  /** script writes an executable file. */
  script(name: string, text: string): string {
    const path = join(this.dir, name);
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  }

  /**
   * pipe is one that a program can open for writing. It is over when the program has ended, with everything
   * that was started beneath it: they inherit it.
   */
  pipe(name: string): { path: string; over: Promise<void> } {
    const path = join(this.dir, name);
    execFileSync("mkfifo", [path]);
    const over = new Promise<void>((resolve) => {
      createReadStream(path).on("close", resolve).resume();
    });
    // If nobody has opened it, the reading would wait for ever.
    this.#ends.push(() => closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK)));
    return { path, over };
  }

  /** options are those of a sidecar with these fakes, scripts by name. */
  options(scripts: Record<string, string> = {}, options: SpawnOptions = {}): SpawnOptions {
    const entries = Object.entries(scripts).map(([name, script]) => [name, this.fake(name, script)]);
    return {
      binary: required("MCP_SIDECAR_TEST_BINARY"),
      cwd: this.project,
      env: this.env,
      ...options,
      settings: { servers: Object.fromEntries(entries), ...options.settings },
    };
  }

  /** sidecar starts one with these fakes, and ends it with the test. */
  async sidecar(scripts: Record<string, string> = {}, options: SpawnOptions = {}): Promise<Sidecar> {
    const sidecar = await Sidecar.spawn(this.options(scripts, options));
    this.#ends.push(() => sidecar.close());
    return sidecar;
  }

  /** joining are the options of a guest in this world. */
  get joining(): JoinOptions {
    return { binary: required("MCP_SIDECAR_TEST_BINARY"), env: this.env };
  }

  /** guest joins a session, and leaves it with the test. */
  async guest(endpoint?: string, options: JoinOptions = {}): Promise<Sidecar> {
    const guest = await Sidecar.join(endpoint, { ...this.joining, ...options });
    this.#ends.push(() => guest.close());
    return guest;
  }
}

/** until waits until what is asked holds. It is looked at now, and whenever something of the set has changed. */
export function until(sidecar: Sidecar, holds: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!holds()) return;
      for (const end of ends) end();
      resolve();
    };
    const ends = [sidecar.on("toolsChanged", look), sidecar.on("status", look), sidecar.on("closed", reject)];
    look();
  });
}

/** required is a variable that test/run.mjs sets. */
export function required(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: start the tests with "npm test"`);
  return value;
}

/** lives says whether there is such a process. */
export function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
