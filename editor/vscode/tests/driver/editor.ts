/**
 * An Editor is a server of VS Code with extensions, in a world of its own. Its windows are pages of a browser; each has an
 * extension host.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { builtin, extensions } from "./extensions.js";
import { until, within } from "./patience.js";
import { required, World } from "./world.js";

export interface EditorOptions {
  /** Whether folders are trusted without a question. Default true. */
  trusted?: boolean;
  /** Whether VS Code's own agent is there, and the model for it: it takes its time. Default false. */
  agent?: boolean;
  /** The user's settings, besides those that keep the editor quiet. */
  settings?: Record<string, unknown>;
  /** Settings whose scope is the machine. */
  machine?: Record<string, unknown>;
  /** Whether its windows can run tests inside: see host.ts. Such an editor shows no notifications. Default false. */
  inside?: boolean;
  /** Environment of the editor, besides that of the world. */
  env?: Record<string, string>;
}

/**
 * Nothing that asks, tells, or looks for something in the network, and nothing saved that nobody saves, as VS Code does
 * in a browser. The theme is that of the browser.
 */
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.enableExperiments": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "window.autoDetectColorScheme": true,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "npm.autoDetect": "off",
  "remote.autoForwardPorts": false,
  "security.workspace.trust.startupPrompt": "always",
  "security.workspace.trust.untrustedFiles": "open",
};

/** What makes VS Code's own agent work signed out: a model that the user brings, and what it needs at once. */
const CHAT = { "chat.mcp.autostart": "newAndOutdated", "chat.byokUtilityModelDefault": "mainAgent" };

export class Editor {
  private constructor(
    readonly world: World,
    /** Where it listens: a host and a port. */
    readonly authority: string,
    readonly server: ChildProcess,
  ) {}

  static async start(options: EditorOptions = {}): Promise<Editor> {
    const world = await World.open();
    try {
      return await start(world, options);
    } catch (error) {
      world.kill();
      world.close();
      throw error;
    }
  }

  /** made is for `start`. */
  static made(world: World, authority: string, server: ChildProcess): Editor {
    return new Editor(world, authority, server);
  }

  get url(): string {
    return `http://${this.authority}`;
  }

  /** turns are what the scripted model was asked: a line of its log each. See model/extension.ts. */
  get turnsFile(): string {
    return turns(this.world);
  }

  /** report is the file in which a bundle of tests inside the extension host says how they ended: see inside.ts. */
  report(bundle: string): string {
    return join(reports(this.world), bundle);
  }

  /** logs are what the editor and its extensions have written, the newest last. */
  logs(): string {
    const logs = files(join(this.world.dir, "editor/logs")).filter((file) => file.endsWith(".log"));
    const all = [join(this.world.dir, "server.log"), ...logs];
    const texts = all.filter(existsSync).map((file) => ({ file, text: readFileSync(file, "utf8") }));
    return texts
      .filter(({ text }) => text.trim() !== "")
      .map(({ file, text }) => `=== ${file.slice(this.world.dir.length + 1)}\n${text}`)
      .join("\n");
  }

  /** stop ends it, and looks that no process of it, of a sidecar or of a server is left. */
  async stop(): Promise<void> {
    try {
      if (this.server.exitCode === null) {
        const ended = once(this.server, "exit");
        this.server.kill("SIGTERM");
        await within("the editor's server to end", ended);
      }
      await this.world.empty();
    } finally {
      this.world.kill();
      this.world.close();
    }
  }
}

async function start(world: World, options: EditorOptions): Promise<Editor> {
  const { trusted = true, agent = false, settings = {}, machine = {} } = options;
  const data = join(world.dir, "editor");
  const user = join(data, "User");
  mkdirSync(user, { recursive: true });
  const all = { ...QUIET, ...(agent && CHAT), ...settings };
  writeFileSync(join(user, "settings.json"), JSON.stringify(all, null, 2));
  mkdirSync(join(data, "Machine"));
  writeFileSync(join(data, "Machine/settings.json"), JSON.stringify(machine, null, 2));
  writeFileSync(join(user, "chatLanguageModels.json"), '[{ "vendor": "scripted", "name": "Scripted" }]');

  mkdirSync(reports(world));
  const env = {
    ...world.env,
    MCP_SIDECAR_TEST_TURNS: turns(world),
    MCP_SIDECAR_TEST_REPORTS: reports(world),
    MCP_SIDECAR_TEST_FAKE: required("MCP_SIDECAR_TEST_FAKE"),
    ...options.env,
  };
  const places = [...config(world), "--user-data-dir", data, "--extensions-dir", await extensions()];
  const program = required("CODE_SERVER");
  const port = await freePort();
  const authority = `127.0.0.1:${port}`;
  const log = join(world.dir, "server.log");
  const out = openSync(log, "a");
  const flags = ["--auth", "none", "--bind-addr", authority, "--disable-telemetry", "--disable-update-check"];
  // A browser that is busy may lose the goodbye of a window, which the server then waits for to come back: not for hours.
  flags.push("--reconnection-grace-time", "10");
  if (!agent) flags.push("--vscode-option", `builtin-extensions-dir=${builtin()}`);
  if (options.inside) flags.push("--vscode-option", "enable-smoke-test-driver");
  if (trusted) flags.push("--disable-workspace-trust");
  const server = spawn(required("NODE_24"), [program, ...places, ...flags], {
    env,
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  const editor = Editor.made(world, authority, server);
  await until(
    () => `the editor to listen on ${authority}; its log:\n${readFileSync(log, "utf8")}`,
    async () => {
      if (server.exitCode !== null) throw new Error(`the editor ended: ${readFileSync(log, "utf8")}`);
      return fetch(`${editor.url}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
    },
  );
  return editor;
}

/** config is that of code-server itself. */
function config(world: World): string[] {
  const file = join(world.dir, "code-server.yaml");
  writeFileSync(file, "auth: none\n");
  return ["--config", file];
}

function turns(world: World): string {
  return join(world.dir, "turns");
}

function reports(world: World): string {
  return join(world.dir, "reports");
}

/** files are all files below, the oldest first. */
function files(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file).isFile())
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === "object") resolve(address.port);
        else reject(new Error("no port"));
      });
    });
    server.on("error", reject);
  });
}
