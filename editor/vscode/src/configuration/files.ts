/** Which configuration files there are, could be, and how they are listed. Pure, but for the environment. */
import { isAbsolute, join } from "node:path";
import type { DoctorFile, FileState } from "mcp-sidecar";

/** userFile is the user's own file of the sidecar: in XDG's directory for configuration, on every system. */
export function userFile(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const given = env.XDG_CONFIG_HOME ?? "";
  return join(isAbsolute(given) ? given : join(home, ".config"), "mcp-sidecar", "mcp.json");
}

/**
 * projectFiles are those in which a server of a project may be written. A new one is in .mcp.json: other tools read
 * it, too, so that it is what a team shares. It is in the sidecar's own where there is one already, and where the
 * editor would run the servers of .mcp.json a second time.
 */
export function projectFiles(folder: string): readonly [own: string, shared: string] {
  return [join(folder, ".mcp-sidecar", "mcp.json"), join(folder, ".mcp.json")];
}

/** Listed is a file as it is offered. */
export interface Listed {
  readonly path: string;
  readonly provider: string;
  readonly level: string;
  readonly state: string;
  readonly exists: boolean;
}

const STATES: { readonly [S in FileState]: string } = {
  read: "read",
  broken: "broken",
  skipped: "left out",
  absent: "not there: create it",
};

/**
 * listed are the files that are there, and then, of those that are not, the ones that can be created here: others
 * belong to their tools.
 */
export function listed(files: readonly DoctorFile[], creatable: readonly string[]): readonly Listed[] {
  const offered = files.filter(({ path, state }) => state !== "absent" || creatable.includes(path));
  const all = offered.map(({ path, providerName, level, state, why, servers }): Listed => {
    const count = `${servers.length} ${servers.length === 1 ? "server" : "servers"}`;
    const what = state === "read" ? count : STATES[state];
    return {
      path,
      provider: providerName,
      level: { project: "project", user: "user", host: "editor" }[level],
      state: why === undefined ? what : `${what}: ${why}`,
      exists: state !== "absent",
    };
  });
  return [...all.filter(({ exists }) => exists), ...all.filter(({ exists }) => !exists)];
}
