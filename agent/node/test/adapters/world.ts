/**
 * A real sidecar with the test server (server.ts), in a home directory of its own.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolsChange } from "../../src/index.js";
import { type ServerConfig, Sidecar } from "../../src/index.js";
import { Gate } from "./gate.js";

const BINARY = resolve(process.env.MCP_SIDECAR_TEST_BINARY ?? "../../bin/mcp-sidecar");
const SERVER = fileURLToPath(new URL("./server.js", import.meta.url));

/** A Test is what node:test gives to one. */
interface Test {
  after(end: () => Promise<void>): void;
}

/** server is an entry for the test server. */
export function server(
  options: { tools?: readonly object[]; hide?: string[]; gate?: Gate } = {},
): ServerConfig {
  const { tools, hide, gate } = options;
  return {
    command: process.execPath,
    args: [SERVER],
    env: {
      ...(tools && { TOOLS: JSON.stringify(tools) }),
      ...(hide && { HIDE: JSON.stringify(hide) }),
      ...(gate && { GATE: String(gate.port) }),
    },
  };
}

/** start starts a sidecar with these servers, and ends it when the test does. */
export async function start(t: Test, servers: Record<string, ServerConfig>): Promise<Sidecar> {
  const home = await mkdtemp(join(tmpdir(), "mcp-sidecar-adapters-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const sidecar = await Sidecar.spawn({
    binary: BINARY,
    cwd: home,
    env: {
      HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_STATE_HOME: join(home, "state"),
    },
    settings: { servers, discovery: { include: ["host"] }, startup: { uncached: "background", gateMs: 0 } },
  });
  t.after(() => sidecar.close());
  return sidecar;
}

/** startReady is start, and every server is there. */
export async function startReady(t: Test, servers: Record<string, ServerConfig>): Promise<Sidecar> {
  const sidecar = await start(t, servers);
  const { failed, pending } = await sidecar.wait();
  if (failed.length + pending.length > 0)
    throw new Error(`not there: ${JSON.stringify({ failed, pending })}`);
  return sidecar;
}

/** startWithLate is a sidecar with a server "test" and one, "late", that comes when the gate is opened. */
export async function startWithLate(t: Test): Promise<{ sidecar: Sidecar; gate: Gate }> {
  const gate = await Gate.listen();
  t.after(() => gate.close());
  const sidecar = await start(t, { test: server(), late: server({ gate }) });
  await sidecar.wait({ servers: ["test"] });
  return { sidecar, gate };
}

/** arrival opens the gate, and resolves when the tools are there. */
export async function arrival({ sidecar, gate }: { sidecar: Sidecar; gate: Gate }): Promise<void> {
  const arrived = changed(sidecar, ({ added }) => added.some((tool) => tool.server === "late"));
  await gate.open();
  await arrived;
}

/** changed resolves at the first change of the tools that is such a one. */
export function changed(sidecar: Sidecar, is: (change: ToolsChange) => boolean): Promise<void> {
  const awake = setInterval(() => {}, 60_000); // a sidecar does not keep this program alive
  sidecar.once("closed", () => clearInterval(awake));
  return new Promise((resolve) => {
    const end = sidecar.on("toolsChanged", (change) => {
      if (!is(change)) return;
      end();
      clearInterval(awake);
      resolve();
    });
  });
}
