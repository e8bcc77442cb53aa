/** What the user's settings mean to the sidecar. Pure. */
import type { Settings } from "mcp-sidecar";

/** Read gives the value of a setting by its name below "mcpSidecar.", default included. */
export type Read = <T>(name: string) => T | undefined;

/** Wishes is everything that the settings say, sorted by what a change of it costs. */
export interface Wishes {
  readonly enabled: boolean;
  /** program: a change needs another process. */
  readonly program: ProgramWishes;
  /** settings: a change is told to the sidecar that runs. */
  readonly settings: Settings;
  readonly agent: AgentWishes;
}

export interface ProgramWishes {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface AgentWishes {
  readonly enabled: boolean;
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly callTool: "auto" | "always" | "never";
  /** excludeEditorServers: what the editor runs by itself is not offered a second time. */
  readonly excludeEditorServers: boolean;
}

/** The provider whose servers VS Code runs itself. */
const EDITOR = "vscode";

/** Circumstances are what the settings do not say. */
export interface Circumstances {
  /** off is what the user has switched off in this workspace. */
  readonly off: readonly string[];
  /** folder: the window has one. Without, no directory is a project. */
  readonly folder: boolean;
  /** editorFiles are where the editor has servers of its own, besides those that the sidecar knows of. */
  readonly editorFiles: readonly string[];
}

/** wishesOf reads the settings. */
export function wishesOf(read: Read, { off, folder, editorFiles }: Circumstances): Wishes {
  const given = <T>(name: string, otherwise: T): T => read<T>(name) ?? otherwise;
  const texts = (name: string) => textsOf(read(name));
  const path = read<unknown>("path");
  const excludeEditorServers = given("excludeEditorServers", true);
  const include = texts("discovery.include");
  return {
    enabled: given("enabled", true),
    program: {
      path: typeof path === "string" ? path : "",
      args: texts("args"),
      env: variables(read("env")),
    },
    settings: {
      servers: given("servers", {}),
      disabled: [...off],
      discovery: {
        projectConfig: folder && given("discovery.projectConfig", true),
        ...(include.length > 0 && { include }),
        exclude: texts("discovery.exclude"),
        own: excludeEditorServers ? [EDITOR] : [],
        ownFiles: excludeEditorServers ? [...editorFiles] : [],
        files: texts("discovery.files"),
        // The sidecar leaves Exa out for hosts that search the web by it themselves. VS Code does not.
        filterExa: given("discovery.filterExa", false),
        watch: given("discovery.watch", true),
      },
      // Whatever comes later is pushed, and shown: nobody waits for a server.
      startup: { gateMs: 0, uncached: "background" },
      timeouts: {
        connectMs: given("timeouts.connectMs", 30_000),
        callMs: given("timeouts.callMs", 300_000),
        callMaxMs: given("timeouts.callMaxMs", 3_600_000),
        shutdownMs: given("timeouts.shutdownMs", 2000),
      },
      reconnect: given("reconnect", "auto"),
      cache: { enabled: given("cache.enabled", true), maxAgeDays: given("cache.maxAgeDays", 30) },
      trust: { project: given("trust.project", "ask") },
    },
    agent: {
      enabled: given("agent.enabled", true),
      only: texts("agent.only"),
      except: texts("agent.except"),
      callTool: given("agent.callTool", "auto"),
      excludeEditorServers,
    },
  };
}

// VS Code underlines a value of another kind than the setting's, and gives it all the same. What the sidecar gets it
// refuses, and says why; what this extension itself works with is left out here.

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((element) => typeof element === "string") : [];
}

/** variables makes of null, which takes a variable out, what the client of the sidecar calls so. */
function variables(value: unknown): Record<string, string | undefined> {
  const all = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const fit = all.filter(([, text]) => typeof text === "string" || text === null);
  return Object.fromEntries(fit.map(([name, text]: [string, string | null]) => [name, text ?? undefined]));
}

/** Change is what another state of the wishes asks for. */
export type Change = "nothing" | "configure" | "restart";

export function changeBetween(before: Wishes, after: Wishes): Change {
  if (!same([before.enabled, before.program], [after.enabled, after.program])) return "restart";
  return same(before.settings, after.settings) ? "nothing" : "configure";
}

/** same compares values that came from JSON, in the order of their members. */
export function same(one: unknown, other: unknown): boolean {
  return text(one) === text(other);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member === undefined ? null : member));
}
