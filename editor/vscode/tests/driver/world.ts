/**
 * A World is what an editor lives in: a home with the user's files, and projects, one for each window. Servers are
 * scripted (conformance/fake), and a hub sees them, and lets go what a script holds. Every project has a hub of its own,
 * so that servers of two windows may have the same name.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Hub } from "../../../../agent/node/test/hub.js";
import { until } from "./patience.js";
import { kill, marked, PLACE, type Process, WORLD } from "./processes.js";

/** An entry of a configuration file. */
export interface Entry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export class World {
  #last = 0;
  readonly #projects: Project[] = [];
  /** The user's own servers. */
  readonly user: Project;

  private constructor(
    readonly dir: string,
    hub: Hub,
  ) {
    this.user = new Project(join(dir, "home"), join(dir, "user"), hub);
  }

  static async open(): Promise<World> {
    // Short, as the place is: the path of a socket has at most 107 bytes.
    const dir = mkdtempSync(join(required(PLACE), "w-"));
    for (const name of ["home", "tmp", "run", "fakes"]) mkdirSync(join(dir, name), { mode: 0o700 });
    return new World(dir, await Hub.listen(join(dir, "user")));
  }

  /** env is that of everything in this world. */
  get env(): Record<string, string> {
    return {
      PATH: required("PATH"),
      LANG: "C.UTF-8",
      SHELL: "/bin/sh",
      HOME: join(this.dir, "home"),
      TMPDIR: join(this.dir, "tmp"),
      XDG_RUNTIME_DIR: join(this.dir, "run"),
      XDG_CONFIG_HOME: join(this.dir, "home/.config"),
      XDG_CACHE_HOME: join(this.dir, "cache"),
      XDG_DATA_HOME: join(this.dir, "data"),
      XDG_STATE_HOME: join(this.dir, "state"),
      [PLACE]: required(PLACE),
      [WORLD]: this.dir,
    };
  }

  /** project makes a folder, with a hub for its servers. */
  async project(name = "project"): Promise<Project> {
    const n = ++this.#last; // windows are opened at the same time
    const folder = join(this.dir, `p${n}`, name);
    mkdirSync(folder, { recursive: true });
    const socket = join(this.dir, `h${n}`);
    const project = new Project(folder, socket, await Hub.listen(socket));
    this.#projects.push(project);
    return project;
  }

  /** write writes a file of the user, and gives its path: `write(".config/mcp-sidecar/mcp.json", …)`. */
  write(path: string, text: string): string {
    return this.user.write(path, text);
  }

  /** processes are all that live in this world, but for the test. */
  processes(): Process[] {
    return marked(WORLD, this.dir);
  }

  /** empty waits until none is left. What does not end is killed, and that is a failure. */
  async empty(): Promise<void> {
    try {
      const what = () => `these processes to end:\n${lines(this.processes())}`;
      await until(what, () => this.processes().length === 0);
    } finally {
      this.kill();
    }
  }

  kill(): void {
    kill(this.processes());
  }

  /** close hangs up on what is left, and removes the files. */
  close(): void {
    this.user.close();
    for (const project of this.#projects) project.close();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A folder with servers, and the hub that sees them. */
export class Project {
  constructor(
    readonly dir: string,
    readonly socket: string,
    readonly hub: Hub,
  ) {}

  /** write writes a file, and gives its path. */
  write(path: string, text: string): string {
    const file = join(this.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** script writes a file that can be executed. */
  script(path: string, text: string): string {
    const file = this.write(path, text);
    chmodSync(file, 0o755);
    return file;
  }

  /** fake is the entry of a server that does what the script says. Its name is that of the script. */
  fake(name: string, script: string): Entry {
    const scripts = `${this.socket}-scripts`;
    mkdirSync(scripts, { recursive: true });
    writeFileSync(join(scripts, name), script);
    return {
      command: required("MCP_SIDECAR_TEST_FAKE"),
      args: [join(scripts, name)],
      env: { CONFORMANCE_CONTROL: this.socket },
    };
  }

  /** servers is the text of a file with these servers, scripts by name. */
  servers(scripts: Record<string, string>): string {
    const entries = Object.entries(scripts).map(([name, script]) => [name, this.fake(name, script)]);
    return JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2);
  }

  /** processes are those that run in the folder: the sidecar of its window, and servers. */
  processes(all: Process[]): Process[] {
    return all.filter(({ cwd }) => cwd === this.dir || cwd.startsWith(`${this.dir}/`));
  }

  close(): void {
    this.hub.close();
  }
}

/** lines tell of processes in the message of a failure. */
export function lines(processes: Process[]): string {
  return processes.map(({ pid, command, cwd }) => `  ${pid} in ${cwd}: ${command}`).join("\n");
}

/** required is a variable that `tests/run` sets. */
export function required(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: start the tests with editor/vscode/tests/run`);
  return value;
}
